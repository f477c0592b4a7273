/** The folds over a run's log: state, trace, evidence, report and progress, of finished and of cut logs. */
import { describe, expect, it } from 'vitest';
import { zeroAmounts } from '../budget/budget.ts';
import type { LoggedEvent, RunEvent } from '../event.ts';
import { createEvidence, type Evidence } from '../evidence.ts';
import type { RunResult } from '../result.ts';
import { fenceText, formatCodeSpan, shortLine, toPlainText } from '../text/plain-text.ts';
import { createProgressFormatter } from './progress.ts';
import { formatReport } from './report.ts';
import { runState } from './state.ts';
import { buildTrace, listEvidence } from './trace.ts';

const start = Date.UTC(2026, 10, 21);

function log(...events: readonly (RunEvent | number)[]): readonly LoggedEvent[] {
  const logged: LoggedEvent[] = [];
  let at = start;
  for (const event of events) {
    if (typeof event === 'number') at += event;
    else logged.push({ seq: logged.length + 1, at, key: `k${logged.length}`, event });
  }
  return logged;
}

const found = createEvidence({
  file_path: 'src/sessions.py',
  start_line: 10,
  end_line: 11,
  content: 'def sign(self):\n    return self.signer',
  reason: 'matched "sign"',
  provenance: 'hybrid',
  score: 2.5,
});
const other = createEvidence({ ...found, file_path: 'src/other.py', content: 'pass' });

const result: RunResult = {
  run_id: 'run-a1',
  status: 'verified',
  answer: `Sessions are signed in sign [${found.id}].`,
  citations: [
    {
      id: found.id,
      path: found.file_path,
      start_line: 10,
      end_line: 11,
      provenance: 'hybrid',
      hash: found.hash,
      status: 'valid',
    },
  ],
  unsupported: ['It is fast.'],
  confidence: 0.8,
  stop_reason: 'finalized',
  model: 'scripted',
  spent: { ...zeroAmounts, tokens: 150, steps: 2, calls: 1, wall_ms: 2000 },
  coverage: {
    files: 20,
    skipped: 2,
    searches: 1,
    files_read: 1,
    evidence: 2,
    completeness: 'partial',
    notes: ['vectors failed'],
  },
};

const search: RunEvent = {
  kind: 'action_started',
  step: 1,
  action: 'hybrid_search',
  input: { query: 'where are sessions signed', k: 5 },
  reasoning: 'look first',
};
const searched: RunEvent = {
  kind: 'action_finished',
  step: 1,
  action: 'hybrid_search',
  outcome: 'ok',
  summary: '2 spans',
  evidence: [found.id, other.id],
  fresh: 2,
  completeness: 'complete',
  wall_ms: 12,
};
const registered = (item: Evidence): RunEvent => ({ kind: 'evidence_registered', step: 1, evidence: item });

const whole = log(
  {
    kind: 'run_started',
    shape: 'research',
    question: 'Where are sessions signed?',
    params: { steps: 10 },
    limits: { steps: 10, tokens: 1000 },
  },
  100,
  { kind: 'step_started', step: 1, left: { steps: 9, tokens: 820 } },
  {
    kind: 'model_called',
    step: 1,
    call: 'step-1/model-1',
    model: 'scripted',
    signature: 'choose',
    reserved: { tokens: 200 },
  },
  900,
  {
    kind: 'model_replied',
    step: 1,
    call: 'step-1/model-1',
    spent: { tokens: 150, usd: 0.1, calls: 1 },
    unknown: false,
    wall_ms: 900,
    text: '{"action":"hybrid_search"}',
  },
  search,
  registered(found),
  registered(other),
  registered(found),
  searched,
  86_400_000,
  { kind: 'run_resumed', fence: 2, recovered: 1 },
  1000,
  { kind: 'step_started', step: 2, left: { steps: 8, tokens: 500 } },
  {
    kind: 'model_called',
    step: 2,
    call: 'step-2/model-1',
    model: 'scripted',
    signature: 'choose',
    reserved: { tokens: 200 },
  },
  {
    kind: 'model_failed',
    step: 2,
    call: 'step-2/model-1',
    code: 'down',
    message: 'no answer',
    remedy: 'wait',
  },
  {
    kind: 'budget_exhausted',
    step: 2,
    exhausted: {
      kind: 'exhausted',
      resource: 'tokens',
      account: 'run-a1',
      limit: 1000,
      spent: 900,
      held: 50,
      requested: 60,
    },
  },
  { kind: 'note', level: 'warning', text: 'vectors failed' },
  { kind: 'citation_checked', id: found.id, status: 'valid' },
  { kind: 'run_finished', result, spent: result.spent },
);

