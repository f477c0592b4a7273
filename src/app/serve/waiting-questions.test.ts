/** A scheduled turn asks at night; the person answers the next day, and the turn goes on. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { scriptedModel } from '../../model/index.ts';
import { runTurn, type TurnPorts } from '../../session/index.ts';
import { createScheduleRunner } from '../../session/schedules/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { builtInSchedules, findBuiltInSchedule } from '../ready-schedules.ts';
import { findFireThread } from './fire-thread.ts';
import { readStart } from './schedules.ts';
import { listWaitingQuestions } from './waiting-questions.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
});
afterEach(() => db.close());

const evening = Date.parse('2026-11-22T20:00:00Z');

it('waits in the inbox with its conversation, and an answer the next day goes on with the turn', async () => {
  const clock = manualClock(evening);
  const sessions = openSessionsIn(db, { clock });
  const store = openStoreIn(db, { clock });
  const heard: string[] = [];
  const lines = [
    { text: '', calls: [{ name: 'ask_user', args: '{"question":"Is the mill closed for good?"}' }] },
    { text: 'Digest: the mill is closed.', calls: [] },
  ];
  const planner = scriptedModel(({ messages }) => {
    heard.push(messages.map(({ text }) => text).join('\n'));
    return lines.shift()!;
  });
  const ports: TurnPorts = {
    ...{ sessions, store, planner, analyst: scriptedModel([]), tools: scriptedTools(), clock },
    ...{ limits: { tokens: 1_000_000 }, random: () => 0.5, sleep: async () => {} },
  };
  const runner = createScheduleRunner({
    ...{ schedules: sessions.schedules, queue: sessions.queue, clock, signal: new AbortController().signal },
    async deliver({ fire, schedule }) {
      const thread = findFireThread({ fire, schedule });
      const startedBy = {
        schedule: schedule.id,
        ...(await readStart({ fire, schedule }, sessions.schedules)),
      };
      const input = { kind: 'message', id: `fire-${fire.id}`, text: schedule.prompt, startedBy } as const;
      const { status } = await runTurn(thread, input, ports);
      return { thread, status };
    },
  });
  await runner.add(findBuiltInSchedule('morning-digest', 'Europe/Berlin')!);
  expect(await listWaitingQuestions(sessions)).toEqual([]);
  clock.advance(10 * 3_600_000);
  await runner.tick();
  expect(heard[0]).toContain('the schedule morning-digest started it, due 2026-11-23 07:00');
  const [waiting, ...more] = await listWaitingQuestions(sessions);
  expect(more).toEqual([]);
  expect(waiting).toMatchObject({ schedule: 'morning-digest', note: 'Is the mill closed for good?' });
  clock.advance(24 * 3_600_000);
  const end = await runTurn(waiting!.thread, { kind: 'answer', value: 'Yes, for good.' }, ports);
  expect(end).toMatchObject({ status: 'answered', text: 'Digest: the mill is closed.' });
  expect(heard[1]).toContain('Yes, for good.');
  expect(await listWaitingQuestions(sessions)).toEqual([]);
});

it('what comes ready is a schedule that the runner takes', async () => {
  const sessions = openSessionsIn(db);
  const ports = {
    schedules: sessions.schedules,
    queue: sessions.queue,
    signal: new AbortController().signal,
  };
  const runner = createScheduleRunner({
    ...ports,
    clock: manualClock(evening),
    deliver: async () => undefined,
  });
  for (const { id } of builtInSchedules)
    expect((await runner.add(findBuiltInSchedule(id, 'UTC')!)).next).not.toBeNull();
  expect(findBuiltInSchedule('nonsense', 'UTC')).toBeNull();
});
