import type { Clock, Journal, Pool, Step, Tell } from '../../core/index.ts';
import type { Model, Prices, RetryPolicy } from '../../model/index.ts';
import type { Claiming } from '../check/claiming.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material.ts';
import type { Scope } from './scope.ts';
import type { Start } from './start.ts';

/** The two tiers. `extractive` as the planner: no model is called, a fixed policy chooses and answers. */
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
    'account' | 'reserve' | 'whenFreed' | 'remaining' | 'timeLeft' | 'timeOver' | 'deadlineMs' | 'recordTime'
  >;
  readonly step: Step;
  /** Writes events that belong to no step. */
  readonly tell: Tell;
  /** What was recorded, to look at. */
  readonly recorded: Pick<Journal, 'recall'>;
  readonly claiming: Claiming;
  /** An answer may cite `[path:12-30]`, where those lines were read. */
  readonly takesPlaces: boolean;
  /** What the run found when it began. */
  readonly start: Start;
  readonly clock: Clock;
  /** The person's wish to stop. */
  readonly signal: AbortSignal;
  /** 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}