describe('state', () => {
  it('of no log is empty', () => {
    expect(runState([])).toMatchObject({
      status: 'empty',
      step: 0,
      spent: zeroAmounts,
      stop: null,
      started: null,
    });
  });

  it('of a finished run has its end', () => {
    const state = runState(whole);
    expect(state).toMatchObject({
      status: 'finished',
      shape: 'research',
      step: 2,
      spent: result.spent,
      stop: 'finalized',
      result,
      resumed: 1,
      started: start,
    });
    expect([...state.evidence.keys()]).toEqual([found.id, other.id]);
    expect([...state.citations]).toEqual([[found.id, 'valid']]);
    expect(state.exhausted).toHaveLength(1);
  });

  it('of an unfinished one adds up what the log knows, without the time nobody worked', () => {
    expect(runState(whole.slice(0, -1))).toMatchObject({
      status: 'running',
      spent: { ...zeroAmounts, tokens: 150, usd: 0.1, calls: 1, steps: 2, wall_ms: 2000 },
      stop: null,
      result: null,
    });
  });

  it('adds money up exactly', () => {
    const replied = whole.filter(({ event }) => event.kind === 'model_replied');
    expect(runState([...replied, ...replied, ...replied]).spent.usd).toBe(0.3);
  });
});

describe('trace', () => {
  it('has each step with its calls and its action', () => {
    const { steps, notes, resumed, citations, stop_reason } = buildTrace(whole);
    expect(steps.map(({ step, at, left }) => [step, at - start, left])).toEqual([
      [1, 100, { steps: 9, tokens: 820 }],
      [2, 86_402_000, { steps: 8, tokens: 500 }],
    ]);
    expect(steps[0]!.calls).toEqual([
      {
        call: 'step-1/model-1',
        at: start + 100,
        model: 'scripted',
        signature: 'choose',
        reserved: { tokens: 200 },
        spent: { tokens: 150, usd: 0.1, calls: 1 },
        unknown: false,
        cached: 0,
        over: null,
        wall_ms: 900,
        text: '{"action":"hybrid_search"}',
        failure: null,
      },
    ]);
    expect(steps[0]!.actions).toEqual([
      {
        action: 'hybrid_search',
        at: start + 1000,
        reasoning: 'look first',
        input: { query: 'where are sessions signed', k: 5 },
        outcome: 'ok',
        summary: '2 spans',
        evidence: [found.id, other.id],
        fresh: 2,
        completeness: 'complete',
        wall_ms: 12,
      },
    ]);
    expect(steps[1]!.calls[0]).toMatchObject({ text: null, failure: { code: 'down', remedy: 'wait' } });
    expect(steps[1]!.exhausted[0]).toMatchObject({ resource: 'tokens', requested: 60 });
    expect([notes.length, resumed[0]?.recovered, citations[0]?.status, stop_reason]).toEqual([
      1,
      1,
      'valid',
      'finalized',
    ]);
  });

  it('shows an action and a call that were cut off as unfinished', () => {
    const calling = buildTrace(whole.slice(0, 3)).steps[0]!;
    expect(calling.calls[0]).toMatchObject({ reserved: { tokens: 200 }, spent: null, text: null });
    const acting = buildTrace(whole.slice(0, 5)).steps[0]!;
    expect(acting.actions[0]).toMatchObject({ action: 'hybrid_search', outcome: null, wall_ms: null });
  });
});

describe('evidence', () => {
  it('is listed once, with what its citation came to', () => {
    expect(listEvidence(whole)).toEqual([
      { ...found, step: 1, status: 'valid' },
      { ...other, step: 1, status: null },
    ]);
  });
});

