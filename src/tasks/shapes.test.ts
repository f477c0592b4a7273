import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { manualClock } from '../core/index.ts';
import { type Script, scriptedModel } from '../model/index.ts';
import { runTurn, type TurnInput } from '../session/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../store/index.ts';
import { scriptedTools } from '../tools/scripted.ts';
import { incidentRun } from './incident/run.ts';
import { dispatcherOf, openTasks } from './shapes.ts';
import { subgraph } from './subagent/subgraph.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
});
afterEach(() => db.close());

const State = Annotation.Root({ topic: Annotation<string>(), found: Annotation<string>() });
let ran = 0;
const asker = subgraph({
  name: 'asker',
  description: 'Asks the person about a topic.',
  input: z.strictObject({ topic: z.string() }),
  output: z.object({ found: z.string() }),
  graph: () =>
    new StateGraph(State)
      .addNode('think', async () => {
        ran += 1;
        return {};
      })
      .addNode('ask', async ({ topic }) => ({ found: `${topic}: ${interrupt(`what of ${topic}?`)}` }))
      .addEdge(START, 'think')
      .addEdge('think', 'ask')
      .addEdge('ask', END)
      .compile(),
});

const call = (name: string, args: object) => ({ name, args: JSON.stringify(args) });

function turn(script: Script) {
  const planner = scriptedModel(script);
  const tools = scriptedTools();
  const analyst = scriptedModel([]);
  const capabilities = new Set(['PagesRead'] as const);
  const ports = {
    sessions: openSessionsIn(db),
    store: openStoreIn(db),
    planner,
    analyst,
    tools,
    dispatcher: dispatcherOf(openTasks({ subgraphs: [asker] }), { planner, analyst, tools, capabilities }),
    limits: { tokens: 1_000_000 },
    clock: manualClock(1),
    random: () => 0.5,
    sleep: async () => {},
  };
  return { planner, turn: (input: TurnInput) => runTurn('thread', input, ports) };
}

// world.md: Task registry 10 and 11.
it('a planner hands on work, whose question reaches the person and whose answer comes back', async () => {
  ran = 0;
  const params = { subgraph: 'asker', input: { topic: 'tides' } };
  const first = turn([{ text: '', calls: [call('task', { shape: 'subagent-subgraph', params })] }]);
  const asked = await first.turn({ kind: 'message', id: 'm', text: 'go' });
  expect(asked).toMatchObject({ status: 'interrupted', questions: [{ value: 'what of tides?' }] });
  const shown = first.planner.calls[0]!.messages.map(({ text }) => text).join();
  expect(shown).toContain('- subagent-subgraph: Asks the person about a topic. params: {input: {topic}}');
  // The history says what is in flight, and where.
  const { checkpoints, threads } = openSessionsIn(db);
  const namespaces = new Set(
    (await checkpoints.heads({ thread: 'thread' })).map(({ namespace }) => namespace),
  );
  const value = (await checkpoints.latest('thread', ''))!.channels.get('inFlight');
  const held = value?.kind === 'one' ? (JSON.parse(String(value.piece.data)) as Record<string, string>) : {};
  expect(Object.values(held).every((at) => namespaces.has(at))).toBe(true);
  expect(Object.values(held)).toHaveLength(1);
  expect(await threads.isHeld('thread')).toBe(false);

  const second = turn([{ text: 'high at noon', calls: [] }]);
  expect(await second.turn({ kind: 'answer', value: 'they rise' })).toMatchObject({
    status: 'answered',
    text: 'high at noon',
  });
  expect(second.planner.calls[0]!.messages.map(({ text }) => text).join()).toContain('tides: they rise');
  expect(ran).toBe(1);
  const after = (await checkpoints.latest('thread', ''))!.channels.get('inFlight');
  expect(after?.kind === 'one' && after.piece.data).toBe('{}');
  // It is no run of its own: it worked within the turn's, under checkpoints of its own.
  expect(new Set((await openStoreIn(db).runs.list(100)).map(({ shape }) => shape))).toEqual(
    new Set(['turn']),
  );
});

// world.md: Task registry 2.
it('a shape that is not there, or whose parameters do not fit, is read by the planner as an error', async () => {
  const script = [
    {
      text: '',
      calls: [call('task', { shape: 'fly', params: {} }), call('task', { shape: 'compaction', params: {} })],
    },
    { text: 'sorry', calls: [] },
  ];
  const { planner, turn: run } = turn(script);
  expect(await run({ kind: 'message', id: 'm', text: 'go' })).toMatchObject({
    status: 'answered',
    text: 'sorry',
  });
  const page = planner.calls[1]!.messages.map(({ text }) => text).join();
  expect(page).toContain('There is no shape fly');
  expect(page).toContain("Parameters of compaction don't fit");
});

it('a kind of run is a shape of work where a conversation offers it', async () => {
  const of = (more: object): readonly string[] =>
    openTasks({ subgraphs: [asker], ...more }).shapes.map(({ key }) => key);
  expect(of({})).not.toContain('incident');
  const incident = await incidentRun.task({ signals: [], root: '/systems' }, { store: openStoreIn(db) });
  expect(of({ runs: [incident] })).toEqual(['subagent-subgraph', 'compaction', 'incident']);
});
