/** The pool of a whole tree, by faults that are injected: on what is reserved, spent never exceeds it. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../core/index.ts';
import {
  type Model,
  type ModelRequest,
  type Prices,
  type ScriptLine,
  scriptedModel,
} from '../../model/index.ts';
import {
  bench,
  code,
  isPlanner,
  pageOf,
  runTrial,
  type Trial,
  testMaterial,
} from './investigation.contract.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material.ts';

const b = bench();
afterAll(() => b.close());

const prices: Prices = { 'scripted:memory': { input: 1, output: 5, cacheRead: 1, cacheWrite: 1 } };
/** Of which everything is reserved before it is spent. */
const reserved: readonly Resource[] = ['tokens', 'usd', 'calls', 'steps', 'fuel'];

interface Bill {
  tokens: number;
  usd: number;
  calls: number;
}

/** A model that keeps its own bill, as a provider would. */
function billed(script: (request: ModelRequest, call: number) => ScriptLine, bill: Bill): Model {
  const inner = scriptedModel(script);
  return {
    ...inner,
    async generate(request) {
      const answer = await inner.generate(request);
      const usage = answer.kind === 'reply' ? answer.usage : answer.usage === 'none' ? null : answer.usage;
      if (usage === 'unknown') bill.calls += 1;
      else if (usage !== null) {
        bill.calls += 1;
        bill.tokens += usage.input + usage.output;
        bill.usd += (usage.input * 1 + usage.output * 5) / 1e6;
      }
      return answer;
    },
  };
}

/** Programs that try to spend more than there is. */
const programs: Readonly<Record<string, string>> = {
  'wide batches': code(
    'while True:',
    '    out = llm_query_batched(["q" * 400] * 48)',
    '    draft = "so far"',
  ),
  'exceptions swallowed and tried again': code(
    'draft = "so far"',
    'for _ in range(40):',
    '    try: llm_query("q" * 400)',
    '    except BaseException: pass',
  ),
  'recursion until it is refused': code(
    'draft = "so far"',
    'for _ in range(6):',
    '    try: investigate("again")',
    '    except BaseException: pass',
  ),
  'four children at once, each with batches': code(
    'draft = "so far"',
    'try: investigate_batched(["again"] * 4)',
    'except BaseException: pass',
    'try: llm_query_batched(["q" * 200] * 32)',
    'except BaseException: pass',
  ),
  'fuel burned at every level': code(
    'draft = "so far"',
    'n = sum(range(400_000))',
    'try: investigate_batched(["again"] * 4)',
    'except BaseException: pass',
  ),
};

/** How the models misbehave. */
const faults: Readonly<Record<string, (call: number) => ScriptLine | null>> = {
  none: () => null,
  'calls that die at unknown cost': (call) =>
    call % 3 === 1 ? { failure: { code: 'bad_response', usage: 'unknown' } } : null,
  'calls that fail and are tried again': (call) =>
    call % 2 === 1 ? { failure: { code: 'overloaded', usage: 'none' } } : null,
  'late replies': () => ({ text: 'late', delay_ms: 3 }),
  'usage reported late, of a reply that was given up': (call) =>
    call % 3 === 1
      ? {
          delay_ms: 3,
          failure: {
            code: 'bad_response',
            usage: { input: 90, output: 40, cacheRead: 0, cacheWrite: 0, estimated: false },
          },
        }
      : null,
};

const budgets: readonly (readonly [string, Partial<Limits>])[] = [
  ['tokens', { tokens: 60_000 }],
  ['money', { usd: 0.06, tokens: 10_000_000 }],
  ['calls', { calls: 9 }],
  ['fuel', { fuel: 60_000_000 }],
  ['turns', { turns: 5 }],
];

/** As in pool.long.process.test.ts; else some of each. */
const everyTrial = process.env['TRIALS'] === 'all';

