/** world.md: Roles 2 to 5: what a role does in a turn, and that nothing of it is left. */
import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { scriptedModel } from '../../model/index.ts';
import { openDatabase, openSessionsIn, openStoreIn, type RolePlace } from '../../store/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { runTurn } from './turn.ts';

it('is resolved once for a turn, shown beside the conversation, and gone after it', async () => {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  const sessions = openSessionsIn(db);
  const look = { text: '', calls: [{ name: 'look', args: '{}' }] };
  const planner = scriptedModel([look, look, { text: 'arr', calls: [] }, { text: 'yes', calls: [] }]);
  const asked: string[] = [];
  const workspace = {
    get(place: RolePlace) {
      asked.push(place.level);
      return sessions.roles.get(place);
    },
  };
  const ports = {
    sessions,
    store: openStoreIn(db),
    planner,
    analyst: scriptedModel([]),
    tools: scriptedTools({
      look: () => ({
        ok: true,
        text: 'seen',
        data: null,
        write: null,
        deviation_ids: [],
        reads: [],
        origins: [],
        evidence: [],
        completeness: 'complete',
        notes: [],
      }),
    }),
    roles: { workspace, account: { get: async () => undefined } },
    limits: { tokens: 1_000_000 },
    clock: manualClock(1),
    random: () => 0.5,
    sleep: async () => {},
  };
  const turn = (text: string) => runTurn('talk', { kind: 'message', id: text, text }, ports);
  const place = { level: 'workspace', within: '' } as const;
  await sessions.roles.set(place, { content: 'Speak like a pirate.', appliesTo: null });
  expect(await turn('go')).toMatchObject({ status: 'answered' });
  // Three decisions, one question for each level.
  expect(planner.calls).toHaveLength(3);
  expect(asked.toSorted()).toEqual(['thread', 'workspace']);

  await sessions.roles.set(place, null);
  expect(await turn('again')).toMatchObject({ status: 'answered' });
  const [first, , , last] = planner.calls.map(({ messages }) => messages);
  // In the input of the step, and in no word of the system's.
  const words = (messages: typeof first, role: string) =>
    messages!.filter((each) => each.role === role).map(({ text }) => text);
  expect(words(first, 'user').join()).toContain('Speak like a pirate.');
  expect(words(first, 'system')).toEqual(words(last, 'system'));
  expect(words(last, 'user').join()).not.toContain('pirate');
  for (const table of ['checkpoints', 'writes', 'pieces', 'lists'])
    expect(JSON.stringify(db.all(`SELECT * FROM langgraph_${table}`))).not.toContain('pirate');
  db.close();
});
