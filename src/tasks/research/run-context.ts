import type { Scope } from '../../catalogue/index.ts';
import type { Clock, Journal, LogOnce, Pool, Step } from '../../core/index.ts';
import type { Model, Prices, RetryPolicy } from '../../model/index.ts';
import type { ClaimHandling } from '../check/claim-handling.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material/material.ts';
import type { Start } from './material/start.ts';

/**
 * The two models of a run. The planner leads the research; the analyst compresses evidence. With `extractive` as the
 * planner no model is called: a fixed policy chooses the actions, and the answer quotes lines.
 */
export interface Models {
  readonly planner: Model;
  readonly analyst: Model;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
}

/** Everything that a research run uses besides its state. All of it is passed in, so that a test can replace it. */
export interface RunContext {
  readonly models: Models;
  readonly material: Material;
  readonly scope: Scope;
  readonly limits: Limits;
  readonly pool: Pick<
    Pool,
    | 'account'
    | 'reserve'
    | 'whenFreed'
    | 'remaining'
    | 'timeLeft'
    | 'timeRefusal'
    | 'deadlineMs'
    | 'recordTime'
  >;
  readonly step: Step;
  /** Writes events that belong to no step. */
  readonly tell: LogOnce;
  /** Reads results that steps of this run have recorded. */
  readonly recorded: Pick<Journal, 'recall'>;
  /** Whether unsupported claims are returned to the author, and the budget of the model that checks claims. */
  readonly claimHandling: ClaimHandling;
  /** Whether an answer may cite `[path:12-30]` instead of an evidence id, if those lines were read. */
  readonly acceptsPlaces: boolean;
  /** The state of the material when the run began. */
  readonly start: Start;
  readonly clock: Clock;
  /** Aborts when the person stops the run. */
  readonly signal: AbortSignal;
  /** Returns a number from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}
