/** Whatever the budget, an investigation ends with an answer of what it has, and spends no more than it may. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { PlayedTurn } from '../../model/dialogue/played-turn.contract.ts';
import { strictServer } from '../../model/dialogue/strict-server.contract.ts';
import { type Wire, wires } from '../../model/dialogue/wires.contract.ts';
import { type Model, type ModelRequest, scriptedModel } from '../../model/index.ts';
import { bench, code, isPlanner, pageOf, runTrial, type Trial, turnOf } from './investigation.contract.ts';

const b = bench();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => b.close());

/** As in small-budgets.long.process.test.ts; else every third. */
const everyTrial = process.env['TRIALS'] === 'all';
const some = <Item>(all: readonly Item[], from: number): readonly Item[] =>
  all.filter((_, n) => everyTrial || n % 3 === from % 3);

const lastTurn = 'THIS IS THE LAST TURN';
const done = code('FINAL("What there is: " + str(globals().get("kept", "nothing")))');

/** What the code of a turn that is not the last does. */
const habits: Readonly<Record<string, (turn: number) => string>> = {
  'long outputs': () => code('kept = "a fact"', 'print("a word " * 1500)'),
  'short outputs': (turn) => code('kept = "a fact"', `print(${turn})`),
  'many names': () => code('kept = "a fact"', 'for n in range(60): globals()[f"name_{n}"] = "x" * 500'),
  'reads and prints': () => code('kept = kb_read("src/session.py")', 'print(kept.numbered())'),
  'a model asked on and on': () => code('kept = "a fact"', 'while True: llm_query_batched(["q" * 400] * 8)'),
  'nested on and on': () => code('kept = "a fact"', 'while True: investigate_batched(["go on"] * 3)'),
  'long thoughts': (turn) =>
    `${'It may be this, or it may be that. '.repeat(50)}\n${code('kept = "a fact"', `print(${turn})`)}`,
};
const budgets = [
  3_000, 4_500, 6_000, 8_000, 9_000, 10_000, 11_000, 12_000, 13_000, 16_000, 20_000, 30_000, 40_000,
];

async function ended(trial: Trial): Promise<unknown> {
  const { investigation, result, run } = await runTrial(b, trial);
  const { limits, spent, reserved } = await b.store.accounts.balance(run);
  expect(spent.tokens).toBeLessThanOrEqual(limits.tokens!);
  expect(spent.usd).toBeLessThanOrEqual(limits.usd ?? Infinity);
  expect(reserved.tokens).toBe(0);
  expect(result.stop_reason).toBe('budget');
  expect(investigation.result.stop_reason).toBe('budget');
  return investigation.result.answer;
}

const planner = (say: (turn: number) => string): Model =>
  scriptedModel((request: ModelRequest) => {
    if (!isPlanner(request)) return 'a note';
    return pageOf(request).includes(lastTurn) ? done : say(turnOf(request));
  });

describe.each(Object.entries(habits).map(([habit, say], n) => ({ habit, say, n })))(
  '$habit',
  ({ say, n }) => {
    it.each(some(budgets, n))('under %i tokens', async (tokens) => {
      const model = planner(say);
      const answer = await ended({ planner: model, analyst: model, context: 'given', limits: { tokens } });
      expect(answer).toContain('What there is: ');
      // From here on it pays for a turn beside the last.
      if (tokens >= 9_000) expect(answer).not.toContain('nothing');
    });
  },
);

it.each(some([0.02, 0.03, 0.05, 0.08, 0.13], 1))('under $%f', async (usd) => {
  const model = planner(habits['long outputs']!);
  const prices = { 'scripted:memory': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } };
  const answer = await ended({ planner: model, analyst: model, prices, limits: { usd, tokens: 10_000_000 } });
  expect(answer).toContain('What there is: ');
});

it.each([1, 2, 3])('under %i calls', async (calls) => {
  const model = planner(habits['a model asked on and on']!);
  expect(await ended({ planner: model, analyst: model, limits: { calls } })).toContain('What there is: ');
});

it('with a question and a form that are long', async () => {
  const schema = {
    type: 'object',
    description: 'a form '.repeat(300),
    properties: { is: { type: 'string' } },
  };
  const model = scriptedModel((request) =>
    pageOf(request).includes(lastTurn) ? code('FINAL({"is": "it"})') : habits['long outputs']!(1),
  );
  const prompt = 'Why is it so? '.repeat(500);
  for (const tokens of [12_000, 16_000, 24_000])
    expect(await ended({ planner: model, schema, prompt, limits: { tokens } })).toEqual({ is: 'it' });
});

describe.each(Object.keys(wires) as Wire[])('%s', (wire) => {
  it.each(some([13_000, 20_000, 30_000, 40_000, 60_000], 1))('under %i tokens', async (tokens) => {
    const server = await strictServer();
    ends.push(server.close);
    server.replyTo = (body): PlayedTurn => {
      const text = JSON.stringify(body);
      const said = text.includes(lastTurn) ? done : habits['long outputs']!(1);
      return wire === 'anthropic, thinking'
        ? {
            reasoning: 'Well.',
            calls: [
              { name: 'python', args: JSON.stringify({ code: said.split('\n').slice(1, -1).join('\n') }) },
            ],
          }
        : { text: said };
    };
    const model = wires[wire](server.origin);
    // Where nobody has its tokenizer a token may be a byte, and what it thinks comes on top.
    const found = tokens < 20_000 ? 'What there is: ' : 'What there is: a fact';
    expect(await ended({ planner: model, analyst: model, limits: { tokens } })).toContain(found);
  });
});

it('where nothing pays for a turn, it says what it had read, and claims nothing', async () => {
  const script = [
    code('kb_read("src/session.py")', 'kb_read("docs/guide.md")', 'llm_query("q" * 9000)'),
    'no code',
  ];
  const { investigation, result } = await runTrial(b, { script, limits: { tokens: 9_000 } });
  expect(investigation.result).toMatchObject({ stop_reason: 'budget', citations: [] });
  expect(result.status).not.toBe('verified');
  expect(investigation.result.answer).toContain('It had read src/session.py, docs/guide.md.');
});
