import { describe, expect, test } from 'vitest';
import { fitResult } from './answer-fit.ts';
import { unverifiedNotice } from './answer-marks.ts';
import { zeroAmounts } from './budget/budget.ts';
import type { Citation } from './citation.ts';
import type { Claim } from './claim.ts';
import type { RunResult } from './result.ts';

const citation = (index: number): Citation => ({
  id: `ev-${index.toString(16).padStart(10, '0')}`,
  path: `src/${'deep/'.repeat(5)}file-${index}.ts`,
  start_line: 1,
  end_line: 2,
  provenance: 'hybrid',
  hash: 'a'.repeat(64),
  status: 'valid',
});
const result = (more: Partial<RunResult>): RunResult => ({
  run_id: 'run-0000000000abcdef',
  status: 'partial',
  answer: 'It is so [ev-0000000000].',
  citations: [citation(0)],
  unsupported: [],
  confidence: 0.5,
  stop_reason: 'finalized',
  model: 'scripted:file',
  spent: zeroAmounts,
  coverage: {
    files: 1,
    skipped: 0,
    searches: 1,
    files_read: 1,
    evidence: 1,
    completeness: 'complete',
    notes: [],
  },
  ...more,
});
const bytes = (value: RunResult) => Buffer.byteLength(JSON.stringify(value));
const notes = (count: number) => ({
  ...result({}).coverage,
  notes: Array.from({ length: count }, (_, index) => `note ${index} ${'of something '.repeat(20)}`),
});
const long = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index} ${'claim '.repeat(40)}`);
const cited = (count: number) => ({
  answer: Array.from({ length: count }, (_, index) => `It is so [${citation(index).id}].`).join(' '),
  citations: Array.from({ length: count }, (_, index) => citation(index)),
});

test('a small result stays as it is', () => {
  const small = result({ unsupported: ['a'], coverage: notes(2) });
  expect(fitResult(small)).toBe(small);
});

test('notes go first, and their number is told', () => {
  const fitted = fitResult(result({ unsupported: long(5), coverage: notes(60) }));
  expect(bytes(fitted)).toBeLessThanOrEqual(8_192);
  expect(fitted.unsupported).toEqual(long(5));
  const kept = fitted.coverage.notes.length - 1;
  expect(kept).toBeGreaterThan(3);
  expect(fitted.coverage.notes.at(-1)).toBe(`… and ${60 - kept} more notes`);
});

test('then unsupported sentences are shortened, then counted', () => {
  const shortened = fitResult(result({ unsupported: long(40) }));
  expect(bytes(shortened)).toBeLessThanOrEqual(8_192);
  expect(shortened.unsupported).toHaveLength(40);
  const counted = fitResult(result({ unsupported: long(400) }));
  expect(bytes(counted)).toBeLessThanOrEqual(8_192);
  expect(counted.unsupported.at(-1)).toBe(`… and ${401 - counted.unsupported.length} more`);
});

describe('claims', () => {
  const verdicts = [
    'shown',
    'unclear',
    'supported',
    'contradicted',
    'computed',
    'not shown',
    'absent',
  ] as const;
  const claims = (count: number): readonly Claim[] =>
    Array.from({ length: count }, (_, at) => ({
      text: `Claim ${at} says that ${'something or other '.repeat(6)}`,
      verdict: verdicts[at % verdicts.length]!,
      why: `Line ${at} holds it.`,
      evidence: ['ev-0000000000'],
      flags: [],
    }));

  test('that fit stay all, in their order, without numbers', () => {
    const fitted = fitResult(result({ claims: claims(7) }));
    expect(fitted.claims).toEqual(claims(7));
    expect(fitted.claim_counts).toBeUndefined();
  });

  test.each([40, 400])(
    'that do not fit 4 KB are the worst, with how many there are of each verdict: %i',
    (count) => {
      const fitted = fitResult(result({ claims: claims(count) }));
      expect(Buffer.byteLength(JSON.stringify(fitted.claims))).toBeLessThanOrEqual(4_096);
      const kept = fitted.claims!;
      expect(kept.length).toBeGreaterThan(2);
      expect(kept.length).toBeLessThan(count);
      expect(kept[0]!.verdict).toBe('contradicted');
      const ranks = kept.map(({ verdict }) =>
        ['contradicted', 'not shown', 'unclear', 'supported', 'absent', 'computed', 'shown'].indexOf(verdict),
      );
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(Object.values(fitted.claim_counts!).reduce((sum, one) => sum + one, 0)).toBe(count);
      expect(fitResult(fitted)).toEqual(fitted);
    },
  );

  test('a flagged one comes before others of its verdict', () => {
    const all = claims(40).map((claim, at) =>
      at === 28 ? { ...claim, flags: ['command'] as const } : claim,
    );
    expect(
      fitResult(result({ claims: all })).claims!.findIndex(({ flags }) => flags.length > 0),
    ).toBeLessThan(14);
  });
});

describe('whatever is too large', () => {
  test.each([
    ['citations', cited(100)],
    ['citations and all else', { ...cited(100), unsupported: long(100), coverage: notes(100) }],
    ['an answer without sentences', { answer: 'x'.repeat(20_000) }],
    ['an answer that JSON blows up', { answer: '\u0001'.repeat(4_096) }],
    ['one block of code', { answer: `\`\`\`\n${'y\n'.repeat(9_000)}\`\`\`` }],
  ])('%s', (_what, more) => {
    const fitted = fitResult(result(more));
    expect(bytes(fitted)).toBeLessThanOrEqual(8_192);
    for (const { id } of fitted.citations) expect(fitted.answer).toContain(id);
    for (const [id] of fitted.answer.matchAll(/ev-[0-9a-f]{10}/g))
      expect(fitted.citations.map((one) => one.id)).toContain(id);
    expect(fitResult(fitted)).toEqual(fitted);
    if (fitted.citations.length === 0) {
      expect(fitted.status).toBe('unverified');
      expect(fitted.answer.startsWith(unverifiedNotice)).toBe(true);
    }
  });
});
