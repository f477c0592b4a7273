import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEvidence as evidenceOf, manualClock, type RunEvent, toolReply } from '../../core/index.ts';
import { type Script, scriptedModel } from '../../model/index.ts';
import { runTurn, type TurnPorts } from '../../session/index.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  openStoreIn,
  type Sessions,
  type Store,
} from '../../store/index.ts';
import { createTurnChecker } from './turn.ts';

let db: Database;
let sessions: Sessions;
let store: Store;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  sessions = openSessionsIn(db);
  store = openStoreIn(db);
});
afterEach(async () => {
  sessions.close();
  await store.close();
  db.close();
});

const content = '# Harbour\nThe crane lifts 20 tons.';
const harbour = evidenceOf({
  ...{ file_path: 'Notes/Harbour.md', start_line: 1, end_line: 2, content },
  ...{ reason: 'read', provenance: 'manual' },
});
const listed = (['read_page', 'create_page'] as const).map((name) => ({
  ...{
    name,
    description: name,
    parameters: { type: 'object' },
    capability: null,
    derivation: 'none' as const,
  },
  ...{ cost: 'none' as const, effect: name === 'read_page' ? ('read' as const) : ('write' as const) },
}));
const say = (text: string, calls: readonly object[] = []) => ({ text, calls });
const reads = say('', [{ name: 'read_page', args: '{}' }]);

async function turned(script: Script, analyst: Script = [], more: Partial<TurnPorts> = {}) {
  const planner = scriptedModel(script);
  const reader = scriptedModel(analyst);
  const pieces: string[] = [];
  const result = await runTurn(
    'thread',
    { kind: 'message', id: 'm', text: 'What does the crane lift?' },
    {
      ...{
        sessions,
        store,
        planner,
        analyst: reader,
        limits: { tokens: 100_000 },
        clock: manualClock(1_000),
      },
      random: () => 0.5,
      sleep: async () => {},
      tools: {
        list: async () => listed,
        call: async () => ({ ...toolReply(content, null), evidence: [harbour], completeness: 'complete' }),
      },
      check: createTurnChecker(store),
      reader: true,
      onText: (piece) => pieces.push(piece),
      ...more,
    },
  );
  const events = (await store.events(result.run)).map(({ event }) => event);
  const end = events.find(
    (event): event is Extract<RunEvent, { kind: 'run_finished' }> => event.kind === 'run_finished',
  );
  return { result, planner, reader, end: end?.result, pieces };
}
const seen = ({ calls }: ReturnType<typeof scriptedModel>, nth: number) =>
  calls[nth]!.messages.map(({ text }) => text).join('\n');

it('what the turn read carries it, and nothing is said of the check', async () => {
  const { result, end, planner, reader } = await turned([reads, say('The crane lifts 20 tons.')]);
  expect(result).toMatchObject({
    ...{ status: 'answered', text: 'The crane lifts 20 tons.' },
    claims: [{ verdict: 'shown', evidence: [harbour.id] }],
  });
  expect(end).toMatchObject({ status: 'verified', unsupported: [], claims: [{ verdict: 'shown' }] });
  expect([planner.calls.length, reader.calls.length]).toEqual([2, 0]);
});

it('what it does not carry goes back once, with the answer and the reason; what remains is marked', async () => {
  const { result, planner, end } = await turned([
    reads,
    say('The crane lifts 35 tons. It is 90 years old.'),
    say('The crane lifts 20 tons. It is 90 years old.'),
  ]);
  expect(result.text).toBe('The crane lifts 20 tons. It is 90 years old. [unsupported]');
  expect(planner.calls).toHaveLength(3);
  const page = seen(planner, 2);
  expect(page).toContain('not shown: The crane lifts 35 tons.');
  expect(page).toContain('The crane lifts 35 tons. It is 90 years old.');
  expect(end).toMatchObject({ status: 'partial', unsupported: ['It is 90 years old.'] });
});

it('who looks up more before he answers again does not go back twice', async () => {
  const { result, planner } = await turned([
    say('I wrote the page `X/Y`.'),
    reads,
    say('I wrote the page `X/Y`.'),
  ]);
  expect(planner.calls).toHaveLength(3);
  expect(result.text).toContain('[unsupported]');
});

it.each<[string, readonly unknown[], Partial<TurnPorts>]>([
  ['the model fails', [{ failure: 'overloaded' }], { retry: { attempts: 1 } as never }],
  ['it says nothing', [say('')], {}],
])('where no other answer comes, since %s, the first stands, marked', async (_, later, more) => {
  const { result } = await turned([reads, say('The crane lifts 35 tons.'), ...later] as never, [], more);
  expect(result).toMatchObject({ status: 'answered', text: 'The crane lifts 35 tons. [unsupported]' });
});

it('a reader carries what code leaves open, from a tenth that is set apart', async () => {
  const verdicts = { verdicts: [{ id: 'c1', verdict: 'supported', why: 'line 2' }] };
  const { end, reader, planner } = await turned(
    [reads, say('It can hoist quite heavy loads, that crane by the water.')],
    [verdicts] as never,
  );
  expect(reader.calls).toHaveLength(1);
  const page = seen(reader, 0);
  expect(page).toContain('The crane lifts 20 tons.');
  expect(page).not.toContain('What does the crane lift?');
  expect(end).toMatchObject({
    status: 'verified',
    claims: [{ verdict: 'supported', why: 'A reader: line 2' }],
  });
  expect(seen(planner, 0)).toMatch(/90,?000/);
});

it('a reader that fails is told, and fails no turn', async () => {
  const { result, end } = await turned(
    [reads, say('It can hoist quite heavy loads, that crane by the water.')],
    'I think it is fine.',
  );
  expect(result.status).toBe('answered');
  expect(end).toMatchObject({ status: 'unverified', claims: [{ verdict: 'unclear' }] });
});

it('a greeting claims nothing, and goes as it came', async () => {
  const { result, end, planner } = await turned([say('Hello! How can I help?')]);
  expect(result.text).toBe('Hello! How can I help?');
  expect(planner.calls).toHaveLength(1);
  expect(end?.claims).toEqual([]);
});
