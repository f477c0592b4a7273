/**
 * Starts what is due. It knows schedules and the clock, and nothing of turns, graphs or models: what it
 * starts takes a fire. A fire is a job of the queue: delivered at least once and by one worker at a time;
 * whoever takes it starts at most one turn by its id. A worker that dies holding one leaves it to the next.
 */
import { type Clock, SondeError } from '../../core/index.ts';
import {
  type Claim,
  type Fire,
  fireOf,
  fireTopic,
  isStoreTrouble,
  jobError,
  type NewFire,
  type Queue,
  type Schedule,
  type ScheduleRow,
  type Schedules,
  type Settlement,
  workOff,
} from '../../store/index.ts';
import { jitterOf, nextTime, timesBetween } from './times.ts';

export interface DeliveredFire {
  readonly fire: Fire;
  readonly schedule: ScheduleRow;
  readonly signal: AbortSignal;
}

export interface RunnerPorts {
  readonly schedules: Schedules;
  /** Of the same database. */
  readonly queue: Queue;
  readonly clock: Clock;
  /** Starts the work, or finds that it was started by the same fire, and waits for its end. A throw is its failure. */
  readonly deliver: (delivered: DeliveredFire) => Promise<void>;
  readonly signal: AbortSignal;
  readonly tell?: (line: string) => void;
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
  /** Makes the fires that are due, and begins to deliver those that wait. */
  begin(): Promise<void>;
  /** As `begin`, and ends when all of these have; returns how many did. */
  tick(): Promise<number>;
  /** An event of the workspace; what waits for it fires with the next tick. Returns how many do. */
  notify(event: WorkspaceEvent): Promise<number>;
  /** Ticks until the signal aborts. */
  run(sleep: (ms: number, signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** Later than this, a time was missed: the program was not running. Milliseconds. */
const graceMs = 60_000;
const maxMissed = 100;
/** Before a fire is delivered again that the store was in the way of. Milliseconds. */
const retryMs = 5_000;
/** Other processes may add schedules meanwhile. Milliseconds. */
const maxSleep = 15_000;

export function scheduleRunner(ports: RunnerPorts): ScheduleRunner {
  const { schedules, queue, clock, deliver, signal } = ports;
  const worker = workOff({
    queue,
    topic: fireTopic,
    slots: Number.POSITIVE_INFINITY,
    work: deliverOne,
    signal,
    tell: ports.tell ?? (() => {}),
  });

  async function makeDue(): Promise<void> {
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
      await schedules.advance(row.id, row.next, fires, nextTime(row.trigger, now));
    }
  }

  async function deliverOne({ job }: Claim, stop: AbortSignal): Promise<Settlement> {
    const fire = fireOf(job);
    try {
      await deliver({ fire, schedule: schedules.get(fire.schedule), signal: stop });
    } catch (thrown) {
      if (!stop.aborted && isStoreTrouble(thrown)) return { kind: 'release', afterMs: retryMs };
      if (!stop.aborted) return { kind: 'failed', error: jobError(thrown) };
    }
    // Stopped, not failed: it is taken up again.
    return { kind: stop.aborted ? 'release' : 'done' };
  }

  async function begin(): Promise<readonly Promise<string>[]> {
    await makeDue();
    return worker.take();
  }

  async function tick(): Promise<number> {
    const ends = await Promise.all(await begin());
    return ends.filter((end) => end === 'done' || end === 'failed').length;
  }

  async function nextAt(): Promise<number | null> {
    const times = [schedules.nextAt(), await queue.nextDue(fireTopic)].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  return {
    add(schedule) {
      checkSchedule(schedule);
      const next = nextTime(schedule.trigger, clock.now());
      if (next === null) neverDue(schedule);
      return schedules.add(schedule, next);
    },
    enable(id, enabled) {
      const { trigger } = schedules.get(id);
      return schedules.enable(id, enabled, enabled ? nextTime(trigger, clock.now()) : null);
    },
    async begin() {
      await begin();
    },
    tick,
    async notify({ id, name, payload }) {
      const now = clock.now();
      let fired = 0;
      for (const row of schedules.list()) {
        if (!row.enabled || row.trigger.kind !== 'event' || !row.trigger.names.includes(name)) continue;
        const at = now + jitterOf(row.id, now, row.jitterMs);
        const fire = { key: `event/${id}`, due: now, at, payload: { name, payload } };
        if (await schedules.advance(row.id, row.next, [fire], row.next)) fired += 1;
      }
      return fired;
    },
    async run(sleep) {
      while (!signal.aborted) {
        // A long turn holds up no other one.
        await begin();
        if (signal.aborted) break;
        const next = await nextAt();
        const wait = next === null ? maxSleep : next - clock.now();
        await sleep(Math.min(maxSleep, Math.max(10, wait)), signal);
      }
      await worker.close();
    },
  };
}

/** The times from the row's next one to now that its policy wants, oldest first. */
function timesDue({ trigger, next, missed }: ScheduleRow, now: number): readonly number[] {
  if (next === null) return [];
  const times = timesBetween(trigger, next, now, missed === 'all' ? maxMissed : 1);
  return missed === 'skip' ? times.filter((time) => now - time <= graceMs) : times;
}

/** For a time that no calendar has: it would wait for ever, and nobody would notice. */
function neverDue({ id, trigger }: Schedule): void {
  if (trigger.kind !== 'cron') return;
  throw new SondeError('bad_argument', {
    message: `The schedule ${id} would never start: no day is ${JSON.stringify(trigger.expression)}`,
    remedy: 'Correct the day and the month, such as `0 2 28 2 *`.',
  });
}

function checkSchedule({ id, prompt, jitterMs, trigger }: Schedule): void {
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
