/**
 * Schedules: turns that start at a time or at an event. A schedule holds its times and the first prompt.
 * Each occurrence is a fire: a job of the queue, of the topic `fires`, in the group of its
 * schedule.
 *
 * An implementer must not: make two fires for the same time or event, or move on to the next time without the fires
 * that were due.
 */
import type { Amounts } from '../../core/index.ts';
import type { Actor } from '../audit.ts';
import type { Job } from '../queue/queue.ts';

export type Trigger =
  /** Five fields of cron, in a time zone such as `Europe/Berlin`. */
  | { readonly kind: 'cron'; readonly expression: string; readonly zone: string }
  | { readonly kind: 'interval'; readonly everyMs: number }
  /** Names of workspace events. */
  | { readonly kind: 'event'; readonly names: readonly string[] };

/** skip: missed times are skipped. once: one start for all of them. all: one start for each, up to a hundred. */
export type MissedPolicy = 'skip' | 'once' | 'all';

/** Limits on the turns of a schedule; a turn that would exceed one is not started. */
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
  /** Delays a fire by up to this many milliseconds, always the same for the same time. */
  readonly jitterMs: number;
  /** The limits of each turn. */
  readonly limits: Amounts;
  /** Limits on all its turns together; absent: none. */
  readonly together?: ScheduleLimits;
  /** For events: globs, one of which must match one of the pages. Absent: any page. */
  readonly paths?: readonly string[];
  /** Events within this time of each other count as one. Milliseconds. */
  readonly gatherMs?: number;
  readonly enabled: boolean;
}

export interface ScheduleRow extends Schedule {
  /** The next time, without jitter; null for events, and if there is none. Milliseconds since the Unix epoch. */
  readonly next: number | null;
  readonly created: number;
  /** When it was added, or enabled again: events before it start nothing. */
  readonly since: number;
}

/** held: a limit of the schedule prevented the turn. */
export type FireOutcome = 'done' | 'failed' | 'held';

export interface FireEnd {
  readonly thread: string;
  readonly status: string;
}

export interface Fire {
  /** Derived from the schedule and the time or event, so that each of these starts at most one turn. */
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
  /** The conversation that it started, and how its turn ended; null: not known. */
  readonly outcome: FireEnd | null;
  /** When it passed the limits of its schedule; null: it has not, or an earlier version let it through. */
  readonly started: number | null;
  /** A person started it. The limits of the schedule do not hold it back, but it counts towards them. */
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
  /** In one step: adds the missing fires and sets the next time. False if `next` no longer equals `seen`. */
  advance(
    id: string,
    expectedNext: number | null,
    fires: readonly NewFire[],
    next: number | null,
  ): Promise<boolean>;
  /** The last fire first. */
  fires(schedule: string, limit?: number): Promise<readonly Fire[]>;
  /** When the next enabled schedule is due; null for none. */
  nextTime(): Promise<number | null>;
}

/** What the job of a fire holds. */
export interface FirePayload {
  readonly due: number;
  readonly payload: unknown;
  readonly by_hand?: true;
}

export const fireTopic = 'fires';
/** The code of a fire that a limit held. */
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
