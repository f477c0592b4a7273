/** The checkpointer under real graphs. */
import { setImmediate as loopTurn } from 'node:timers/promises';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSondeError } from '../../core/index.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  type Sessions,
  type ThreadLease,
} from '../../store/index.ts';
import { ThreadCheckpointer } from './checkpointer.ts';

let db: Database;
let sessions: Sessions;
let lease: ThreadLease;
let checkpointer: ThreadCheckpointer;

beforeEach(async () => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  sessions = openSessionsIn(db);
  await sessions.threads.create({ id: 'thread' });
  lease = await sessions.threads.acquire('thread');
  checkpointer = fresh();
});
afterEach(() => {
  sessions.close();
  db.close();
});

/** Without a memory, as in a process that has just begun. */
function fresh(): ThreadCheckpointer {
  return new ThreadCheckpointer({ checkpoints: sessions.checkpoints, leaseOf: () => lease });
}

const at = (more: object = {}) => ({ configurable: { thread_id: 'thread', ...more }, recursionLimit: 2000 });

const Listed = Annotation.Root({
  items: Annotation<unknown[]>({ reducer: (held, more) => held.concat(more), default: () => [] }),
  step: Annotation<number>(),
});

/** Adds what `make` gives, so many times. */
function growing(steps: number, make: (step: number) => unknown) {
  return new StateGraph(Listed)
    .addNode('work', async ({ step }) => ({ items: [make(step)], step: step + 1 }))
    .addEdge(START, 'work')
    .addConditionalEdges('work', ({ step }) => (step < steps ? 'work' : END), ['work', END])
    .compile({ checkpointer });
}

async function history(graph: { getStateHistory(config: object): AsyncIterable<{ values: unknown }> }) {
  const all: unknown[] = [];
  for await (const { values } of graph.getStateHistory(at())) all.push(values);
  return all;
}

describe('content', () => {
  const kinds: readonly (readonly [string, (step: number) => unknown])[] = [
    ['plain messages', (step) => ({ id: `m${step}`, role: 'user', content: `${step} ${'x'.repeat(2000)}` })],
    [
      'messages of LangChain',
      (step) => new HumanMessage({ id: `m${step}`, content: `${step} ${'x'.repeat(2000)}` }),
    ],
  ];
  it.each(kinds)('of 1,000 steps with 2 KB of %s takes less than 8 MB', async (_, make) => {
    await growing(1000, make).invoke({ items: [], step: 0 }, at());
    const [usage] = await sessions.checkpoints.usage('thread');
    expect(usage!.checkpoints).toBe(1002);
    expect(usage!.bytes).toBeLessThan(8e6);
    const page = Number(Object.values(db.get('PRAGMA page_size')!)[0]);
    const pages = Number(Object.values(db.get('PRAGMA page_count')!)[0]);
    expect(page * pages).toBeLessThan(8e6);
    const { values } = await growing(1000, make).getState(at());
    expect(values['items']).toEqual(Array.from({ length: 1000 }, (__, step) => make(step)));
  });

  it('is linear where messages get their ids from the reducer, too', async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('work', async ({ messages }) => ({
        messages: [new AIMessage(`${messages.length} ${'x'.repeat(2000)}`)],
      }))
      .addEdge(START, 'work')
      .addConditionalEdges('work', ({ messages }) => (messages.length < 300 ? 'work' : END), ['work', END])
      .compile({ checkpointer });
    await graph.invoke({ messages: [] }, at());
    // Twice the content: as the node gave it, and with the id.
    expect((await sessions.checkpoints.usage('thread'))[0]!.bytes).toBeLessThan(300 * 6000);
  });

  it('changed in place is kept as it was at each step', async () => {
    const shared = { id: 'shared', seen: [0], deep: { at: { last: 0 } } };
    const graph = growing(30, (step) => {
      shared.seen.push(step);
      shared.deep.at.last = step;
      return step === 0 ? shared : { id: `${step}` };
    });
    await graph.invoke({ items: [], step: 0 }, at());
    const states = (await history(growing(30, () => null))) as { items: (typeof shared)[] }[];
    const found = states.flatMap(({ items }) => (items.length > 0 ? [items[0]!.deep.at.last] : []));
    // Each checkpoint is written after the step that follows the one that added the object has not yet begun.
    expect(found).toEqual(Array.from({ length: 30 }, (_, index) => 29 - index));
  });

  it.each<[string, unknown]>([
    [
      'looks like a serialised class',
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', 'AIMessage'],
        kwargs: { content: 'x' },
      },
    ],
    ['looks like a serialised undefined', { keep: { lc: 2, type: 'undefined' } }],
    ['looks like a serialised set', [{ lc: 2, type: 'constructor', id: ['Set'], method: null, args: [[1]] }]],
    ['is nested', { a: [{ b: [null, true, 1.5, '', 'ä😀\u2028'] }] }],
    ['has holes', Object.assign([1, 2], { 3: 4 })],
    ['is a set', new Set([1, 'a'])],
    ['is a map', new Map([['k', { v: 1 }]])],
    ['is undefined within', { a: undefined, b: 1 }],
    ['is bytes', new Uint8Array([1, 2, 255])],
    ['is a long text', 'ä'.repeat(10_000)],
    ['is null', null],
  ])('that %s comes back as what it was', async (_, value) => {
    await growing(2, () => value).invoke({ items: [], step: 0 }, at());
    checkpointer = fresh();
    const { values } = await growing(2, () => value).getState(at());
    const expected = [value, value];
    expect(JSON.stringify(values['items'])).toBe(JSON.stringify(expected));
    expect(values['items']).toEqual(expected);
  });
});

