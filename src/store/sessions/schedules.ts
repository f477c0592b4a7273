/**
 * Schedules: turns that start at a time or at an event. Each occurrence is a fire: a job of the topic `fires`, in the
 * group of its schedule.
 *
 * An implementer must not: add two fires for the same time or event, or set the next time without adding the due fires.
 */
import type { Amounts } from '../../core/index.ts';
import type { Actor } from '../audit.ts';
import type { Job } from '../queue/queue.ts';

export type Trigger =
  /** A cron expression of five fields, in a time zone such as `Europe/Berlin`. */
  | { readonly kind: 'cron'; readonly expression: string; readonly zone: string }
  | { readonly kind: 'interval'; readonly everyMs: number }
  /** Names of workspace events. */
  | { readonly kind: 'event'; readonly names: readonly string[] };

/** What happens to missed times. skip: nothing. once: one start for all of them. all: one start for each, up to 100. */
export type MissedPolicy = 'skip' | 'once' | 'all';

/** Limits on the turns of a schedule. A turn that would exceed one is not started. */
export interface ScheduleLimits {
  /** Turns at once. */
  readonly running?: number;
  /** Turns that begin on one day, in the zone of the schedule. */
  readonly perDay?: number;
  readonly usdPerDay?: number;
}

export interface Schedule {
  readonly id: string;
  readonly trigger: Trigger;
  /** The message that starts the turn. */
  readonly prompt: string;
  /** Null: a new thread per fire. */
  readonly thread: string | null;
  readonly missed: MissedPolicy;
  /** Maximum delay of a fire in milliseconds. The delay of a given time is always the same. */
  readonly jitterMs: number;
  /** The limits of each turn. */
  readonly limits: Amounts;
  /** Limits on all turns together; absent: none. */
  readonly together?: ScheduleLimits;
  /** For events: globs, of which one must match a page of the event. Absent: any page. */
  readonly paths?: readonly string[];
  /** Events within this time of each other count as one. Milliseconds. */
  readonly gatherMs?: number;
  readonly enabled: boolean;
}

export interface ScheduleRow extends Schedule {
  /** The next time without jitter, in milliseconds since the Unix epoch; null for events, and if there is none. */
  readonly next: number | null;
  readonly created: number;
  /** When it was added or last enabled: earlier events start nothing. */
  readonly since: number;
}

/** held: a limit of the schedule prevented the turn. */
export type FireOutcome = 'done' | 'failed' | 'held';

export interface FireEnd {
  readonly thread: string;
  readonly status: string;
}

export interface Fire {
  /** Derived from the schedule and its time or event, so that each starts at most one turn. */
  readonly id: string;
  readonly schedule: string;
  /** The planned time, without jitter. */
  readonly due: number;
  /** The turn does not start before this time. */
  readonly at: number;
  /** JSON: the payload of the event; null for times. */
  readonly payload: unknown;
  readonly state: 'waiting' | FireOutcome;
  readonly note: string | null;
  /** The conversation that it started, and the end of its turn; null: not known. */
  readonly outcome: FireEnd | null;
  /** When it passed the limits of its schedule; null: it did not, or an earlier version started it. */
  readonly started: number | null;
  /** True: a person started it. The limits of the schedule don't hold it back, but it counts towards them. */
  readonly byHand: boolean;
}

export interface NewFire {
  /** Unique within its schedule: the time, or the event's id. */
  readonly key: string;
  readonly due: number;
  readonly at: number;
  readonly payload: unknown;
  readonly byHand?: true;
}

export interface Schedules {
  /** Throws `run_state` if the id is taken. */
  add(schedule: Schedule, next: number | null, by?: Actor): Promise<ScheduleRow>;
  /** Throws `not_found`. */
  get(id: string): Promise<ScheduleRow>;
  list(): Promise<readonly ScheduleRow[]>;
  /** Also removes its fires. Throws `not_found`. */
  remove(id: string, by?: Actor): Promise<void>;
  enable(id: string, enabled: boolean, next: number | null, by?: Actor): Promise<ScheduleRow>;
  /** Enabled schedules that are due. */
  due(now: number): Promise<readonly ScheduleRow[]>;
  /**
   * Adds the missing fires and sets the next time, together. False if the schedule's `next` is no longer
   * `expectedNext`.
   */
  advance(
    id: string,
    expectedNext: number | null,
    fires: readonly NewFire[],
    next: number | null,
  ): Promise<boolean>;
  /** Newest first. */
  fires(schedule: string, limit?: number): Promise<readonly Fire[]>;
  /** The earliest next time of an enabled schedule; null if there is none. */
  nextTime(): Promise<number | null>;
}

/** The payload of a fire's job. */
export interface FirePayload {
  readonly due: number;
  readonly payload: unknown;
  readonly by_hand?: true;
}

export const fireTopic = 'fires';
/** The error code of a fire that a limit held back. */
export const heldCode = 'held';

/** A fire is `waiting` until its turn has ended. */
export function toFire({ key, group, due: at, payload, state, error, result, kept }: Job): Fire {
  const { due, payload: eventPayload, by_hand: byHand = false } = payload as FirePayload;
  return Object.freeze({
    id: key,
    schedule: group ?? '',
    due,
    at,
    payload: eventPayload,
    state:
      state === 'failed' && error?.code === heldCode
        ? 'held'
        : state === 'done' || state === 'failed'
          ? state
          : 'waiting',
    outcome: (result as FireEnd | null) ?? null,
    started: (kept as { readonly started?: number } | null)?.started ?? null,
    note: error?.message ?? null,
    byHand,
  });
}
