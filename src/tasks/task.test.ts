import { Annotation, Command, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Capability, isSondeError, SondeError } from '../core/index.ts';
import { ThreadCheckpointer } from '../session/index.ts';
import { type Database, openDatabase, openSessionsIn, type Sessions } from '../store/index.ts';
import { shape, type TaskContext, type TaskRequest, type TaskShape } from './shape.ts';
import { subThreadOf } from './sub-thread.ts';
import { subagentShape } from './subagent/shape.ts';
import { subgraph } from './subagent/subgraph.ts';
import { poolOf, requestOf, scriptedClients } from './task.contract.ts';
import { createShapeRegistry } from './task.ts';

const clients = scriptedClients();
const request = (more: Partial<TaskRequest> = {}) => requestOf(clients, more);

const seen: TaskContext[] = [];
/** A shape in its own words: this, and the line that registers it, is all there is to a new one. */
const shout = shape<{ text: string; times?: number | undefined }, { shouted: string }>({
  key: 'shout',
  description: 'Says it louder.',
  paramSchema: z.strictObject({ text: z.string(), times: z.number().optional() }),
  outputSchema: z.strictObject({ shouted: z.string() }),
  recovery: 'restart',
  async handler({ text }, context) {
    seen.push(context);
    if (text === 'throw') throw new SondeError('timeout', { message: 'too slow' });
    if (text === 'lost') throw new SondeError('lease_lost', { message: 'gone' });
    if (text === 'wrong') return { shouted: 7 } as never;
    return { shouted: text.toUpperCase() };
  },
});

function registered(...shapes: TaskShape[]) {
  const registry = createShapeRegistry();
  for (const shape of shapes) registry.register(shape);
  return registry.close();
}

const code = (work: () => unknown) => {
  try {
    work();
    return null;
  } catch (error) {
    return isSondeError(error) ? error.code : String(error);
  }
};

beforeEach(() => {
  seen.length = 0;
});

describe('the registry', () => {
  // world.md: Task registry 4 and 5.
  it('refuses what is there already, what has no name or no schema, and everything once it is closed', () => {
    // @ts-expect-error: what it gives is not said
    const untyped: TaskShape = { ...shout, outputSchema: undefined };
    expect(code(() => createShapeRegistry().register(untyped))).toBe('bad_argument');
    const registry = createShapeRegistry();
    registry.register(shout);
    expect(code(() => registry.register(shout))).toBe('bad_argument');
    expect(code(() => registry.register({ ...shout, key: 'Shout it' }))).toBe('bad_argument');
    const { shapes } = registry.close();
    expect(code(() => registry.register({ ...shout, key: 'other' }))).toBe('run_state');
    expect(shapes).toEqual([
      { key: 'shout', description: 'Says it louder.', params: expect.objectContaining({ type: 'object' }) },
    ]);
    expect(Object.isFrozen(shapes)).toBe(true);
  });
});