describe('order', () => {
  const order = () => Annotation<string[]>({ reducer: (held, more) => held.concat(more), default: () => [] });
  const Fanned = Annotation.Root({ order: order() });
  const Inner = Annotation.Root({ order: order(), worker: Annotation<number>() });

  it('of parallel sends is that of the run, on reload, after a crash between them, and in each namespace', async () => {
    let failing = true;
    const ended: number[] = [];
    const inner = new StateGraph(Inner)
      .addNode('inside', async ({ worker = 0 }) => {
        // Later workers end first.
        for (let turn = worker; turn < 20; turn += 1) await loopTurn();
        ended.push(worker);
        if (failing && worker === 7) throw new Error('crash');
        return { order: [`${worker}a`, `${worker}b`] };
      })
      .addEdge(START, 'inside')
      .compile();
    const build = () =>
      new StateGraph(Fanned)
        .addNode('each', inner)
        .addNode('end', async () => ({ order: ['end'] }))
        .addConditionalEdges(
          START,
          () => Array.from({ length: 20 }, (_, worker) => new Send('each', { worker, order: [] })),
          ['each'],
        )
        .addEdge('each', 'end')
        .compile({ checkpointer });
    await expect(build().invoke({ order: ['start'] }, at())).rejects.toThrow('crash');
    expect(ended.slice(0, 13)).toEqual(Array.from({ length: 13 }, (_, nth) => 19 - nth));
    failing = false;
    checkpointer = fresh();
    await build().invoke(null, at());
    checkpointer = fresh();
    const { values } = await build().getState(at());
    const expected = Array.from({ length: 20 }, (_, worker) => [`${worker}a`, `${worker}b`]).flat();
    expect(values['order']).toEqual(['start', ...expected, 'end']);
    // world.md: Session graph 12.
    const namespaces = new Set(
      (await sessions.checkpoints.heads({ thread: 'thread' })).map(({ namespace }) => namespace),
    );
    expect(namespaces.size).toBe(21);
  });
});

describe.each(['sync', 'async', 'exit'] as const)('durability %s', (durability) => {
  const build = (saver: ThreadCheckpointer | MemorySaver) =>
    new StateGraph(Listed)
      .addNode('ask', async ({ step }) => ({
        items: [interrupt({ question: `at ${step}` })],
        step: step + 1,
      }))
      .addNode('more', async ({ step }) => ({ items: [`step ${step}`], step: step + 1 }))
      .addEdge(START, 'more')
      .addEdge('more', 'ask')
      .addConditionalEdges('ask', ({ step }) => (step < 6 ? 'more' : END), ['more', END])
      .compile({ checkpointer: saver });

  it('interrupts, resumes in a new process, travels back, forks and updates as with the saver in memory', async () => {
    const told = async (saver: () => ThreadCheckpointer | MemorySaver): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const config = { ...at(), durability };
      seen.push(await build(saver()).invoke({ items: [], step: 0 }, config));
      seen.push(
        (await build(saver()).getState(at())).tasks.map(({ interrupts }) =>
          interrupts.map(({ value }) => value),
        ),
      );
      for (const answer of ['a', 'b', 'c'])
        seen.push(await build(saver()).invoke(new Command({ resume: answer }), config));
      const back = [];
      for await (const state of build(saver()).getStateHistory(at())) back.push(state);
      seen.push(back.map(({ values, next, metadata }) => [values, next, metadata?.step, metadata?.source]));
      // A fork from an old checkpoint, and one with another value.
      const old = back.at(-1)!;
      seen.push(await build(saver()).invoke(null, { ...old.config, durability }));
      const edited = await build(saver()).updateState(back[1]!.config, { items: ['edited'] }, 'more');
      seen.push(await build(saver()).invoke(null, { ...edited, durability }));
      seen.push((await build(saver()).getState(at())).values);
      const copied = await build(saver()).updateState(back[0]!.config, null, '__copy__');
      seen.push((await build(saver()).getState(copied)).values);
      const cleared = await build(saver()).updateState(at(), null, END);
      seen.push((await build(saver()).getState(cleared)).next);
      return JSON.parse(JSON.stringify(seen).replaceAll(/"id":"[^"]*"/g, '"id":"x"'));
    };
    const memory = new MemorySaver();
    expect(await told(() => fresh())).toEqual(await told(() => memory));
  });
});

describe('a thread', () => {
  it('is deleted alone', async () => {
    await growing(3, (step) => ({ step })).invoke({ items: [], step: 0 }, at());
    await checkpointer.deleteThread('thread');
    expect(await sessions.checkpoints.usage()).toEqual([]);
    expect((await growing(3, () => 0).getState(at())).values).toEqual({});
    await growing(3, (step) => ({ step })).invoke({ items: [], step: 0 }, at());
    expect((await growing(3, () => 0).getState(at())).values['items']).toEqual([
      { step: 0 },
      { step: 1 },
      { step: 2 },
    ]);
  });

  it('cannot be advanced by a worker whose lease is another one’s', async () => {
    const graph = growing(50, async (step) => {
      if (step === 10) {
        await lease.release();
        sessions.threads.acquire('thread');
      }
      return { step };
    });
    const failure = await graph.invoke({ items: [], step: 0 }, at()).catch((error: unknown) => error);
    expect(isSondeError(failure, 'lease_lost')).toBe(true);
    const { values } = await growing(50, () => 0).getState(at());
    expect(values['step']).toBeLessThanOrEqual(10);
  });
});