describe('report', () => {
  it('has everything a reader asks for', () => {
    const report = formatReport(whole);
    for (const part of [
      '# Run `run-a1` (`research`): verified',
      'Where are sessions signed?',
      `Sessions are signed in sign [${found.id}].`,
      `- \`${found.id}\` \`src/sessions.py:10-11\` (hybrid): **valid**`,
      '- It is fast.',
      '### Step 1, +0.1 s',
      '`hybrid_search`: ok, 2 new of 2 pieces of evidence, listing complete',
      'input: {"query":"where are sessions signed","k":5}',
      '150 tokens, $0.1000, 1 calls',
      'failed: `no answer. wait`',
      '- out of tokens: 60 asked for, 900 spent and 50 held of 1000',
      'taken up again; 1 reservations',
      'warning: `vectors failed`',
      '20 files searched, 2 skipped, 1 search, 1 file read; coverage partial.',
      'def sign(self):\n    return self.signer\n```',
      `- \`${other.id}\` \`src/other.py:10-11\` (hybrid, step 1)`,
      '- 150 tokens of 1000 tokens',
      '`finalized`: It reached its answer. It was taken up again once.',
    ]) {
      expect(report).toContain(part);
    }
  });

  it('of an unfinished run says so', () => {
    const report = formatReport(whole.slice(0, 5));
    expect(report).toContain('# A run (`research`): not finished');
    expect(report).toContain('There is none yet.');
    expect(report).toContain('`hybrid_search`: not finished');
    expect(report).toContain('It has not finished. Its last event is of 2026-11-21T00:00:01.000Z.');
  });
});

describe('any part of a log', () => {
  it.each(Array.from({ length: whole.length + 1 }, (_, length) => length))(
    'of %i events can be read',
    (length) => {
      const part = whole.slice(0, length);
      const trace = buildTrace(part);
      expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
      expect(listEvidence(part).length).toBe(runState(part).evidence.size);
      expect(formatReport(part)).toContain('## End');
      // And one whose beginning is gone, as a pruned log is.
      const tail = whole.slice(length);
      expect(buildTrace(tail).spent).toEqual(runState(tail).spent);
      expect(formatReport(tail)).toContain('## End');
    },
  );
});

describe('hostile text', () => {
  const hostiles = [
    '```\n# PWNED\n',
    '````\n\n<script>PWNED</script>\n````',
    '`PWNED`` [PWNED](javascript:1)',
    '~~~\nPWNED\r# PWNED\u2028# PWNED',
    '\u001b[31mPWNED\u001b]0;PWNED\u0007 \u202ePWNED',
    '</details>\n\n---\n\n| PWNED |\n\n`',
    '``` PWNED `` `',
  ];

  it.each(hostiles)('stays in its blocks and spans: %j', (hostile) => {
    const bad = { ...createEvidence({ ...found, file_path: hostile, content: hostile, reason: hostile }) };
    const call = { step: 1, call: hostile };
    const report = formatReport(
      log(
        { kind: 'run_started', shape: hostile, question: hostile, params: {}, limits: {} },
        { kind: 'step_started', step: 1, left: {} },
        { kind: 'model_called', ...call, model: hostile, signature: hostile, reserved: {} },
        { kind: 'model_failed', ...call, code: hostile, message: hostile, remedy: hostile },
        { ...search, action: hostile, input: { [hostile]: hostile }, reasoning: hostile },
        registered(bad),
        registered({ ...bad, id: 'ev-0123456789' }),
        { ...searched, action: hostile, summary: hostile },
        { kind: 'note', level: 'info', text: hostile },
        { kind: 'citation_checked', id: bad.id, status: 'changed' },
        {
          kind: 'run_finished',
          spent: zeroAmounts,
          result: {
            ...result,
            answer: hostile,
            model: hostile,
            unsupported: [hostile],
            citations: [{ ...result.citations[0]!, path: hostile, status: 'changed' }],
            coverage: { ...result.coverage, notes: [hostile] },
          },
        },
      ),
    );
    expect(report).toContain('PWNED');
    expect(outsideCode(report)).not.toContain('PWNED');
    expect(report).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u);
  });

  /** What a Markdown reader takes as its own: the document without fenced blocks and code spans. */
  function outsideCode(markdown: string): string {
    const outside: string[] = [];
    let fence: string | null = null;
    for (const line of markdown.split('\n')) {
      const ticks = /^ {0,3}(`{3,})([^`]*)$/.exec(line);
      if (fence === null && ticks !== null) fence = ticks[1]!;
      else if (fence === null) outside.push(line.replace(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g, ''));
      else if (ticks !== null && ticks[1]!.length >= fence.length && ticks[2]!.trim() === '') fence = null;
    }
    expect(fence).toBeNull();
    return outside.join('\n');
  }

  it('is made plain', () => {
    expect(toPlainText('a\r\nb\rc\u001b[0m\td')).toBe('a\nb\nc[0m\td');
  });
  it.each([
    ['tags', 'hi\u{E0041}\u{E0042} you', 'hi you'],
    [
      'tags behind a flag',
      '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}\u{E0041}',
      '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
    ],
    ['a run of what has no width', 'a\u200B\u200C\u200D\u2060b', 'ab'],
    ['selectors that spell bytes', 'a\u{E0100}\u{E0151}\u{E0122}b', 'ab'],
    ['operators that nobody sees', 'f\u2061x\u2062y', 'fxy'],
  ])('hides no text: %s', (_, text, expected) => {
    expect(toPlainText(text)).toBe(expected);
  });
  it.each([
    ['emoji', '\u2764\uFE0F\u200D\u{1F525} 1\uFE0F\u20E3'],
    [
      'joiners of scripts',
      '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u1780\u200B\u1781 \u0915\u094D\u200D\u0937',
    ],
    ['a variant of an ideograph', '\u8FBB\u{E0100}'],
  ])('keeps what is written with them: %s', (_, text) => {
    expect(toPlainText(text)).toBe(text);
    expect(fenceText('a ``` b')).toBe('````text\na ``` b\n````');
    expect([formatCodeSpan('a`b'), formatCodeSpan('`'), formatCodeSpan(''), formatCodeSpan('a\nb')]).toEqual([
      '``a`b``',
      '`` ` ``',
      '` `',
      '`a b`',
    ]);
    expect([shortLine('🙂🙂🙂', 3), shortLine('🙂🙂🙂🙂', 3)]).toEqual(['🙂🙂🙂', '🙂🙂…']);
  });
});

