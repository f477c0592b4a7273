/** What happens inside stays inside: the caller's history gains the result, and nothing of the material. */
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryLedger, openPool } from '../../core/pools.ts';
import { type Model, scriptedModel } from '../../model/index.ts';
import type { TaskOutcome, TaskRequest } from '../shape.ts';
import { openTasks } from '../shapes.ts';
import { openCorpora } from '../task.contract.ts';
import { allCapabilities, bench, code, noWait, testMaterial } from './investigation.contract.ts';
import { investigationRun } from './run.ts';

const b = bench();
afterAll(() => b.close());

/** Text of which no eight words in a row occur anywhere else. */
const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => `w${seed}x${(n * 7919) % 10_007}`).join(' ');
const pages = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [
    `page-${n}.md`,
    `# Page ${n}\n\n${words(n, 400).replace(/((?:\S+ ){12})/g, '$1\n')}`,
  ]),
);

const tasks = openTasks({
  runs: [
    await investigationRun.task(
      { sandbox: b.sandbox, corpora: openCorpora(testMaterial(pages)) },
      { store: b.store, ...noWait },
    ),
  ],
});

/** A conversation that hands its work to an investigation: with checkpoints, messages and a stream. */
async function conversation(planner: Model, params: Record<string, unknown>, thread: string) {
  const State = Annotation.Root({
    messages: Annotation<readonly string[]>({ reducer: (a, more) => [...a, ...more], default: () => [] }),
    outcome: Annotation<TaskOutcome | null>({ reducer: (_, next) => next, default: () => null }),
  });
  const pool = openPool(memoryLedger(), {
    account: thread,
    run: thread,
    fence: 1,
    limits: { tokens: 1_000_000, steps: 300 },
  });
  const graph = new StateGraph(State)
    .addNode('dispatch', async (_state, config) => {
      const request: TaskRequest = {
        thread,
        namespace: '',
        call: 'call-1',
        pool,
        capabilities: allCapabilities,
        config,
        clients: {
          planner,
          analyst: scriptedModel('short'),
          tools: {
            list: async () => [],
            call: async () => {
              throw new Error('no tools');
            },
          } as never,
          ask: (async () => {
            throw new Error('no asker');
          }) as never,
          step: (async () => {
            throw new Error('no steps');
          }) as never,
          recorded: { recall: () => undefined },
        },
      };
      const outcome = await tasks.task('investigation', params, request);
      return { outcome, messages: [JSON.stringify(outcome)] };
    })
    .addEdge(START, 'dispatch')
    .addEdge('dispatch', END)
    .compile({ checkpointer: new MemorySaver() });
  const config = {
    configurable: { thread_id: thread },
    streamMode: ['values', 'updates', 'messages', 'debug'] as never,
  };
  const streamed: unknown[] = [];
  for await (const chunk of await graph.stream({ messages: ['find out'] }, config)) streamed.push(chunk);
  const checkpoints: unknown[] = [];
  for await (const state of graph.getStateHistory({ configurable: { thread_id: thread } }))
    checkpoints.push(state);
  const { outcome, messages } = (await graph.getState({ configurable: { thread_id: thread } }))
    .values as typeof State.State;
  return {
    outcome: outcome as TaskOutcome,
    messages,
    seen: JSON.stringify([messages, streamed, checkpoints]),
    pool,
  };
}

const grams = (text: string): Set<string> => {
  const list = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return new Set(list.slice(0, -7).map((_, n) => list.slice(n, n + 8).join(' ')));
};
const inMaterial = new Set(Object.values(pages).flatMap((text) => [...grams(text)]));
const leaked = (text: string) => [...grams(text)].filter((gram) => inMaterial.has(gram));

