/**
 * Starts the schedules that are due. It knows schedules and the clock, but not turns, graphs or models. A fire is a job
 * of the queue: delivered at least once, and by one worker at a time. Its receiver starts at most one turn for its id.
 * If a worker dies, the next worker gets its fires.
 */
import { type Amounts, type Clock, SondeError } from '../../core/index.ts';
import {
  type Actor,
  type Claim,
  createFireJob,
  type Fire,
  type FireEnd,
  fireTopic,
  heldCode,
  isStoreError,
  type NewFire,
  type NewJob,
  type Queue,
  type Schedule,
  type ScheduleRow,
  type Schedules,
  type Settlement,
  toFire,
  toJobError,
  workOff,
} from '../../store/index.ts';
import {
  computeRange,
  type EventRange,
  findUncovered,
  isNumbered,
  matchesSchedule,
  mergeEvents,
  openGatherings,
  type WorkspaceEvent,
} from './gathering.ts';
import { type AdmittedStart, dayStart, readStarted, reasonToHold, zoneOf } from './start-limits.ts';
import { jitterOf, listTimes, nextTime } from './times.ts';

export interface DeliveredFire {
  readonly fire: Fire;
  readonly schedule: ScheduleRow;
  readonly signal: AbortSignal;
}

export interface RunnerPorts {
  readonly schedules: Schedules;
  /** In the same database as `schedules`. */
  readonly queue: Queue;
  readonly clock: Clock;
  /** Starts the work, unless the same fire has started it, and waits for its end. An exception is its failure. */
  readonly deliver: (delivered: DeliveredFire) => Promise<FireEnd | undefined>;
  /**
   * US dollars that the turns of a schedule since that time have spent or may still spend, except those of the given
   * fires. Absent: unknown.
   */
  readonly spentSince?: (schedule: string, since: number, without: ReadonlySet<string>) => Promise<number>;
  /** The limits of a turn whose schedule names none. */
  readonly defaultLimits?: Amounts;
  readonly signal: AbortSignal;
  readonly tell?: (line: string) => void;
}