describe('task()', () => {
  // world.md: Task registry 2 and 3.
  it.each<[string, string | undefined, unknown, string, number]>([
    ['an unknown shape', 'nothing', {}, 'unknown_shape', 0],
    ['no shape where there is no default', undefined, {}, 'unknown_shape', 0],
    ['parameters of the wrong type', 'shout', { text: 1 }, 'bad_params', 0],
    ['a parameter that there is not', 'shout', { text: 'a', colour: 'red' }, 'bad_params', 0],
    ['an output that does not fit', 'shout', { text: 'wrong' }, 'bad_output', 1],
    ['a handler that throws', 'shout', { text: 'throw' }, 'failed', 1],
  ])('answers %s with a typed error', async (_, shape, params, expected, worked) => {
    const outcome = await registered(shout).task(shape, params, request());
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: expected } });
    expect(seen).toHaveLength(worked);
  });

  it('gives the checked output, under a sub-thread of the call’s own', async () => {
    const tasks = registered(shout);
    const outcome = await tasks.task('shout', { text: 'a' }, request());
    expect(outcome).toEqual({
      kind: 'done',
      shape: 'shout',
      subThread: subThreadOf(request(), 'shout'),
      output: { shouted: 'A' },
    });
    await expect(tasks.task('shout', { text: 'lost' }, request())).rejects.toThrow('gone');
    const stopped = await tasks.task('shout', { text: 'a' }, request({ signal: AbortSignal.abort() }));
    expect(stopped).toMatchObject({ error: { code: 'cancelled' } });
  });

  // world.md: Task registry 9 and 16.
  it('names sub-threads by where they are called, and never two alike', () => {
    const site = { thread: 't', namespace: '', call: 'c' };
    expect(subThreadOf(site, 's')).toBe(subThreadOf({ ...site }, 's'));
    const others = [
      subThreadOf(site, 's'),
      subThreadOf(site, 's', 1),
      subThreadOf(site, 'u'),
      subThreadOf({ ...site, call: 'd' }, 's'),
      subThreadOf({ ...site, thread: 'u' }, 's'),
      subThreadOf({ ...site, namespace: 'task:1' }, 's'),
    ];
    expect(new Set(others).size).toBe(others.length);
    expect(others.at(-1)).toMatch(/^task:1\|task:[0-9a-f]{32}$/);
  });

  // world.md: Task registry 12.
  it('shares the clients, and gives budget and capabilities from the caller’s, never more', async () => {
    const nest = shape<Record<string, never>, { inner: string }>({
      key: 'nest',
      description: 'Calls another.',
      paramSchema: z.strictObject({}),
      outputSchema: z.strictObject({ inner: z.string() }),
      recovery: 'reattach',
      async handler(_, context) {
        seen.push(context);
        const inner = await context.task(
          'shout',
          { text: 'in' },
          { call: 'x', only: ['PagesRead', 'PagesWrite'] },
        );
        const first = context.pool.reserve('a', { tokens: 60 });
        const second = seen[1]!.pool.reserve('b', { tokens: 60 });
        expect([first.kind, second.kind]).toEqual(['reserved', 'exhausted']);
        return { inner: inner.kind };
      },
    });
    const pool = poolOf(100);
    const capabilities = new Set<Capability>(['PagesRead', 'SearchUse']);
    const outcome = await registered(nest, shout).task(
      'nest',
      {},
      request({ pool, capabilities, role: 'pirate' }),
    );
    expect(outcome).toMatchObject({ kind: 'done', output: { inner: 'done' } });
    const [outer, inner] = seen;
    expect(inner!.clients).toBe(clients);
    expect([...outer!.capabilities]).toEqual(['PagesRead', 'SearchUse']);
    expect([...inner!.capabilities]).toEqual(['PagesRead']);
    expect([outer!.role, inner!.role]).toEqual(['pirate', null]);
    expect(inner!.subThread.startsWith(`${outer!.subThread}|task:`)).toBe(true);
    expect(pool.remaining().tokens).toBe(40);
  });
});

