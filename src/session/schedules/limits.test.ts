/** What a schedule starts together, whoever runs it and however often he dies. */
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
import { dayStart } from './start-limits.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-06-01T00:30:00Z');

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

/** As a process that starts anew: nothing is left of the one before but what was kept. */
const runner = (more: Partial<RunnerPorts> = {}) =>
  createScheduleRunner({
    ...{ schedules: sessions.schedules, queue: sessions.queue, clock, signal: new AbortController().signal },
    async deliver({ fire, schedule }) {
      delivered.push(`${fire.id} $${schedule.limits.usd ?? '-'}`);
      return { thread: `t-${delivered.length}`, status: 'answered' };
    },
    ...more,
  });

const base: Omit<Schedule, 'trigger'> = {
  ...{ id: 's', prompt: 'Look.', thread: null, missed: 'once', jitterMs: 0, limits: {}, enabled: true },
};
const hourly = (together: Schedule['together']): Schedule => ({
  ...base,
  trigger: { kind: 'interval', everyMs: hour },
  ...(together && { together }),
});
const onCreate = (more: Partial<Schedule> = {}): Schedule => ({
  ...base,
  trigger: { kind: 'event', names: ['create_page'] },
  ...more,
});
const event = (n: number, path: string, name = 'create_page'): WorkspaceEvent => ({
  ...{ id: `w${n}`, name, payload: { content_ids: [`pg-${n}`] }, seq: n, at: clock.now(), paths: [path] },
});
const states = async () => (await sessions.schedules.fires('s')).map(({ state }) => state);

describe('limits of all turns of a schedule', () => {
  it('a day holds so many, also over restarts, says why, and the next day begins anew', async () => {
    await runner().add(hourly({ perDay: 2 }));
    for (let n = 0; n < 5; n += 1) {
      clock.advance(hour);
      await runner().tick();
    }
    expect(delivered).toHaveLength(2);
    const [last] = await sessions.schedules.fires('s', 1);
    expect(last).toMatchObject({ state: 'held', note: 'held by --max-per-day 2: 2 turns started today' });
    expect(await states()).toEqual(['held', 'held', 'held', 'done', 'done']);
    clock.advance(24 * hour);
    await runner().tick();
    expect(delivered).toHaveLength(3);
  });

  it('so many at once, and what waits starts when one has ended', async () => {
    const ends: (() => void)[] = [];
    const slow = runner({
      async deliver({ fire }) {
        delivered.push(fire.id);
        await new Promise<void>((done) => ends.push(done));
        return undefined;
      },
    });
    await slow.add(hourly({ running: 2 }));
    for (let n = 0; n < 4; n += 1) {
      clock.advance(hour);
      await slow.begin();
      await new Promise((done) => setImmediate(done));
    }
    expect(delivered).toHaveLength(2);
    ends.shift()!();
    await new Promise((done) => setImmediate(done));
    clock.advance(minute);
    await slow.begin();
    await new Promise((done) => setImmediate(done));
    expect(delivered).toHaveLength(3);
    for (const end of ends) end();
  });

  it('so many dollars a day: no turn gets more than is left, and one that runs counts whole', async () => {
    const spent = new Map<string, number>();
    const ports: Partial<RunnerPorts> = {
      defaultLimits: { usd: 1 },
      spentSince: async (_id, _since, without) =>
        [...spent].reduce((sum, [fire, usd]) => sum + (without.has(fire) ? 0 : usd), 0),
      async deliver({ fire, schedule }) {
        delivered.push(`$${schedule.limits.usd}`);
        spent.set(fire.id, schedule.limits.usd! * 0.8);
        return undefined;
      },
    };
    await runner(ports).add(hourly({ usdPerDay: 2 }));
    for (let n = 0; n < 12; n += 1) {
      clock.advance(hour);
      await runner(ports).tick();
    }
    expect(delivered.slice(0, 3)).toEqual(['$1', '$1', '$0.3999999999999999']);
    expect([...spent.values()].reduce((sum, usd) => sum + usd, 0)).toBeLessThanOrEqual(2);
  });

  it.each([{ perDay: 0 }, { running: -1 }, { usdPerDay: Number.NaN }])('%j is refused', async (together) => {
    await expect(runner().add(hourly(together))).rejects.toThrow(/lets nothing start/);
  });

  it('paths and gathering are of events alone', async () => {
    await expect(runner().add({ ...hourly(undefined), paths: ['A/**'] })).rejects.toThrow(
      /waits for no event/,
    );
    await expect(runner().add({ ...hourly(undefined), gatherMs: 1 })).rejects.toThrow(/waits for no event/);
  });
});

describe('events', () => {
  it.each([
    [['Projects/**'], ['Projects/Sonde/Plan', 'projects/x'], ['Project', 'Daily/Projects']],
    [['**/*.md'], ['Plan', 'a/b'], []],
    [
      ['Daily/2026-*', 'Inbox'],
      ['Daily/2026-06-01', 'Inbox'],
      ['Daily/2025-06-01', 'Inbox/x'],
    ],
  ])('for pages at %j alone', async (paths, wanted, others) => {
    const one = runner();
    await one.add(onCreate({ paths }));
    for (const [n, path] of others.entries()) expect(await one.notify(event(n + 1, path))).toBe(0);
    for (const [n, path] of wanted.entries()) expect(await one.notify(event(n + 50, path))).toBe(1);
    expect(await one.notify({ ...event(99, ''), paths: [] })).toBe(0);
  });

  it('that come close together are one, told once it is quiet, and kept back until then', async () => {
    const one = runner();
    await one.add(onCreate({ gatherMs: 5 * minute }));
    for (let n = 1; n <= 4; n += 1) {
      expect(await one.notify(event(n, `P${n}`))).toBe(0);
      clock.advance(3 * minute);
      await one.tick();
    }
    expect(delivered).toEqual([]);
    expect(one.lastSettled(4)).toBe(0);
    // Another process begins where the first of them stands, and is told all of them again.
    const next = runner();
    for (let n = 1; n <= 4; n += 1)
      await next.notify({ ...event(n, `P${n}`), at: start + (n - 1) * 3 * minute });
    clock.advance(5 * minute);
    await next.tick();
    await one.tick();
    expect(delivered).toEqual(['s/event/gather/w1 $-']);
    expect(next.lastSettled(4)).toBe(4);
    const [fire] = await sessions.schedules.fires('s', 1);
    expect(fire!.payload).toMatchObject({ payload: { events: 4, paths: ['P1', 'P2', 'P3', 'P4'] } });
  });

  it('that never end are told of all the same', async () => {
    const one = runner();
    await one.add(onCreate({ gatherMs: minute }));
    for (let n = 1; n <= 30; n += 1) {
      await one.notify(event(n, 'P'));
      clock.advance(minute / 2);
      await one.tick();
    }
    expect(delivered).toHaveLength(1);
  });
});

it('a day begins where the schedule lives', () => {
  const now = Date.parse('2026-06-01T22:30:00Z');
  expect(new Date(dayStart(now, 'Europe/Berlin')).toISOString()).toBe('2026-06-01T22:00:00.000Z');
  expect(new Date(dayStart(now, 'UTC')).toISOString()).toBe('2026-06-01T00:00:00.000Z');
  expect(new Date(dayStart(now, 'America/New_York')).toISOString()).toBe('2026-06-01T04:00:00.000Z');
});