export interface ScheduleRunner {
  /** Checks the schedule and stores it. Rejects with `bad_argument` if its trigger is invalid. */
  add(schedule: Schedule, by?: Actor): Promise<ScheduleRow>;
  enable(id: string, enabled: boolean, by?: Actor): Promise<ScheduleRow>;
  /** Enqueues the fires that are due, and begins to deliver those that wait. */
  begin(): Promise<void>;
  /** Like `begin`, but waits for the end of these fires. Returns how many there were. */
  tick(): Promise<number>;
  /**
   * Takes an event of the workspace. Schedules that wait for it fire with the next tick, or after gathering. Returns
   * how many fire now.
   */
  notify(event: WorkspaceEvent): Promise<number>;
  /**
   * Takes all events that happened while no runner was active, in order. Each schedule treats them by its policy for
   * missed times. Events that an earlier runner has fired start nothing again. Returns how many fire now.
   */
  catchUp(events: readonly WorkspaceEvent[]): Promise<number>;
  /**
   * Starts a schedule because a person wants it, due or not, enabled or not, and waits for the end. It counts as a
   * start of the day, and no limit of the schedule holds it. `isTaken`: another runner has it, and this one did
   * nothing. Rejects with `not_found`.
   */
  fireNow(id: string): Promise<{ readonly fire: Fire; readonly isTaken: boolean }>;
  /** When the next gathering of events fires; null if none gathers. */
  gathersUntil(): number | null;
  /** The last event up to `seen` before all events that still gather. The next runner must get the later ones again. */
  lastSettled(seen: number): number;
  /** Ticks until the signal aborts. */
  run(sleep: (ms: number, signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** Maximum length of an id: the conversation of a start adds eleven characters, and may have a hundred. */
const maxIdLength = 89;
/** A fire that is later than this counts as missed, since the program was not running. Milliseconds. */
const minLateMs = 60_000;
const maxMissed = 100;
/** Maximum fires of a schedule that are read, the newest first. */
const maxCounted = 2_000;
/** The wait before a fire is delivered again after an error of the store. Milliseconds. */
const retryMs = 5_000;
/** The maximum sleep, since other processes may add schedules meanwhile. Milliseconds. */
const maxSleepMs = 15_000;

export function createScheduleRunner(ports: RunnerPorts): ScheduleRunner {
  const { schedules, queue, clock, deliver, signal } = ports;
  const worker = workOff({
    queue,
    topic: fireTopic,
    slots: Number.POSITIVE_INFINITY,
    work: deliverOne,
    signal,
    tell: ports.tell ?? (() => {}),
  });

  async function makeDueFires(): Promise<void> {
    const now = clock.now();
    for (const row of await schedules.due(now)) {
      const fires = findDueTimes(row, now).map(
        (due): NewFire => ({
          key: String(due),
          due,
          at: due + jitterOf(row.id, due, row.jitterMs),
          payload: null,
        }),
      );
      // If another worker was faster, it made the same fires.
      await schedules.advance(row.id, row.next, fires, nextTime(row.trigger, now));
    }
  }

  const gathering = openGatherings();
  /** Fires are admitted one after another, so that the counts do not change meanwhile. */
  let lastDecision: Promise<unknown> = Promise.resolve();

  /** Admits a fire, and records that; or returns how the fire ends. */
  async function admitFire(
    claim: Claim,
    schedule: ScheduleRow,
  ): Promise<Settlement | { readonly limits: Amounts }> {
    const { id, limits, together = {} } = schedule;
    const admittedBefore = readStarted(claim.job);
    if (admittedBefore !== null) return { limits: { ...limits, ...admittedBefore.limits } };
    const now = clock.now();
    const { running, usdPerDay } = together;
    if (toFire(claim.job).byHand) {
      const turnLimits = usdPerDay === undefined ? {} : maxUsd(limits);
      await queue.renew(claim, { started: now, limits: turnLimits } satisfies AdmittedStart);
      return { limits: { ...limits, ...turnLimits } };
    }
    const { jobs } = await queue.list({ topic: fireTopic, group: id, max: maxCounted });
    const admittedFires = jobs.flatMap((job) => {
      const admitted = readStarted(job);
      if (admitted === null) return [];
      const isOver = job.state !== 'running' && job.state !== 'waiting';
      return [{ fire: job.key, at: admitted.started, taken: admitted.limits.usd ?? 0, isOver }];
    });
    const openFires = admittedFires.filter(({ isOver }) => !isOver);
    if (running !== undefined && openFires.length >= running) return { kind: 'release', afterMs: retryMs };
    const day = dayStart(now, zoneOf(schedule));
    const reservedUsd = openFires.reduce((sum, each) => sum + each.taken, 0);
    const excludedFires = new Set(openFires.map((each) => each.fire));
    const usdToday =
      usdPerDay === undefined ? 0 : reservedUsd + ((await ports.spentSince?.(id, day, excludedFires)) ?? 0);
    const holdReason = reasonToHold(together, {
      started: admittedFires.filter(({ at }) => at >= day).length,
      usd: usdToday,
    });
    if (holdReason !== null) return { kind: 'failed', error: { code: heldCode, message: holdReason } };
    const turnLimits =
      usdPerDay === undefined ? {} : { usd: Math.min(maxUsd(limits).usd ?? Infinity, usdPerDay - usdToday) };
    await queue.renew(claim, { started: now, limits: turnLimits } satisfies AdmittedStart);
    return { limits: { ...limits, ...turnLimits } };
  }

  function maxUsd(limits: Amounts): { readonly usd?: number } {
    const usd = limits.usd ?? ports.defaultLimits?.usd;
    return usd === undefined ? {} : { usd };
  }

  async function deliverOne(claim: Claim, stop: AbortSignal): Promise<Settlement> {
    const { job } = claim;
    const fire = toFire(job);
    try {
      const schedule = await schedules.get(fire.schedule);
      const decision = lastDecision.then(() => admitFire(claim, schedule));
      lastDecision = decision.catch(() => {});
      const admission = await decision;
      if ('kind' in admission) return admission;
      const result = await deliver({ fire, schedule: { ...schedule, ...admission }, signal: stop });
      if (!stop.aborted && result !== undefined) return { kind: 'done', result };
    } catch (thrown) {
      if (!stop.aborted && isStoreError(thrown)) return { kind: 'release', afterMs: retryMs };
      if (!stop.aborted) return { kind: 'failed', error: toJobError(thrown) };
    }
    // The fire was stopped and did not fail: it is delivered again.
    return { kind: stop.aborted ? 'release' : 'done' };
  }

  async function enqueueFire(row: ScheduleRow, event: WorkspaceEvent): Promise<boolean> {
    const { id, name, payload, seq } = event;
    const covers = event.covers ?? (seq === undefined ? undefined : computeRange([event]));
    const now = clock.now();
    const at = now + jitterOf(row.id, now, row.jitterMs);
    const firedEvent = { name, payload, ...(covers && { covers }) } satisfies FiredEvent;
    const fire = { key: `event/${id}`, due: now, at, payload: firedEvent };
    return schedules.advance(row.id, row.next, [fire], row.next);
  }

  async function catchUpSchedule(row: ScheduleRow, events: readonly WorkspaceEvent[]): Promise<number> {
    const matchingEvents = events.filter((event) => shouldStart(row, event));
    if (matchingEvents.length === 0) return 0;
    const fires = await schedules.fires(row.id, maxCounted);
    const coveredRanges = fires.flatMap(({ payload }) => (payload as FiredEvent | null)?.covers ?? []);
    const isMissed = ({ at }: WorkspaceEvent): boolean => at !== undefined && clock.now() - at > minLateMs;
    const workspaceEvents = matchingEvents
      .flatMap((event) => findUncovered(event, coveredRanges) ?? [])
      .filter((event) => !(row.missed === 'skip' && isMissed(event)));
    const [first, ...more] = workspaceEvents.filter(isNumbered);
    const mergesEvents =
      row.missed === 'once' && (row.gatherMs ?? 0) <= 0 && first !== undefined && more.length > 0;
    let fired = 0;
    for (const event of mergesEvents ? [mergeEvents([first, ...more])] : workspaceEvents)
      if (!gathering.add(row, event) && (await enqueueFire(row, event))) fired += 1;
    return fired;
  }

  async function fireGathered(): Promise<void> {
    for (const { schedule, event } of gathering.take(clock.now())) {
      const row = (await schedules.list()).find(({ id, enabled }) => id === schedule && enabled);
      if (row !== undefined) await enqueueFire(row, event);
    }
  }

  async function begin(): Promise<readonly Promise<string>[]> {
    await makeDueFires();
    await fireGathered();
    return worker.take();
  }

  async function tick(): Promise<number> {
    const outcomes = await Promise.all(await begin());
    return outcomes.filter((end) => end === 'done' || end === 'failed').length;
  }

  async function nextAt(): Promise<number | null> {
    const times = [await schedules.nextTime(), await queue.nextDue(fireTopic), gathering.nextAt()].filter(
      (time) => time !== null,
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  return {
    async add(schedule, by) {
      checkSchedule(schedule);
      const next = nextTime(schedule.trigger, clock.now());
      if (next === null) requirePossible(schedule);
      return schedules.add(schedule, next, by);
    },
    async enable(id, enabled, by) {
      const { trigger } = await schedules.get(id);
      return schedules.enable(id, enabled, enabled ? nextTime(trigger, clock.now()) : null, by);
    },
    async begin() {
      await begin();
    },
    tick,
    async notify(event) {
      let fired = 0;
      for (const row of await schedules.list()) {
        if (!shouldStart(row, event) || gathering.add(row, event)) continue;
        if (await enqueueFire(row, event)) fired += 1;
      }
      return fired;
    },
    async catchUp(events) {
      let fired = 0;
      for (const row of await schedules.list()) fired += await catchUpSchedule(row, events);
      return fired;
    },
    async fireNow(id) {
      await schedules.get(id);
      const now = clock.now();
      const fire = manualFire(id, now);
      await queue.enqueue([fire]);
      const job = (await queue.get(fireTopic, fire.key))!;
      // Gets no `signal`: a cancelled turn also has an end, which must be stored.
      const ownWorker = workOff({
        ...{ queue: restrictToJob(queue, fire.key), topic: fireTopic, slots: 1, work: deliverOne },
        tell: ports.tell ?? (() => {}),
      });
      const outcomes = await ownWorker.take();
      await Promise.all(outcomes);
      await ownWorker.close();
      return { fire: toFire(job), isTaken: outcomes.length === 0 };
    },
    gathersUntil: () => gathering.nextAt(),
    lastSettled: (seen) => gathering.lastSettled(seen),
    async run(sleep) {
      while (!signal.aborted) {
        // Does not wait for turns, so that a long one does not delay the others.
        await begin();
        if (signal.aborted) break;
        const next = await nextAt();
        const waitMs = next === null ? maxSleepMs : next - clock.now();
        await sleep(Math.min(maxSleepMs, Math.max(10, waitMs)), signal);
      }
      await worker.close();
    },
  };
}

/** The event that a fire was made for. */
interface FiredEvent {
  readonly name: string;
  readonly payload: unknown;
  readonly covers?: EventRange;
}

/** Whether the schedule starts for the event. A schedule does not start for events from before it was enabled. */
const shouldStart = (row: ScheduleRow, event: WorkspaceEvent): boolean =>
  row.enabled && (event.at ?? row.since) >= row.since && matchesSchedule(row, event);

/** The job of a fire that a person starts. */
export const manualFire = (schedule: string, now: number): NewJob =>
  createFireJob(schedule, { key: `now-${now}`, due: now, at: now, payload: null, byHand: true });

/** A queue that claims one job only: other claimed jobs are given back. */
function restrictToJob(queue: Queue, key: string): Queue {
  return {
    ...queue,
    async claim(request) {
      const claims = await queue.claim({ ...request, max: maxCounted });
      const otherClaims = claims.filter(({ job }) => job.key !== key);
      await Promise.all(otherClaims.map((claim) => queue.settle(claim, { kind: 'release' })));
      return claims.filter(({ job }) => job.key === key);
    },
  };
}

/** The due times that the policy of the schedule wants, from its next time to now, oldest first. */
function findDueTimes({ trigger, next, missed }: ScheduleRow, now: number): readonly number[] {
  if (next === null) return [];
  const times = listTimes(trigger, next, now, missed === 'all' ? maxMissed : 1);
  return missed === 'skip' ? times.filter((time) => now - time <= minLateMs) : times;
}

/** Refuses a date that never occurs: the schedule would wait for ever, and nobody would notice. */
function requirePossible({ id, trigger }: Schedule): void {
  if (trigger.kind !== 'cron') return;
  throw new SondeError('bad_argument', {
    message: `The schedule ${id} would never start: no day is ${JSON.stringify(trigger.expression)}`,
    remedy: 'Correct the day and the month, such as `0 2 28 2 *`.',
  });
}

function checkSchedule({
  id,
  prompt,
  jitterMs,
  trigger,
  together = {},
  paths = [],
  gatherMs = 0,
}: Schedule): void {
  const problem = !/^[\w.-]+$/.test(id)
    ? `${JSON.stringify(id)} is not an id for a schedule`
    : id.length > maxIdLength
      ? `An id of ${id.length} characters is too long for a schedule: ${maxIdLength} at most`
      : prompt.trim() === ''
        ? `The schedule ${id} has no prompt`
        : !(Number.isFinite(jitterMs) && jitterMs >= 0)
          ? `The schedule ${id} has a jitter of ${jitterMs} ms`
          : trigger.kind === 'event' && trigger.names.length === 0
            ? `The schedule ${id} names no event`
            : trigger.kind !== 'event' && (paths.length > 0 || gatherMs > 0)
              ? `The schedule ${id} waits for no event, so it has no paths and gathers nothing`
              : Object.values(together).some((max) => !(max > 0))
                ? `The schedule ${id} has a limit that lets nothing start`
                : null;
  if (problem !== null)
    throw new SondeError('bad_argument', {
      message: problem,
      remedy:
        'Ids are letters, digits, dots, hyphens; prompts and events are not empty; times are from zero up.',
    });
}
