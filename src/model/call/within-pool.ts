/** What of a call's setting follows from the pool that pays for it. */
import type { Exhausted, Pool } from '../../core/index.ts';
import type { Model } from '../model.ts';
import type { AttemptOptions } from './attempts.ts';

export type PayingPool = Pick<Pool, 'account' | 'reserve' | 'freed' | 'timeLeft' | 'timeOver' | 'deadlineMs'>;

export interface WithinOptions {
  /** May draw on what is kept back for the final answer. */
  readonly final: boolean;
  /** The call is never silent for longer, whatever time is left. Milliseconds. */
  readonly maxLengthAllowed: number;
}

export interface Within
  extends Pick<AttemptOptions, 'deadline' | 'timeoutMs'>,
    Required<Pick<AttemptOptions, 'pool' | 'final' | 'scope' | 'timeOver'>> {}

/** A model on the user's own machine may take minutes to read its prompt, and nobody bills it. Milliseconds. */
const maxLocalMs = 1_800_000;

/** How long a model may be silent where others may for `usual`. */
export function maxSilence({ local }: Pick<Model, 'local'>, usual: number): number {
  return local ? Math.max(usual, maxLocalMs) : usual;
}

/** The share of a pool that one call may take. */
export function withinPool(pool: PayingPool, { final, maxLengthAllowed }: WithinOptions): Within {
  const timeLeft = pool.timeLeft({ final });
  return {
    pool,
    final,
    scope: pool.account,
    timeoutMs: Math.max(1, Math.min(maxLengthAllowed, timeLeft)),
    timeOver: () => pool.timeOver({ final }),
    ...(Number.isFinite(timeLeft) && { deadline: pool.deadlineMs({ final }) }),
  };
}

/** A call that timed out where no time is left met the end of the budget, and is no failure of its model. */
export function timeOver(pool: Pick<Pool, 'timeOver'>, _key: string, final: boolean): Exhausted | null {
  return pool.timeOver({ final });
}
