/** What was done to the workspace while no runner was told of it, and what a person starts himself. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  type Schedule,
  type Sessions,
} from '../../store/index.ts';
import type { WorkspaceEvent } from './gathering.ts';
import { createScheduleRunner, type RunnerPorts } from './runner.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-06-01T08:00:00Z');

let clock: ReturnType<typeof manualClock>;
let db: Database;
let sessions: Sessions;
let delivered: string[];

beforeEach(() => {
  clock = manualClock(start);
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 100 });
  sessions = openSessionsIn(db, { clock });
  delivered = [];
});
afterEach(async () => {
  await sessions.close();
  db.close();
});

/** As a process that starts anew. */
const runner = (more: Partial<RunnerPorts> = {}) =>
  createScheduleRunner({
    ...{ schedules: sessions.schedules, queue: sessions.queue, clock, signal: new AbortController().signal },
    async deliver({ fire }) {
      delivered.push(fire.id);
      return { thread: 't', status: 'answered' };
    },
    ...more,
  });

const rule = (more: Partial<Schedule> = {}): Schedule => ({
  ...{ id: 's', prompt: 'Look.', thread: null, missed: 'once', jitterMs: 0, limits: {}, enabled: true },
  trigger: { kind: 'event', names: ['create_page', 'update_block'] },
  ...more,
});
const write = (seq: number, at = clock.now()): WorkspaceEvent => ({
  ...{
    id: `w${seq}`,
    name: 'create_page',
    payload: { content_ids: [`pg-${seq}`] },
    seq,
    at,
    paths: [`P${seq}`],
  },
});
const imported = (first: number, upTo: number, name = 'create_page'): WorkspaceEvent => ({
  ...{ id: `imp-1/${first}`, name, payload: { import: 'imp-1', writes: upTo - first + 1 }, seq: first },
  ...{ import: { id: `imp-1/${first}`, upTo }, at: clock.now(), paths: ['P'] },
});
const payloads = async () =>
  (await sessions.schedules.fires('s')).map(({ payload }) => (payload as { payload: unknown }).payload);

