import { describe, expect, it } from 'vitest';
import { createEvidence, zeroAmounts } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/index.ts';
import { defaultLimits, limitsOf, reserveOf } from '../limits.ts';
import { initialState, type ResearchState, type Turn } from '../state.ts';
import { budgetPage, evidencePage, fitText } from './page.ts';

function piece(n: number, lines: number) {
  return createEvidence({
    file_path: `src/file_${n}.ts`,
    start_line: 1,
    end_line: lines,
    content: Array.from({ length: lines }, (_, line) => `const value_${n}_${line} = compute(${line});`).join(
      '\n',
    ),
    reason: 'test',
    provenance: 'bm25',
  });
}

function turn(step: number, fields: Partial<Turn> = {}): Turn {
  return {
    step,
    action: 'hybrid_search',
    input: { query: `query ${step}` },
    reasoning: 'because',
    outcome: 'ok',
    summary: '3 spans in 2 files',
    text: '',
    notes: [],
    completeness: 'complete',
    evidence: [],
    fresh: 0,
    ...fields,
  };
}

/** A long run: 20 steps, 160 pieces of evidence. */
function longRun(): ResearchState {
  const all = Array.from({ length: 160 }, (_, n) => piece(n, 60));
  const turns = Array.from({ length: 20 }, (_, n) =>
    turn(n + 1, {
      evidence: all.slice(n * 8, n * 8 + 8).map(({ id }) => id),
      reasoning: 'a long reasoning '.repeat(40),
      text: 'listing line\n'.repeat(2_000),
      input: { query: 'q'.repeat(2_000) },
    }),
  );
  return { ...initialState('q'), step: 21, evidence: all, turns, memo: 'memo '.repeat(5_000) };
}

describe('what the model is shown is bounded', () => {
  const state = longRun();
  it('evidence', () => {
    expect(estimateTokens(evidencePage(state))).toBeLessThan(8_000);
    expect(estimateTokens(evidencePage(state, 300))).toBeLessThan(1_000);
  });
  it('the newest evidence stands in full, the rest by id', () => {
    const page = evidencePage(state);
    const newest = state.evidence[152];
    const oldest = state.evidence[0];
    expect(page).toContain(`source="${newest?.id} src/file_152.ts:1-60"`);
    expect(page).not.toContain(`source="${oldest?.id}`);
    expect(page).toContain('listed without its text');
    expect(page).toContain('1| const value_152_0 = compute(0);');
  });
  it('evidence that was found again is new again', () => {
    const again = {
      ...state,
      turns: [...state.turns, turn(21, { evidence: [state.evidence[0]?.id ?? ''] })],
    };
    expect(evidencePage(again)).toContain(`source="${state.evidence[0]?.id}`);
  });
  it('a piece within another is listed as part of it', () => {
    const whole = piece(7, 60);
    const part = createEvidence({ ...whole, start_line: 5, end_line: 6, content: 'two\nlines' });
    const page = evidencePage({ ...initialState('q'), evidence: [part, whole] });
    expect(page).toContain(`${part.id} src/file_7.ts:5-6, part of ${whole.id}`);
    expect(page).not.toContain(`source="${part.id}`);
  });
  it('one piece that is too large alone is listed', () => {
    const large = piece(1, 2_000);
    const page = evidencePage({ ...initialState('q'), evidence: [large] });
    expect(page).toContain(large.id);
    expect(estimateTokens(page)).toBeLessThan(500);
  });
});

it('a text is cut at a line end and says how long it was', () => {
  const text = 'one line of text\n'.repeat(500);
  const cut = fitText(text, 100);
  expect(estimateTokens(cut)).toBeLessThanOrEqual(110);
  expect(cut).toMatch(/\[cut here: 8500 characters in all\]$/);
  expect(fitText('short', 100)).toBe('short');
});

it('the budget counts the step under way', () => {
  expect(
    budgetPage(3, defaultLimits, { ...zeroAmounts, tokens: 1_234, usd: Infinity, wall_ms: 61_500 }),
  ).toBe('step 3 of 10: 8 left, the last of them for the answer; 1,234 tokens; 61 s');
});

describe('the reserve for the answer', () => {
  it.each([
    [{}, { steps: 1, wall_ms: 30_000, tokens: 16_000 }],
    [{ tokens: 1_000 }, { tokens: 250 }],
    [{ tokens: 10_000 }, { tokens: 2_000 }],
    [{ tokens: 50_000 }, { tokens: 7_500 }],
    [
      { tokens: 0, wall_ms: 0 },
      { tokens: 0, wall_ms: 0 },
    ],
    [
      { usd: 2, calls: 3 },
      { usd: 0.3, calls: 1 },
    ],
    [{ calls: 1 }, { calls: 0 }],
  ])('of %j holds %j', (given, expected) => {
    expect(reserveOf(limitsOf(given))).toMatchObject(expected);
  });
});
