/**
 * Starts what is due. It knows schedules and the clock, and of what it starts only that it takes a fire: a turn,
 * a graph or a model is nothing to it.
 *
 * A fire is delivered at least once and by one worker at a time; whoever takes it starts at most one turn by its
 * id. A worker that dies holding one leaves it to the next.
 */
import { type Clock, messageOf, SondeError } from '../../core/index.ts';
import type { Fire, NewFire, Schedule, ScheduleRow, Schedules } from '../../store/index.ts';
import { jitterOf, nextTime, timesBetween } from './times.ts';

export interface DeliveredFire {
  readonly fire: Fire;
  readonly schedule: ScheduleRow;
  readonly signal: AbortSignal;
}

export interface RunnerPorts {
  readonly schedules: Schedules;
  readonly clock: Clock;
  /** Starts the work, or finds that it was started by the same fire, and waits for its end. A throw is its failure. */
  readonly deliver: (delivered: DeliveredFire) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface WorkspaceEvent {
  /** Told apart by it: the same event twice fires once. */
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

export interface ScheduleRunner {
  /** Checks it and keeps it. Throws `bad_argument` where its trigger is none. */
  add(schedule: Schedule): ScheduleRow;
  enable(id: string, enabled: boolean): ScheduleRow;
  /** Makes the fires that are due, delivers those that wait, and ends when all of these have. */
  tick(): Promise<number>;
  /** An event of the workspace; what waits for it fires with the next tick. Returns how many do. */
  notify(event: WorkspaceEvent): number;
  /** Ticks until the signal aborts. */
  run(sleep: (ms: number, signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** Later than this, a time was missed: the program was not running. Milliseconds. */
const graceMs = 60_000;
const mostMissed = 100;
/** How often a fire's lease is renewed while it is delivered: a third of what it lasts. Milliseconds. */
const renewMs = 10_000;
/** Other processes may add schedules meanwhile. Milliseconds. */
const longestSleep = 15_000;

export function scheduleRunner(ports: RunnerPorts): ScheduleRunner {
  const { schedules, clock, deliver, signal } = ports;

  function makeDue(): void {
    const now = clock.now();
    for (const row of schedules.due(now)) {
      const fires = timesDue(row, now).map(
        (due): NewFire => ({
          key: String(due),
          due,
          at: due + jitterOf(row.id, due, row.jitterMs),
          payload: null,
        }),
      );
      // Where another worker was faster, it made the same fires.
      schedules.advance(row.id, row.next, fires, nextTime(row.trigger, now));
    }
  }

  async function deliverOne(fire: Fire): Promise<number> {
    const lease = schedules.acquire(fire.id);
    if (lease === null) return 0;
    const lost = new AbortController();
    const heart = setInterval(() => {
      try {
        lease.renew();
      } catch (error) {
        lost.abort(error);
      }
    }, renewMs);
    try {
      const schedule = schedules.get(fire.schedule);
      await deliver({ fire, schedule, signal: AbortSignal.any([signal, lost.signal]) });
      if (signal.aborted) return lease.release() ?? 0;
      schedules.finish(lease, fire.id, 'done');
    } catch (error) {
      // Stopped, not failed: it is taken up again.
      if (signal.aborted || lost.signal.aborted) return lease.release() ?? 0;
      schedules.finish(lease, fire.id, 'failed', messageOf(error).slice(0, 500));
    } finally {
      clearInterval(heart);
    }
    return 1;
  }

  async function tick(): Promise<number> {
    makeDue();
    const ends = await Promise.all(schedules.waiting(clock.now()).map(deliverOne));
    return ends.reduce((sum, each) => sum + each, 0);
  }

  return {
    add(schedule) {
      checked(schedule);
      const next = nextTime(schedule.trigger, clock.now());
      if (next === null) neverDue(schedule);
      return schedules.add(schedule, next);
    },
    enable(id, enabled) {
      const { trigger } = schedules.get(id);
      return schedules.enable(id, enabled, enabled ? nextTime(trigger, clock.now()) : null);
    },
    tick,
    notify({ id, name, payload }) {
      const now = clock.now();
      let fired = 0;
      for (const row of schedules.list()) {
        if (!row.enabled || row.trigger.kind !== 'event' || !row.trigger.names.includes(name)) continue;
        const at = now + jitterOf(row.id, now, row.jitterMs);
        const fire = { key: `event/${id}`, due: now, at, payload: { name, payload } };
        if (schedules.advance(row.id, row.next, [fire], row.next)) fired += 1;
      }
      return fired;
    },
    async run(sleep) {
      while (!signal.aborted) {
        await tick();
        if (signal.aborted) return;
        const next = schedules.nextAt();
        const wait = next === null ? longestSleep : next - clock.now();
        await sleep(Math.min(longestSleep, Math.max(10, wait)), signal);
      }
    },
  };
}

/** The times from the row's next one to now that its policy wants, oldest first. */
function timesDue({ trigger, next, missed }: ScheduleRow, now: number): readonly number[] {
  if (next === null) return [];
  const times = timesBetween(trigger, next, now, missed === 'all' ? mostMissed : 1);
  return missed === 'skip' ? times.filter((time) => now - time <= graceMs) : times;
}

/** Of a time that no calendar has: it would wait for ever, and nobody would know. */
function neverDue({ id, trigger }: Schedule): void {
  if (trigger.kind !== 'cron') return;
  throw new SondeError('bad_argument', {
    message: `The schedule ${id} would never start: no day is ${JSON.stringify(trigger.expression)}`,
    remedy: 'Correct the day and the month, such as `0 2 28 2 *`.',
  });
}

function checked({ id, prompt, jitterMs, trigger }: Schedule): void {
  const wrong = !/^[\w.-]{1,100}$/.test(id)
    ? `${JSON.stringify(id)} is not an id for a schedule`
    : prompt.trim() === ''
      ? `The schedule ${id} has no prompt`
      : !(Number.isFinite(jitterMs) && jitterMs >= 0)
        ? `The schedule ${id} has a jitter of ${jitterMs} ms`
        : trigger.kind === 'event' && trigger.names.length === 0
          ? `The schedule ${id} names no event`
          : null;
  if (wrong !== null)
    throw new SondeError('bad_argument', {
      message: wrong,
      remedy:
        'Ids are letters, digits, dots, hyphens; prompts and events are not empty; times are from zero up.',
    });
}
