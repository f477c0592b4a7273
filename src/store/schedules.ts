/**
 * What is to happen at a time or at an event, and each time it did. It knows when, and the words to start with;
 * of graphs it knows nothing.
 *
 * An implementer must not: make two fires of one time or one event, lose one that was made, or let two workers
 * hold one.
 */
import type { Amounts } from '../core/index.ts';
import type { Lease } from './store.ts';

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
  /** Of each turn. */
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
  advance(id: string, seen: number | null, fires: readonly NewFire[], next: number | null): boolean;
  /** Waiting fires whose time has come, the earliest first. */
  waiting(now: number): readonly Fire[];
  /** The last first. */
  fires(schedule: string, limit?: number): readonly Fire[];
  /** Null while another worker has it, and where it has ended. */
  acquire(fire: string): Lease | null;
  /** Throws `lease_lost`. */
  finish(lease: Lease, fire: string, outcome: FireOutcome, note?: string): void;
  /** When something is due next, by time or by a waiting fire; null: nothing. */
  nextAt(): number | null;
}