describe('events that nobody was told of', () => {
  // world.md: Scheduling 5, 6.
  it.each<[Schedule['missed'], number, readonly string[]]>([
    ['once', 10 * minute, ['s/event/gather/w1']],
    ['all', 10 * minute, ['s/event/w1', 's/event/w2', 's/event/imp-1/3']],
    ['skip', 10 * minute, []],
    ['skip', 30_000, ['s/event/w1', 's/event/w2', 's/event/imp-1/3']],
  ])('with the policy %s, %d ms later', async (missed, later, expected) => {
    const one = runner();
    await one.add(rule({ missed }));
    const events = [write(1), write(2), imported(3, 900)];
    clock.advance(later);
    await one.catchUp(events);
    await one.tick();
    expect(delivered.toSorted()).toEqual(expected.toSorted());
  });

  it('are one with those that still come, where the schedule gathers', async () => {
    const one = runner();
    await one.add(rule({ gatherMs: 5 * minute }));
    await one.catchUp([write(1), imported(2, 900), imported(2, 900, 'update_block')]);
    clock.advance(minute);
    await one.notify(write(901));
    await one.tick();
    expect(one.gathersUntil()).toBe(start + 6 * minute);
    clock.advance(5 * minute);
    await one.tick();
    expect(delivered).toEqual(['s/event/gather/w1']);
    expect(await payloads()).toMatchObject([{ events: 4, since: start, until: start + minute }]);
  });

  it('start nothing again after a crash, and what came since does', async () => {
    await runner().add(rule());
    clock.advance(minute);
    await runner().catchUp([write(1), write(2), imported(3, 900)]);
    // Killed before it kept how far it had read: the next one is told of all of it again.
    await runner().catchUp([write(1), write(2), imported(3, 900)]);
    await runner().tick();
    expect(delivered).toEqual(['s/event/gather/w1']);
    await runner().catchUp([write(1), write(2), imported(3, 950), write(951)]);
    await runner().tick();
    expect(delivered).toHaveLength(2);
    const [last] = await payloads();
    expect(last).toMatchObject({ events: 2, content_ids: ['pg-951'] });
    await runner().catchUp([write(1), write(2), imported(3, 950), write(951)]);
    await runner().tick();
    expect(delivered).toHaveLength(2);
  });

  it('that gathered before the crash, too', async () => {
    const one = runner();
    await one.add(rule({ gatherMs: minute }));
    await one.notify(write(1));
    await one.notify(write(2));
    clock.advance(2 * minute);
    await one.tick();
    const next = runner();
    await next.catchUp([write(1, start), write(2, start), write(3)]);
    clock.advance(2 * minute);
    await next.tick();
    expect(delivered).toEqual(['s/event/gather/w1', 's/event/gather/w3']);
  });

  it('are held by the limits of the schedule', async () => {
    const one = runner();
    await one.add(rule({ missed: 'all', together: { perDay: 2 } }));
    await one.catchUp([write(1), write(2), write(3), write(4)]);
    await one.tick();
    expect(delivered).toHaveLength(2);
    const states = (await sessions.schedules.fires('s')).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['done', 'done', 'held', 'held']);
  });

  it('from before the schedule was added, or enabled again, start nothing', async () => {
    const one = runner();
    await one.add(rule({ missed: 'all' }));
    await one.catchUp([write(1, start - 1), write(2)]);
    await one.enable('s', false);
    clock.advance(minute);
    const while_ = write(3);
    clock.advance(minute);
    await one.enable('s', true);
    await one.enable('s', true);
    await one.catchUp([while_, write(4)]);
    await one.notify(write(5, start + minute));
    await one.tick();
    expect(delivered.toSorted()).toEqual(['s/event/w2', 's/event/w4']);
  });
});

describe('a start by hand', () => {
  const hourly = rule({ trigger: { kind: 'interval', everyMs: hour }, together: { perDay: 1, running: 1 } });

  it('is the last one, counts for the day, and is held by nothing', async () => {
    const one = runner();
    await one.add(hourly);
    await one.enable('s', false);
    expect(await one.fireNow('s')).toMatchObject({ isTaken: false });
    clock.advance(1);
    await one.fireNow('s');
    expect(delivered).toHaveLength(2);
    const [last] = await sessions.schedules.fires('s', 1);
    expect(last).toMatchObject({ state: 'done', byHand: true, outcome: { status: 'answered' } });
    await one.enable('s', true);
    clock.advance(hour);
    await one.tick();
    const [held] = await sessions.schedules.fires('s', 1);
    expect(held).toMatchObject({ state: 'held', note: 'held by --max-per-day 1: 2 turns started today' });
    await expect(one.fireNow('none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves what else waits where it is', async () => {
    const one = runner();
    await one.add(hourly);
    await one.add(rule({ id: 'other' }));
    await one.notify(write(1));
    await one.fireNow('s');
    expect(delivered).toHaveLength(2 - 1);
    await one.tick();
    expect(delivered.at(-1)).toBe('other/event/w1');
  });

  it('that its process died of is taken up by the next', async () => {
    const dying = runner({ deliver: () => new Promise(() => {}) });
    await dying.add(hourly);
    void dying.fireNow('s');
    await new Promise((done) => setTimeout(done, 20));
    clock.advance(5 * minute);
    const other = openSessionsIn(db, { clock });
    const next = createScheduleRunner({
      ...{ schedules: other.schedules, queue: other.queue, clock, signal: new AbortController().signal },
      async deliver({ fire }) {
        delivered.push(fire.id);
        return { thread: 't', status: 'answered' };
      },
    });
    await next.tick();
    expect(delivered).toEqual([`s/now-${start}`]);
    await other.close();
  });
});
