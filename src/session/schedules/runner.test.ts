import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  type Schedule,
  type Sessions,
} from '../../store/index.ts';
import { createScheduleRunner, type RunnerPorts } from './runner.ts';

const hour = 3_600_000;
const start = Date.parse('2026-06-01T00:00:00Z');

let clock: ReturnType<typeof manualClock>;
let db: Database;
let sessions: Sessions;
let delivered: string[];
let stop: AbortController;

beforeEach(() => {
  clock = manualClock(start);
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 100 });
  sessions = openSessionsIn(db, { clock });
  delivered = [];
  stop = new AbortController();
});
afterEach(() => {
  sessions.close();
  db.close();
});

function runner(more: Partial<RunnerPorts> = {}) {
  return createScheduleRunner({
    schedules: sessions.schedules,
    queue: sessions.queue,
    clock,
    signal: stop.signal,
    async deliver({ fire }) {
      delivered.push(`${fire.schedule} ${new Date(fire.due).toISOString().slice(11, 16)}`);
    },
    ...more,
  });
}

const hourly = (more: Partial<Schedule> = {}): Schedule => ({
  id: 'hourly',
  trigger: { kind: 'interval', everyMs: hour },
  prompt: 'Tidy up.',
  thread: null,
  missed: 'once',
  jitterMs: 0,
  limits: { tokens: 1000 },
  enabled: true,
  ...more,
});