describe('progress', () => {
  it('is a line for what is worth one', () => {
    const line = createProgressFormatter();
    expect(whole.map(({ event }) => line(event)).filter((text) => text !== null)).toEqual([
      'research · "Where are sessions signed?"',
      'step 1/10 · hybrid_search "where are sessions signed 5" · 2 new, 2 evidence · 82% budget left',
      'resumed',
      'step 2/10 · model failed: no answer · wait',
      'step 2/10 · out of tokens',
      'warning: vectors failed',
      'finalized · verified · 1 citations',
    ]);
  });

  it('leaves out what it is not told', () => {
    const line = createProgressFormatter();
    line({ ...search, input: {} });
    expect(line({ ...searched, outcome: 'error', summary: 'bad\u001b[2J path', fresh: 0 })).toBe(
      'step 1 · hybrid_search · error · bad[2J path · 0 new, 0 evidence',
    );
  });
});

describe('calls side by side', () => {
  const started = (input: string, call?: string): RunEvent => ({
    kind: 'action_started',
    step: 1,
    ...(call !== undefined && { call }),
    action: 'read_page',
    input: { page: input },
    reasoning: '',
  });
  const finished = (summary: string, call?: string): RunEvent => ({
    kind: 'action_finished',
    step: 1,
    ...(call !== undefined && { call }),
    action: 'read_page',
    outcome: 'ok',
    summary,
    evidence: [],
    fresh: 0,
    completeness: 'complete',
    wall_ms: 1,
  });
  const pairs = (logged: readonly LoggedEvent[]) =>
    buildTrace(logged).steps.flatMap(({ actions }) =>
      actions.map(({ input, summary }) => [input['page'], summary]),
    );

  it.each([
    ['in turn', ['a', 'b', 'c']],
    ['the other way round', ['c', 'b', 'a']],
    ['mixed', ['b', 'c', 'a']],
    ['and one is not over', ['c', 'a']],
  ])('are shown with their own results, ended %s', (_name, order) => {
    const wanted = ['a', 'b', 'c'].map((one) => [one, order.includes(one) ? `of ${one}` : null]);
    const begun = ['a', 'b', 'c'].map((one) => started(one, `call-${one}`));
    expect(pairs(log(...begun, ...order.map((one) => finished(`of ${one}`, `call-${one}`))))).toEqual(wanted);
    // As an earlier version logged them.
    const keys = [
      ...['a', 'b', 'c'].map((one) => `${one}/started`),
      ...order.map((one) => `${one}/finished`),
    ];
    const old = log(
      ...['a', 'b', 'c'].map((one) => started(one)),
      ...order.map((one) => finished(`of ${one}`)),
    );
    expect(pairs(old.map((entry, n) => ({ ...entry, key: keys[n]! })))).toEqual(wanted);
  });

  it('are told with what each was asked', () => {
    const line = createProgressFormatter();
    for (const one of ['a', 'b']) line(started(one, one));
    expect(line(finished('x', 'a'))).toContain('"a"');
    expect(line(finished('x', 'b'))).toContain('"b"');
  });
});
