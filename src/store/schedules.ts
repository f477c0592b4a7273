/**
 * Schedules: turns that start at a time or at an event. A schedule holds its times and the first prompt, and knows
 * nothing about graphs. Each occurrence is a fire: a job of the queue, of the topic `fires`, in the group of its
 * schedule.
 *
 * An implementer must not: make two fires of one time or one event, or move on to the next time without the fires
 * that were due.
 */
import type { Amounts } from '../core/index.ts';
import type { Job } from './queue/queue.ts';

export type Trigger =
  /** Five fields of cron, in a time zone such as `Europe/Berlin`. */
  | { readonly kind: 'cron'; readonly expression: string; readonly zone: string }
  | { readonly kind: 'interval'; readonly everyMs: number }
  /** Names of workspace events. */
  | { readonly kind: 'event'; readonly names: readonly string[] };

/** skip: missed times stay missed. once: one fire for all of them. all: each of them, up to a hundred. */
export type MissedPolicy = 'skip' | 'once' | 'all';

export interface Schedule {
  readonly id: string;
  readonly trigger: Trigger;
  /** The first message of the turn. */
  readonly prompt: string;
  /** Null: a new thread per fire. */
  readonly thread: string | null;
  readonly missed: MissedPolicy;
  /** Delays a fire by up to this many milliseconds, always the same for the same time. */
  readonly jitterMs: number;
  /** The limits of each turn. */
  readonly limits: Amounts;
  readonly enabled: boolean;
}

export interface ScheduleRow extends Schedule {
  /** The next time, without jitter; null for events, and if there is none. Milliseconds since the epoch. */
  readonly next: number | null;
  readonly created: number;
}

export type FireOutcome = 'done' | 'failed';

export interface Fire {
  /** The same for the same schedule and time, or event: it starts at most one turn. */
  readonly id: string;
  readonly schedule: string;
  /** When it was to be, without jitter. */
  readonly due: number;
  /** Not before. */
  readonly at: number;
  /** JSON: the payload of the event; null for times. */
  readonly payload: unknown;
  readonly state: 'waiting' | FireOutcome;
  readonly note: string | null;
}

export interface NewFire {
  /** Unique within its schedule: the time, or the event's id. */
  readonly key: string;
  readonly due: number;
  readonly at: number;
  readonly payload: unknown;
}

export interface Schedules {
  /** Throws `run_state` if the id is taken. */
  add(schedule: Schedule, next: number | null): ScheduleRow;
  /** Throws `not_found`. */
  get(id: string): ScheduleRow;
  list(): readonly ScheduleRow[];
  /** Also removes its fires. Throws `not_found`. */
  remove(id: string): void;
  enable(id: string, enabled: boolean, next: number | null): ScheduleRow;
  /** Enabled schedules that are due. */
  due(now: number): readonly ScheduleRow[];
  /** In one step: adds the missing fires and sets the next time. False if `next` no longer equals `seen`. */
  advance(id: string, seen: number | null, fires: readonly NewFire[], next: number | null): Promise<boolean>;
  /** The last first. */
  fires(schedule: string, limit?: number): Promise<readonly Fire[]>;
  /** When the next one is due; null for none. */
  nextAt(): number | null;
}

export const fireTopic = 'fires';

/** A running fire also waits, for its end. */
export function fireOf({ key, group, due: at, payload, state, error }: Job): Fire {
  const { due, payload: brought } = payload as { readonly due: number; readonly payload: unknown };
  return Object.freeze({
    id: key,
    schedule: group ?? '',
    due,
    at,
    payload: brought,
    state: state === 'done' || state === 'failed' ? state : 'waiting',
    note: error?.message ?? null,
  });
}
