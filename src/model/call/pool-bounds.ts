/** Derives the limits of a call from the pool that pays for it. */
import type { BudgetEnd, Pool } from '../../core/index.ts';
import type { Model } from '../model.ts';
import type { AttemptOptions } from './attempts.ts';

export type PayingPool = Pick<
  Pool,
  'account' | 'reserve' | 'whenFreed' | 'timeLeft' | 'timeRefusal' | 'deadlineMs'
>;

export interface PoolLimitOptions {
  /** May use the reserve for the final answer. */
  readonly final: boolean;
  /** The longest silence of the call, whatever time is left. Milliseconds. */
  readonly maxSilenceMs: number;
}

export interface PoolBounds
  extends Pick<AttemptOptions, 'deadline' | 'timeoutMs'>,
    Required<Pick<AttemptOptions, 'pool' | 'final' | 'scope' | 'timeRefusal'>> {}

/** A model on the user's own machine may take minutes to read its prompt, and nobody bills it. Milliseconds. */
const maxLocalSilenceMs = 1_800_000;

/** How long a model may be silent. Milliseconds; `usualMs` applies to models that are not local. */
export function maxSilence({ local }: Pick<Model, 'local'>, usualMs: number): number {
  return local ? Math.max(usualMs, maxLocalSilenceMs) : usualMs;
}

/** The limits of one call within a pool. */
export function limitToPool(pool: PayingPool, { final, maxSilenceMs }: PoolLimitOptions): PoolBounds {
  const timeLeft = pool.timeLeft({ final });
  return {
    pool,
    final,
    scope: pool.account,
    timeoutMs: Math.max(1, Math.min(maxSilenceMs, timeLeft)),
    timeRefusal: () => pool.timeRefusal({ final }),
    ...(Number.isFinite(timeLeft) && { deadline: pool.deadlineMs({ final }) }),
  };
}

/** If no time is left, a timeout means that the budget is exhausted, and not that the model failed. */
export function timeRefusal(pool: Pick<Pool, 'timeRefusal'>, _key: string, final: boolean): BudgetEnd | null {
  return pool.timeRefusal({ final });
}