describe('the runner', () => {
  it.each(['0 2 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *'])(
    'refuses %s, a day that never comes',
    async (expression) => {
      const trigger = { kind: 'cron', expression, zone: 'UTC' } as const;
      await expect(runner().add(hourly({ trigger }))).rejects.toThrow(/would never start/);
      expect(await sessions.schedules.list()).toEqual([]);
      const { next } = await runner().add(hourly({ trigger: { ...trigger, expression: '0 0 29 2 *' } }));
      expect(next).toBe(Date.parse('2028-02-29T00:00:00Z'));
    },
  );

  it('takes an id whose conversations have a name that every interface takes', async () => {
    await runner().add(hourly({ id: 'a'.repeat(89) }));
    await expect(runner().add(hourly({ id: 'a'.repeat(90) }))).rejects.toThrow(/89 at most/);
  });

  // world.md: Scheduling 1, 4.
  it('fires each time once, with what the schedule says', async () => {
    const one = runner();
    await one.add(hourly());
    expect(await one.tick()).toBe(0);
    clock.advance(hour);
    expect(await one.tick()).toBe(1);
    expect(await one.tick()).toBe(0);
    clock.advance(hour);
    expect(await one.tick()).toBe(1);
    expect(delivered).toEqual(['hourly 01:00', 'hourly 02:00']);
    expect(await sessions.schedules.get('hourly')).toMatchObject({
      limits: { tokens: 1000 },
      thread: null,
      next: start + 3 * hour,
    });
    expect((await sessions.schedules.fires('hourly')).map(({ state }) => state)).toEqual(['done', 'done']);
  });

  // world.md: Scheduling 5.
  it.each<[Schedule['missed'], number, readonly string[]]>([
    ['skip', 5.5 * hour, []],
    ['skip', 5 * hour + 30_000, ['hourly 05:00']],
    ['once', 5.5 * hour, ['hourly 05:00']],
    ['all', 3.5 * hour, ['hourly 01:00', 'hourly 02:00', 'hourly 03:00']],
  ])('with the policy %s, %d ms later', async (missed, later, expected) => {
    const one = runner();
    await one.add(hourly({ missed }));
    clock.advance(later);
    await one.tick();
    expect(delivered.toSorted()).toEqual(expected);
    expect((await sessions.schedules.get('hourly')).next).toBe(
      start + Math.floor(later / hour) * hour + hour,
    );
  });

  it('makes no more than a hundred of a long absence', async () => {
    const one = runner();
    await one.add(hourly({ missed: 'all', trigger: { kind: 'interval', everyMs: 1000 } }));
    clock.advance(400 * 24 * hour);
    expect(await one.tick()).toBe(100);
  });

  it('waits for the jitter', async () => {
    const one = runner();
    await one.add(hourly({ jitterMs: 600_000 }));
    clock.advance(hour);
    await one.tick();
    clock.advance(600_000);
    await one.tick();
    expect(delivered).toEqual(['hourly 01:00']);
    expect((await sessions.schedules.fires('hourly'))[0]!.at).toBeGreaterThan(start + hour);
  });

  // world.md: Scheduling 6.
  it('fires at events, each once, with what they bring', async () => {
    const seen: unknown[] = [];
    const one = runner({
      async deliver({ fire }) {
        seen.push(fire.payload);
      },
    });
    await one.add(hourly({ id: 'on-save', trigger: { kind: 'event', names: ['page.saved'] } }));
    expect(await one.notify({ id: 'e1', name: 'page.saved', payload: { page: 'p1' } })).toBe(1);
    expect(await one.notify({ id: 'e2', name: 'page.removed', payload: {} })).toBe(0);
    await one.notify({ id: 'e1', name: 'page.saved', payload: { page: 'p1' } });
    expect(await one.tick()).toBe(1);
    expect(seen).toEqual([{ name: 'page.saved', payload: { page: 'p1' } }]);
  });

  it('keeps what failed with its reason, and goes on', async () => {
    const one = runner({
      async deliver() {
        throw new Error('no model');
      },
    });
    await one.add(hourly());
    clock.advance(hour);
    expect(await one.tick()).toBe(1);
    expect((await sessions.schedules.fires('hourly'))[0]).toMatchObject({
      state: 'failed',
      note: 'no model',
    });
    clock.advance(hour);
    expect(await one.tick()).toBe(1);
  });

  it('does nothing while disabled, misses nothing of it, and forgets what is removed', async () => {
    const one = runner();
    await one.add(hourly({ missed: 'all' }));
    await one.enable('hourly', false);
    clock.advance(5 * hour);
    expect(await one.tick()).toBe(0);
    await one.enable('hourly', true);
    clock.advance(hour);
    await one.tick();
    expect(delivered).toEqual(['hourly 06:00']);
    await sessions.schedules.remove('hourly');
    clock.advance(hour);
    expect(await one.tick()).toBe(0);
  });

  it('leaves to the next what was stopped in the middle', async () => {
    const one = runner({
      async deliver() {
        stop.abort();
        throw new Error('stopped');
      },
    });
    await one.add(hourly());
    clock.advance(hour);
    expect(await one.tick()).toBe(0);
    stop = new AbortController();
    expect(await runner().tick()).toBe(1);
    expect(delivered).toEqual(['hourly 01:00']);
  });

  it('a turn that takes its time holds up no other one', async () => {
    const first = Promise.withResolvers<void>();
    const one = runner({
      async deliver({ fire }) {
        delivered.push(fire.schedule);
        if (fire.schedule === 'slow') await first.promise;
        else {
          stop.abort();
          first.resolve();
        }
      },
    });
    await one.add(hourly({ id: 'slow' }));
    await one.add(hourly({ id: 'quick', trigger: { kind: 'interval', everyMs: 2 * hour } }));
    await one.run(async (ms) => clock.advance(ms));
    expect(delivered).toEqual(['slow', 'quick', 'slow']);
  });

  it('sleeps until the next time, and ends when it is told', async () => {
    const one = runner();
    await one.add(hourly({ trigger: { kind: 'interval', everyMs: 5000 } }));
    const slept: number[] = [];
    await one.run(async (ms) => {
      slept.push(ms);
      clock.advance(ms);
      if (slept.length === 3) stop.abort();
    });
    expect(slept).toEqual([5000, 5000, 5000]);
    expect(delivered).toHaveLength(2);
  });

  it.each<[string, Partial<Schedule>]>([
    ['an id with a slash', { id: 'a/b' }],
    ['no prompt', { prompt: ' ' }],
    ['a time before now', { jitterMs: -1 }],
    ['no event', { trigger: { kind: 'event', names: [] } }],
    ['no cron', { trigger: { kind: 'cron', expression: 'often', zone: 'UTC' } }],
  ])('refuses %s', async (_, more) => {
    await expect(runner().add(hourly(more))).rejects.toMatchObject({ code: 'bad_argument' });
    expect(await sessions.schedules.list()).toEqual([]);
  });
});
