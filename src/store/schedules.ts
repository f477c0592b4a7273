/**
 * What is to happen at a time or at an event. It knows when, and the words to start with; of graphs it knows nothing.
 * Each time it happens is a fire: a job of the queue, of the topic `fires`, in the group of its schedule.
 *
 * An implementer must not: make two fires of one time or one event, or move on to the next time without the fires that
 * were due.
 */
import type { Amounts } from '../core/index.ts';
import type { Job } from './queue/queue.ts';

export type Trigger =
  /** Five fields of cron, in the time of a zone such as `Europe/Berlin`. */
  | { readonly kind: 'cron'; readonly expression: string; readonly zone: string }
  | { readonly kind: 'interval'; readonly everyMs: number }
  /** Names of workspace events. */
  | { readonly kind: 'event'; readonly names: readonly string[] };

/** skip: what was missed stays missed. once: one fire for all of it. all: each, up to a hundred. */
export type MissedPolicy = 'skip' | 'once' | 'all';

export interface Schedule {
  readonly id: string;
  readonly trigger: Trigger;
  /** What the turn starts with. */
  readonly prompt: string;
  /** Null: a new thread for each fire. */
  readonly thread: string | null;
  readonly missed: MissedPolicy;
  /** A fire comes up to so much later, always the same for the same time. Milliseconds. */
  readonly jitterMs: number;
  /** The limits of each turn. */
  readonly limits: Amounts;
  readonly enabled: boolean;
}

export interface ScheduleRow extends Schedule {
  /** The next time, without jitter; null for events, and where there is none. Milliseconds since the epoch. */
  readonly next: number | null;
  readonly created: number;
}

export type FireOutcome = 'done' | 'failed';

export interface Fire {
  /** The same for the same schedule and time, or event: whoever starts a turn by it starts it once. */
  readonly id: string;
  readonly schedule: string;
  /** When it was to be, without jitter. */
  readonly due: number;
  /** Not before. */
  readonly at: number;
  /** JSON: what the event brought; null for times. */
  readonly payload: unknown;
  readonly state: 'waiting' | FireOutcome;
  readonly note: string | null;
}

export interface NewFire {
  /** What tells it from the schedule's others: the time, or the event's id. */
  readonly key: string;
  readonly due: number;
  readonly at: number;
  readonly payload: unknown;
}

export interface Schedules {
  /** Throws `run_state` where the id is taken. */
  add(schedule: Schedule, next: number | null): ScheduleRow;
  /** Throws `not_found`. */
  get(id: string): ScheduleRow;
  list(): readonly ScheduleRow[];
  /** With its fires. Throws `not_found`. */
  remove(id: string): void;
  enable(id: string, enabled: boolean, next: number | null): ScheduleRow;
  /** Enabled ones whose time has come. */
  due(now: number): readonly ScheduleRow[];
  /** In one step: the fires that are not there yet, and the next time. False where `next` was not `seen` any more. */
  advance(id: string, seen: number | null, fires: readonly NewFire[], next: number | null): Promise<boolean>;
  /** The last first. */
  fires(schedule: string, limit?: number): Promise<readonly Fire[]>;
  /** When one is due next by its time; null: none is. */
  nextAt(): number | null;
}

export const fireTopic = 'fires';

/** One that is worked on waits for its end, too. */
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
