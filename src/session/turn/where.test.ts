/** What a turn is told of where it is, and that telling it leaves the cached beginning as it was. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock, toolReply } from '../../core/index.ts';
import { type Model, type ScriptLine, scriptedModel } from '../../model/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { runTurn, type TurnPorts } from './turn.ts';
import type { TurnInput } from './turn-start.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
});
afterEach(() => db.close());

const monday = Date.UTC(2026, 10, 23, 13, 5);
const minute = 60_000;
const read: ScriptLine = { text: '', calls: [{ name: 'read', args: '{}' }] };
const say = (text: string): ScriptLine => ({ text, calls: [] });

function talk(script: readonly ScriptLine[], more: Partial<TurnPorts> = {}, contextWindow = 200_000) {
  const prompts: string[][] = [];
  const lines = [...script];
  const clock = manualClock(monday);
  const model = scriptedModel(({ messages }) => {
    prompts.push(messages.map((message) => JSON.stringify(message)));
    return lines.shift()!;
  });
  const planner: Model = { ...model, contextWindow };
  const ports: TurnPorts = {
    sessions: openSessionsIn(db, { clock }),
    store: openStoreIn(db),
    planner,
    analyst: scriptedModel([]),
    tools: scriptedTools({ read: () => toolReply('a page', null) }),
    limits: { tokens: 1_000_000 },
    clock,
    random: () => 0.5,
    sleep: async () => {},
    place: { workspace: 'House\nnotes', zone: 'Europe/Berlin' },
    ...more,
  };
  const turn = (text: string, input: Partial<Extract<TurnInput, { kind: 'message' }>> = {}) =>
    runTurn('talk', { kind: 'message', id: text, text, ...input }, ports);
  return { clock, prompts, turn, ports };
}

describe('where a turn is', () => {
  // world.md: Scheduling 1.
  it('is told with the words that begin it: day, zone, workspace, conversation, the turn before', async () => {
    const { clock, prompts, turn } = talk([read, say('one'), say('two')]);
    await turn('first');
    expect(prompts[0]!.at(-1)).toContain(
      'It is Monday, 2026-11-23 14:05 (Europe/Berlin, GMT+01:00). Workspace: House notes. Conversation: talk.',
    );
    expect(prompts[0]!.at(-1)).not.toContain('Its last turn ended');
    clock.advance(24 * 60 * minute);
    await turn('second');
    expect(prompts[2]!.at(-1)).toContain('It is Tuesday, 2026-11-24 14:05');
    expect(prompts[2]!.at(-1)).toContain('Its last turn ended 2026-11-23 14:05.');
    // Once in a turn.
    expect(prompts[1]!.filter((text) => text.includes('It is Monday'))).toHaveLength(1);
  });

  it('names the schedule, when it was due and the time before, in its own zone, also after a cancel', async () => {
    const stop = new AbortController();
    const { turn, prompts, ports } = talk([read, say('done')], { signal: stop.signal });
    const startedBy = {
      schedule: 'morning',
      due: monday - 5 * minute,
      zone: 'UTC',
      last: monday - 1440 * minute,
    };
    // Nothing was asked yet when it was stopped.
    stop.abort();
    expect(await turn('digest', { startedBy })).toMatchObject({ status: 'cancelled' });
    const { signal: _, ...rest } = ports;
    await runTurn('talk', { kind: 'continue' }, rest);
    expect(prompts[0]!.at(-1)).toContain('It is Monday, 2026-11-23 13:05 (UTC');
    expect(prompts[0]!.at(-1)).toContain(
      'the schedule morning started it, due 2026-11-23 13:00, the time before: 2026-11-22 13:05.',
    );
  });

  it('leaves all that was sent before byte for byte, within a turn and from turn to turn', async () => {
    const { clock, prompts, turn } = talk([read, say('one'), read, say('two'), say('three')]);
    for (const text of ['first', 'second', 'third']) {
      clock.advance(7 * 60 * minute);
      await turn(text);
    }
    for (const [nth, prompt] of prompts.slice(1).entries())
      expect(prompt.slice(0, prompts[nth]!.length)).toEqual(prompts[nth]);
  });

  it('is told to a turn before which the program made room, too', async () => {
    const long = 'the tide comes in and goes out. '.repeat(800);
    const more = { autoCompact: 0.9, analyst: scriptedModel([{ summary: 'Of tides.', insights: [] }]) };
    const { turn, prompts } = talk([say('a'), say('b'), say('c')], more, 22_000);
    for (const name of ['one', 'two', 'three']) await turn(`${name} ${long}`);
    const last = prompts.at(-1)!;
    expect(last.join('')).toContain('Of tides.');
    expect(last.at(-1)).toContain('It is Monday');
  });
});