const looking = [
  code('hits = kb_search("w1x1 w2x2 w3x3", wide=True)', 'print([h.text for h in hits])'),
  code('texts = [kb_read(f"page-{n}.md") for n in range(12)]', 'print(texts[3])', 'texts[4]'),
  code('raise ValueError(texts[5])'),
  code('draft = "notes: " + str(len(texts))', 'child = investigate("what of page 1?", context=texts[1])'),
];

describe('the bubble', () => {
  it('the check itself finds what is there', () => {
    expect(leaked(words(3, 40).slice(0, 300)).length).toBeGreaterThan(10);
  });

  const ends: readonly (readonly [string, readonly unknown[], Record<string, unknown>?])[] = [
    [
      'FINAL',
      [
        ...looking,
        code('FINAL("twelve pages")'),
        code('FINAL("twelve pages")'),
        code('FINAL("twelve pages")'),
      ],
    ],
    ['the end of the budget', Array(30).fill(looking[1]), { turns: 4 }],
    ['no code three times', [...looking.slice(0, 3), 'a', 'b', 'c']],
    ['a model that fails', [...looking.slice(0, 3), { failure: 'auth' }]],
  ];
  // world.md: Investigation 1, 22, 24
  it.each(ends)(
    'ended by %s: nothing of the material in messages, stream or checkpoint',
    async (name, script, more = {}) => {
      const { outcome, messages, seen } = await conversation(
        scriptedModel(script as never),
        { prompt: 'how many pages?', ...(more as object) },
        `thread ${name}`,
      );
      expect(outcome.kind).toBe('done');
      expect(leaked(seen)).toEqual([]);
      // One result, at most 4 KB.
      expect(messages).toHaveLength(2);
      expect(
        Buffer.byteLength(JSON.stringify(outcome.kind === 'done' ? outcome.output : null)),
      ).toBeLessThanOrEqual(4096);
      // No handle, id or lifetime of a sandbox.
      expect(seen).not.toMatch(/sandbox|session|snapshot/i);
    },
  );

  it('what was passed along does not come back by itself', async () => {
    const context = words(99, 300);
    const { seen } = await conversation(
      scriptedModel([code('n = len(context)', 'print(context)'), code('FINAL(n)')] as never),
      { prompt: 'how long?', context },
      'thread context',
    );
    const own = grams(context);
    expect([...grams(seen)].filter((gram) => own.has(gram))).toEqual([]);
  });
});

describe('as a shape', () => {
  it('settles with its caller’s pool what it spent, and no more', async () => {
    const { outcome, pool } = await conversation(
      scriptedModel([code('x = 1'), code('FINAL(2)')] as never),
      { prompt: 'x?' },
      'thread spent',
    );
    const { spent } = (outcome as { output: { spent: { tokens: number; fuel: number; steps: number } } })
      .output;
    expect(pool.spent()).toMatchObject({ tokens: spent.tokens, fuel: spent.fuel, steps: spent.steps });
  });
  it('the same call again gives the same run, and asks nothing', async () => {
    let asked = 0;
    const planner = scriptedModel(() => {
      asked += 1;
      return code('FINAL(5)');
    });
    const first = await conversation(planner, { prompt: 'five?' }, 'thread twice');
    const second = await conversation(planner, { prompt: 'five?' }, 'thread twice');
    expect(second.outcome).toEqual(first.outcome);
    expect(asked).toBe(1);
  });
  it('parameters that do not fit are a value', async () => {
    const { outcome } = await conversation(scriptedModel('x'), { prompt: '', depth: 9 }, 'thread bad');
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'bad_params' } });
  });
  it('models can be chosen for the outer and the inner work', async () => {
    // world.md: Investigation 14
    const { outcome } = await conversation(
      scriptedModel('never asked'),
      { prompt: 'x?', outer: 'analyst', inner: 'planner' },
      'thread tiers',
    );
    // The analyst of this test writes no code.
    expect(outcome).toMatchObject({
      kind: 'done',
      output: { stop_reason: 'stagnant', note: expect.stringContaining('no code') },
    });
  });
});