describe('a subagent', () => {
  let db: Database;
  let sessions: Sessions;
  let ran: string[];
  let crash: boolean;
  beforeEach(async () => {
    db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
    sessions = openSessionsIn(db);
    await sessions.threads.create({ id: 'thread' });
    ran = [];
    crash = true;
  });
  afterEach(() => {
    sessions.close();
    db.close();
  });

  const Inner = Annotation.Root({
    topic: Annotation<string>(),
    notes: Annotation<string[]>({ reducer: (held, more) => held.concat(more), default: () => [] }),
    working: Annotation<string>(),
  });
  const scribe = subgraph<{ topic: string }, { notes: string[] }>({
    name: 'scribe',
    description: 'Takes notes.',
    input: z.strictObject({ topic: z.string() }),
    output: z.object({ notes: z.array(z.string()) }),
    graph: ({ role }) =>
      new StateGraph(Inner)
        .addNode('first', async ({ topic }) => {
          ran.push(`first ${role}`);
          return { notes: [`about ${topic}`], working: 'secret of the subgraph' };
        })
        .addNode('second', async () => {
          ran.push('second');
          if (crash) throw new SondeError('timeout', { message: 'crashed' });
          const answer = interrupt('which one?');
          return { notes: [`answer ${answer}`] };
        })
        .addEdge(START, 'first')
        .addEdge('first', 'second')
        .addEdge('second', END)
        .compile(),
  });

  const Outer = Annotation.Root({
    messages: Annotation<string[]>({ reducer: (held, more) => held.concat(more), default: () => [] }),
    /** Sub-threads that are at work, by the call. */
    inFlight: Annotation<Record<string, string>>(),
  });

  async function conversation() {
    const lease = await sessions.threads.acquire('thread');
    const checkpointer = new ThreadCheckpointer({ checkpoints: sessions.checkpoints, leaseOf: () => lease });
    const tasks = registered(subagentShape([scribe]));
    const site = { thread: 'thread', namespace: '', call: 'call-1' };
    const graph = new StateGraph(Outer)
      .addNode('planner', async () => ({ inFlight: { 'call-1': subThreadOf(site, 'subagent-subgraph') } }))
      .addNode('task', async (_, config) => {
        const outcome = await tasks.task(
          undefined,
          { subgraph: 'scribe', input: { topic: 'tides' } },
          request({ ...site, role: 'pirate', config }),
        );
        if (outcome.kind === 'failed') throw new Error(outcome.error.message);
        return { messages: [JSON.stringify(outcome.output)], inFlight: {} };
      })
      .addEdge(START, 'planner')
      .addConditionalEdges('planner', () => [new Send('task', {})], ['task'])
      .addEdge('task', END)
      .compile({ checkpointer });
    return { graph, checkpointer, end: () => lease.release() };
  }
  const config = { configurable: { thread_id: 'thread' }, durability: 'sync' as const };

  // world.md: Task registry 6, 10 and 11; Roles 3; Session graph 12.
  it('is attached to again after a crash and after an interrupt, and its work stays out of its caller', async () => {
    const first = await conversation();
    await expect(first.graph.invoke({ messages: ['go'] }, config)).rejects.toThrow('crashed');
    const subThread = subThreadOf({ thread: 'thread', namespace: '', call: 'call-1' }, 'subagent-subgraph');
    expect((await first.graph.getState(config)).values['inFlight']).toEqual({ 'call-1': subThread });
    const inner = await first.checkpointer.getTuple({
      configurable: { thread_id: 'thread', checkpoint_ns: subThread },
    });
    expect(inner!.checkpoint.channel_values['notes']).toEqual(['about tides']);
    await first.end();

    crash = false;
    const second = await conversation();
    await second.graph.invoke(null, config);
    expect(ran).toEqual(['first pirate', 'second', 'second']);
    const waiting = await second.graph.getState(config);
    expect(waiting.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value))).toEqual([
      'which one?',
    ]);
    await second.end();

    const third = await conversation();
    const end = await third.graph.invoke(new Command({ resume: 'spring' }), config);
    expect(ran).toEqual(['first pirate', 'second', 'second', 'second']);
    expect(end).toEqual({
      messages: ['go', '{"subgraph":"scribe","state":{"notes":["about tides","answer spring"]}}'],
      inFlight: {},
    });
    for (const { namespace, id, thread } of await sessions.checkpoints.heads({ thread: 'thread' })) {
      const tuple = await third.checkpointer.getTuple({
        configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id },
      });
      const text = JSON.stringify(tuple);
      expect(text).not.toContain('pirate');
      if (namespace === '') expect(text).not.toContain('secret of the subgraph');
    }
  });

  it('is refused with its input before it runs', async () => {
    const tasks = registered(subagentShape([scribe]));
    for (const params of [
      { subgraph: 'nobody', input: {} },
      { subgraph: 'scribe', input: { topic: 3 } },
      { input: {} },
    ])
      expect(await tasks.task(undefined, params, request())).toMatchObject({ error: { code: 'bad_params' } });
    expect(ran).toEqual([]);
    expect(code(() => subagentShape([scribe, scribe]))).toBe('bad_argument');
  });
});