describe('spent never exceeds the pool, and the ledger equals the bill', () => {
  // Half of all, each depth with every budget.
  const all = Object.entries(programs).flatMap(([program, text], p) =>
    Object.entries(faults).flatMap(([fault, line], f) =>
      budgets.flatMap(([budget, limits], g) =>
        (p + f + g) % 2 === 1
          ? []
          : [{ program, text, fault, line, budget, limits, depth: (((p + f + g) / 2) % 3) + 1 }],
      ),
    ),
  );
  const had = new Set<string>();
  /** Those of which nothing was tried yet have each program, fault, budget and depth. */
  const isNew = ({ program, fault, budget }: (typeof all)[number]): boolean => {
    const parts = [program, fault, budget];
    const none = parts.every((part) => !had.has(part));
    if (none) for (const part of parts) had.add(part);
    return none;
  };
  const trials = all.filter((trial) => isNew(trial) || everyTrial);
  it.each(trials)(
    '$program; $fault; out of $budget; depth $depth',
    async ({ text, line, limits, depth, fault }) => {
      const bill: Bill = { tokens: 0, usd: 0, calls: 0 };
      let asked = 0;
      const planner = billed(() => text, bill);
      const analyst = billed((request) => {
        if (isPlanner(request)) return text;
        asked += 1;
        return line(asked) ?? 'a short answer';
      }, bill);
      const trial: Trial = {
        planner,
        analyst,
        prices,
        limits: { turns: 12, wall_ms: 60_000, ...limits, depth },
      };
      const { result, investigation, run } = await runTrial(b, trial);
      const { limits: ceilings, spent, reserved: open } = await b.store.accounts.balance(run);
      for (const resource of reserved) {
        expect({
          resource,
          spent: spent[resource],
          over: spent[resource] > (ceilings[resource] ?? Infinity),
        }).toMatchObject({ over: false });
        expect({ resource, open: open[resource] }).toEqual({ resource, open: 0 });
      }
      // Every run ends with an answer that says how it ended, and with the best there was.
      expect(result.stop_reason).toBe('budget');
      expect(investigation.result.stop_reason).toBe('budget');
      if (limits.tokens === undefined || limits.tokens > 60_000)
        expect(String(investigation.result.answer)).toContain('so far');
      // What a provider would bill, but for the calls of which nobody knows what they cost: these count at their
      // reservation.
      expect(spent.calls).toBe(bill.calls);
      if (fault === 'calls that die at unknown cost')
        expect(spent.tokens).toBeGreaterThanOrEqual(bill.tokens);
      else {
        expect(spent.tokens).toBe(bill.tokens);
        expect(spent.usd).toBeCloseTo(bill.usd, 3);
      }
    },
  );
});

// world.md: Investigation 19, 26
describe('many children share one pool', () => {
  const shapes = [
    { depth: 1, across: [15, 7], nodes: 106 },
    { depth: 2, across: [10, 10], nodes: 111 },
    { depth: 3, across: [5, 5, 4], nodes: 131 },
  ] as const;
  // The deepest has all that the others have.
  const trials = everyTrial ? shapes : [{ depth: 3, across: [3, 2, 2], nodes: 22 }];
  const pools = (nodes: number) => [
    { tokens: 3_000_000, ample: true },
    { tokens: 1_150 * nodes, ample: false },
  ];
  it.each(trials.flatMap((shape) => pools(shape.nodes).map((pool) => ({ ...shape, ...pool }))))(
    'depth $depth, $across side by side, $tokens tokens',
    async ({ depth, across, nodes, tokens, ample }) => {
      const bill: Bill = { tokens: 0, usd: 0, calls: 0 };
      // How deep it is asked stands in the question; at depth 1 one after another, else all at the same time.
      const planner = billed((request) => {
        const level = Number(/level (\d)/.exec(pageOf(request))?.[1] ?? 0);
        if (level === depth)
          return code('a = llm_query_batched(["q"] * 4)', 'FINAL(sum(isinstance(x, str) for x in a))');
        const side = across[level]!;
        return code(
          'children = []',
          `for n in range(${depth === 1 ? 7 : 1}):`,
          `    try: children += investigate_batched(["level ${level + 1}"] * ${side})`,
          '    except HostError: pass',
          'FINAL([len(children), sum(not isinstance(c, Failed) for c in children)])',
        );
      }, bill);
      const { run, investigation, result, events } = await runTrial(b, {
        planner,
        analyst: billed(() => 'short', bill),
        prices,
        limits: { turns: 200, children: 15, tokens, depth },
      });
      const { spent, limits, reserved: open } = await b.store.accounts.balance(run);
      if (ample) {
        expect(investigation.nodes).toBe(nodes);
        // However many of them are at work at the same time.
        const ends = events.flatMap(({ event }) => (event.kind === 'node_finished' ? [event.status] : []));
        expect(ends).toEqual(Array.from({ length: nodes }, () => 'final'));
      } else expect(['budget', 'finalized']).toContain(result.stop_reason);
      expect(investigation.result.answer).not.toBe('');
      expect(spent.tokens).toBeLessThanOrEqual(limits.tokens ?? 0);
      expect(open.tokens).toBe(0);
      expect(spent.tokens).toBe(bill.tokens);
      expect(spent.calls).toBe(bill.calls);
    },
  );
});

