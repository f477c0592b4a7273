/** The part of a call's setting that follows from the pool which pays for it. */
import type { BudgetEnd, Pool } from '../../core/index.ts';
import type { Model } from '../model.ts';
import type { AttemptOptions } from './attempts.ts';

export type PayingPool = Pick<
  Pool,
  'account' | 'reserve' | 'whenFreed' | 'timeLeft' | 'timeRefusal' | 'deadlineMs'
>;

export interface WithinOptions {
  /** May draw on what is kept back for the final answer. */
  readonly final: boolean;
  /** The call is never silent for longer, whatever time is left. Milliseconds. */
  readonly maxLengthAllowed: number;
}

export interface PoolBounds
  extends Pick<AttemptOptions, 'deadline' | 'timeoutMs'>,
    Required<Pick<AttemptOptions, 'pool' | 'final' | 'scope' | 'timeRefusal'>> {}

/** A model on the user's own machine may take minutes to read its prompt, and nobody bills it. Milliseconds. */
const maxLocalMs = 1_800_000;

/** How long a model may be silent, where the usual limit is `usual`. */
export function maxSilence({ local }: Pick<Model, 'local'>, usual: number): number {
  return local ? Math.max(usual, maxLocalMs) : usual;
}

/** The share of a pool that one call may take. */
export function withinPool(pool: PayingPool, { final, maxLengthAllowed }: WithinOptions): PoolBounds {
  const timeLeft = pool.timeLeft({ final });
  return {
    pool,
    final,
    scope: pool.account,
    timeoutMs: Math.max(1, Math.min(maxLengthAllowed, timeLeft)),
    timeRefusal: () => pool.timeRefusal({ final }),
    ...(Number.isFinite(timeLeft) && { deadline: pool.deadlineMs({ final }) }),
  };
}

/** A timeout where no time is left is the end of the budget, and not a failure of the model. */
export function timeRefusal(pool: Pick<Pool, 'timeRefusal'>, _key: string, final: boolean): BudgetEnd | null {
  return pool.timeRefusal({ final });
}
