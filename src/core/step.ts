/**
 * The contract of a step: the one way in which anything that a run does becomes durable. Recall, or abort, or
 * reserve and run, then record, settle and tell the log in one transaction. `store` implements it; a room that may
 * not import `store` takes a `Step` as a value.
 *
 * An implementer must not: run work whose key is recorded, record what was thrown, or let a value be used that
 * a later process would not recall.
 */
import type { Amounts, Exhausted } from './budget/budget.ts';
import type { Pool } from './budget/pool.ts';
import type { RunEvent } from './event.ts';

export interface StepWork<Value> {
  /**
   * What it may cost at most: reserved before, settled after. Nothing is reserved without it. A function is asked
   * again after each wait for others in this process that hold what is short.
   */
  readonly cost?: Amounts | (() => Amounts);
  /** Pays for it in place of the run's own: a pool below that. */
  readonly pool?: Pick<Pool, 'reserve' | 'freed' | 'timeLeft'>;
  /**
   * False: it is refused where others in this process hold what is short, since one of them may be waiting
   * for this very step. Otherwise it waits for them.
   */
  readonly waits?: boolean;
  /**
   * Called when there is nothing left to wait for: what to ask for in place of what was refused; null ends
   * the step as exhausted. It may take other steps to find out.
   */
  readonly less?: (refused: Exhausted) => Amounts | null | Promise<Amounts | null>;
  /** Kept with the next commit, not with one of its own: nobody outside sees its result before that. */
  readonly cheap?: boolean;
  /** May use what is kept back for the end. */
  readonly final?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Run also where the run was cancelled meanwhile: what its end is made of. */
  readonly anyway?: boolean;
  /** Logged before it runs (kept with the next commit, not with one of its own). */
  readonly begun?: RunEvent | ((reserved: Amounts) => RunEvent);
  /** A thrown error is a bug or a death: nothing is recorded. An expected failure is a value. */
  run(signal: AbortSignal, key: string): Promise<StepDone<Value>>;
}

export interface StepDone<Value> {
  /** A value that JSON can hold. The loop goes on with the recalled value, also the first time. */
  readonly value: Value;
  /** `unknown` settles at the reservation; absent: nothing was spent. */
  readonly spent?: Amounts | 'unknown';
  /** Logged in the same transaction. */
  readonly events?: readonly (readonly [key: string, event: RunEvent])[];
  /** Record it although the run was cancelled meanwhile. */
  readonly keep?: boolean;
  /** False: a failure that may pass. It is settled and told, and the key may be tried again, now or by a later life. */
  readonly record?: boolean;
}

export type Stepped<Value> =
  | { readonly kind: 'done'; readonly value: Value; readonly recalled: boolean }
  | { readonly kind: 'cancelled' }
  | Exhausted;

/** `key` names the step within its run, and is the same each time the run is gone through. */
export type Step = <Value>(key: string, work: StepWork<Value>) => Promise<Stepped<Value>>;

/**
 * Logs an event that belongs to no step: once for each key, kept with the next commit. False where it was
 * logged before.
 */
export type Tell = (key: string, event: RunEvent) => boolean;
