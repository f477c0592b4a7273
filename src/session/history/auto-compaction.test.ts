import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { type Model, type Script, scriptedModel } from '../../model/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { readThread } from '../turn/thread-state.ts';
import { runTurn, type TurnPorts } from '../turn/turn.ts';
import { compactHistory } from './compact-history.ts';
import type { Message } from './messages.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
});
afterEach(() => db.close());

const words = (name: string): string => `${name}: ${'the tide comes in and goes out. '.repeat(800)}`;
/** Three turns of these words come near it. */
const contextWindow = 22_000;

interface Told {
  readonly kind: string;
  readonly name: string;
  readonly note?: string;
  readonly ok?: boolean;
}

function talk(more: Partial<TurnPorts> = {}, analysts: Script = [{ summary: 'Of tides.', insights: [] }]) {
  const shown: string[] = [];
  const model = scriptedModel(({ messages }) => {
    shown.push(messages.map(({ text }) => text).join('\n'));
    return { text: 'yes', calls: [] };
  });
  const planner: Model = { ...model, contextWindow };
  const analyst = scriptedModel(analysts);
  const told: Told[] = [];
  const sessions = openSessionsIn(db);
  const store = openStoreIn(db);
  const ports: TurnPorts = {
    sessions,
    store,
    planner,
    analyst,
    tools: scriptedTools(),
    limits: { tokens: 10_000_000 },
    clock: manualClock(1),
    random: () => 0.5,
    sleep: async () => {},
    onTool: (event) => told.push(event),
    ...more,
  };
  const turn = (name: string) => runTurn('talk', { kind: 'message', id: name, text: words(name) }, ports);
  return {
    shown,
    told,
    analyst,
    turn,
    events: async () =>
      (await Promise.all((await store.runs.list(10)).map(({ id }) => store.events(id)))).flatMap((log) =>
        log.map(({ event }) => event),
      ),
    kinds: async () => (await readThread('talk', sessions.checkpoints)).messages.map(({ kind }) => kind),
  };
}

describe('a conversation that comes near the context window of its planner', () => {
  it('is left as it is where nobody wants otherwise', async () => {
    const { turn, shown, analyst } = talk();
    for (const name of ['one', 'two', 'three']) await turn(name);
    expect(shown.at(-1)).toContain('one: the tide');
    expect(analyst.calls).toHaveLength(0);
  });

  it('is compacted before the planner is asked, and told to whoever watches, the log and the planner', async () => {
    const { turn, shown, told, events, kinds } = talk({ autoCompact: 0.9 });
    for (const name of ['one', 'two']) await turn(name);
    expect(told).toEqual([]);
    expect(await turn('three')).toMatchObject({ status: 'answered', text: 'yes' });
    expect(await kinds()).toEqual(['compact', 'user', 'assistant', 'tool', 'assistant']);
    expect(shown).toHaveLength(3);
    // The person's words stay, as far as there is room.
    expect(shown.at(-1)!.split(words('one'))).toHaveLength(1);
    expect(shown.at(-1)).toMatch(/1\. one: the tide [^(]+\n\(\d+ characters are left out here\.\)/);
    expect(shown.at(-1)).toContain('Of tides.');
    expect(shown.at(-1)).toContain('In place of 4 messages.');
    expect(shown.at(-1)).toContain('three: the tide');
    expect(told).toEqual([
      expect.objectContaining({
        kind: 'started',
        name: 'compact_history',
        note: expect.stringMatching(/^by itself, at [\d,]+ of 22,000 tokens$/),
      }),
      expect.objectContaining({ kind: 'finished', ok: true, note: '4 messages were compacted.' }),
    ]);
    expect(await events()).toContainEqual(
      expect.objectContaining({
        kind: 'action_started',
        action: 'compact_history',
        input: { keep_turns: 1, automatic: expect.stringContaining('of 22,000 tokens') },
      }),
    );
    expect(await events()).toContainEqual(
      expect.objectContaining({ kind: 'action_finished', action: 'compact_history', outcome: 'ok' }),
    );
  });

  it('is asked for once in a turn, and goes on where there is no summary', async () => {
    const { turn, shown, told, analyst } = talk({ autoCompact: 0.9 }, ['no json', 'none']);
    for (const name of ['one', 'two', 'three'])
      expect(await turn(name)).toMatchObject({ status: 'answered' });
    expect(told.map(({ kind, ok }) => [kind, ok])).toEqual([
      ['started', undefined],
      ['finished', false],
    ]);
    expect(analyst.calls).toHaveLength(2);
    expect(shown.at(-1)).toContain('one: the tide');
  });

  it('is left as it is where there is nothing old to take out, or no model', async () => {
    const first = talk({ autoCompact: 0.1 });
    await first.turn('one');
    expect(first.told).toEqual([]);
    const plan = () => ({ text: 'no model', calls: [] });
    const second = talk({ autoCompact: 0.1, plan });
    await second.turn('two');
    expect(second.told).toEqual([]);
  });

  it('starts no second turn for a message that was compacted', async () => {
    const { turn, shown } = talk({ autoCompact: 0.9 });
    for (const name of ['one', 'two', 'three']) await turn(name);
    expect(await turn('one')).toMatchObject({ status: 'answered' });
    expect(shown).toHaveLength(3);
  });
});

it('a history that no model takes at once is gone through piece by piece, and none of it is left out', async () => {
  const messages = Array.from({ length: 40 }, (_, n): Message => {
    const kind = n % 2 === 0 ? 'user' : 'assistant';
    const text = `<${n}> ${'water '.repeat(2000)}`;
    return kind === 'user' ? { id: `${n}`, kind, text } : { id: `${n}`, kind, text, calls: [] };
  });
  const asked: string[] = [];
  const keys: string[] = [];
  const compacted = await compactHistory(messages, {
    call: 'c',
    thread: 't',
    namespace: '',
    keepTurns: 1,
    window: 200_000,
    pool: null as never,
    async ask(_signature, input, { key }) {
      asked.push((input as { trace: string }).trace);
      keys.push(key);
      const insight = { tier: 'workspace', key: `k${asked.length}`, text: 'wet' };
      return { kind: 'value', value: { summary: `so far ${asked.length}`, insights: [insight] } as never };
    },
  });
  expect(asked.length).toBeGreaterThan(3);
  expect(new Set(keys).size).toBe(asked.length);
  for (const trace of asked) expect(trace.length).toBeLessThan(130_000);
  for (let n = 0; n < 38; n += 1) expect(asked.filter((trace) => trace.includes(`<${n}> `))).toHaveLength(1);
  expect(asked[1]).toContain('so far 1');
  expect(compacted.rewind).toMatchObject({
    through: '37',
    form: { form: { summary: `so far ${asked.length}`, dropped: { messages: 38 } } },
  });
});