it('of time, which nobody reserves, no more than the calls in flight goes over', async () => {
  // Each call takes a second of a clock that nothing else moves.
  let now = 1_700_000_000_000;
  const bill: Bill = { tokens: 0, usd: 0, calls: 0 };
  const slow = (text: string) =>
    billed(() => {
      now += 1_000;
      return text;
    }, bill);
  const limits = { wall_ms: 20_000, turns: 100, tokens: 10_000_000 };
  for (const [program, side] of [
    ['while True: llm_query("q")', 1],
    ['while True: llm_query_batched(["q"] * 16)', 16],
  ] as const) {
    const { run, result } = await runTrial(b, {
      planner: slow(code('draft = "so far"', program)),
      analyst: slow('short'),
      limits,
      setting: { clock: { now: () => now } },
    });
    expect(result.stop_reason).toBe('budget');
    const { spent } = await b.store.accounts.balance(run);
    expect(spent.wall_ms).toBeLessThanOrEqual(limits.wall_ms + side * 1_000);
  }
});

it('the end of the budget ends the innermost first, and then upward', async () => {
  const planner = scriptedModel(
    code(
      'try:',
      '    print(investigate("deeper").status)',
      'except HostError as error:',
      '    print(error.code)',
    ),
  );
  const { events, investigation } = await runTrial(b, { planner, limits: { turns: 6, depth: 3 } });
  const ended = events.flatMap(({ event }) =>
    event.kind === 'node_finished' ? [[event.node.split('/').length - 1, event.status] as const] : [],
  );
  expect(ended.at(-1)).toEqual([0, 'budget_exhausted']);
  expect(ended[0]?.[0]).toBeGreaterThan(0);
  expect(ended.every(([, status]) => status === 'budget_exhausted')).toBe(true);
  expect(investigation.result.stop_reason).toBe('budget');
});

it('time that is over ends a cell that only reads, and leaves the last turn what was kept for it', async () => {
  // Each search takes a second of a clock that nothing else moves.
  let now = 1_700_000_000_000;
  const slow = testMaterial();
  const search: Material['search'] = {
    search: async (request) => {
      now += 1_000;
      return slow.search.search(request);
    },
  };
  const { events, investigation } = await runTrial(b, {
    script: [code('while True: kb_search("session")'), code('FINAL("what there was")')],
    testMaterial: testMaterial(undefined, { search }),
    limits: { wall_ms: 60_000 },
    setting: { clock: { now: () => now } },
  });
  const cells = events.flatMap(({ event }) => (event.kind === 'cell_finished' ? [event] : []));
  expect(cells[0]).toMatchObject({
    outcome: 'killed',
    output: expect.stringContaining('it went on asking though its time was over'),
  });
  expect(investigation.result.stop_reason).toMatch(/finalized|budget/);
});

it('time that is over ends everything, whatever is under way', async () => {
  const slow = scriptedModel({ text: code('llm_query_batched(["q"] * 16)'), delay_ms: 40 });
  const { result } = await runTrial(b, {
    planner: slow,
    analyst: slow,
    limits: { wall_ms: 600, turns: 100 },
  });
  expect(result.stop_reason).toBe('budget');
});
