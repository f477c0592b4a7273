/**
 * The contract of a step: the only way in which work of a run becomes durable. It recalls, or aborts, or reserves and
 * runs; then it records, settles and logs in one transaction. `store` implements it; a room that may not import
 * `store` takes a `Step` as a value.
 *
 * An implementer must not: run work whose key is recorded, record an exception, or release a value that a later
 * process could not recall.
 */
import type { Amounts, BudgetEnd } from './budget/budget.ts';
import type { Pool } from './budget/pool.ts';
import type { RunEvent } from './event.ts';

export interface StepWork<Value> {
  /**
   * The maximum cost: reserved before, settled after. If absent, nothing is reserved. A function is called again after
   * each wait for other work of this process to free a resource that ran short.
   */
  readonly cost?: Amounts | (() => Amounts);
  /** The pool that pays instead of the run's own pool, of which it is a child. */
  readonly pool?: Pick<Pool, 'reserve' | 'whenFreed' | 'timeLeft'>;
  /**
   * False: refuses at once if other work of this process holds the short resource, since that work may be waiting for
   * this step. Otherwise it waits.
   */
  readonly waits?: boolean;
  /**
   * Called when waiting can't help: returns a smaller request, or null to end the step as exhausted. It may run other
   * steps to find out.
   */
  readonly smallerRequest?: (refused: BudgetEnd) => Amounts | null | Promise<Amounts | null>;
  /** What to do about a refusal, recorded with it; null if only a larger budget helps. */
  readonly remedy?: (refused: BudgetEnd) => string | null;
  /** Stored together with the next commit: until then, no other process sees its result. */
  readonly deferCommit?: boolean;
  /** May use the reserve of the final answer. */
  readonly final?: boolean;
  /** Milliseconds after which `signal` aborts. */
  readonly timeout?: number;
  /** Runs even after a cancel: the end of a run needs it. */
  readonly evenIfStopped?: boolean;
  /** The event logged before the step runs; stored with the next commit. */
  readonly startEvent?: RunEvent | ((reserved: Amounts) => RunEvent);
  /** A thrown error is a bug or the end of the process: nothing is recorded. An expected failure is a value. */
  run(signal: AbortSignal, key: string): Promise<StepDone<Value>>;
}

export interface StepDone<Value> {
  /** A value that JSON can hold. The caller gets the recalled form of it, even the first time. */
  readonly value: Value;
  /** `unknown` settles at the reservation; absent: nothing was spent. */
  readonly spent?: Amounts | 'unknown';
  /** Logged in the same transaction. */
  readonly events?: readonly (readonly [key: string, event: RunEvent])[];
  /** Record it although the run was cancelled meanwhile. */
  readonly keepIfCancelled?: boolean;
  /**
   * False: the failure may be temporary. It is settled and logged, and the key may be tried again, now or when the run
   * is resumed.
   */
  readonly record?: boolean;
}

export type StepResult<Value> =
  | { readonly kind: 'done'; readonly value: Value; readonly recalled: boolean }
  | { readonly kind: 'cancelled' }
  | BudgetEnd;

/** `key` names the step within its run, the same every time the run goes through it. */
export type Step = <Value>(key: string, work: StepWork<Value>) => Promise<StepResult<Value>>;

/**
 * Logs an event that belongs to no step: once per key, stored with the next commit. Returns false if it was logged
 * before.
 */
export type LogOnce = (key: string, event: RunEvent) => boolean;
