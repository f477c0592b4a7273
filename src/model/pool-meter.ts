/** The pool of a run as the meter of a call, and what its time allows the call. */
import { type Exhausted, type Pool, type Reservation, SondeError } from '../core/index.ts';
import type { CallSetting } from './call.ts';
import type { Meter } from './meter.ts';
import type { Model } from './model.ts';

export type MeteredPool = Pick<Pool, 'account' | 'reserve' | 'freed' | 'timeLeft' | 'deadlineMs'>;

export interface WithinOptions {
  /** May draw on what is kept back for the final answer. */
  readonly final: boolean;
  /** The call is never silent for longer, whatever time is left. Milliseconds. */
  readonly longest: number;
}

export interface Within extends Pick<CallSetting, 'meter' | 'deadline' | 'scope'> {
  readonly timeoutMs: number;
}

/** A model on the user's own machine may take minutes to read its prompt, and nobody bills it. Milliseconds. */
const longestLocal = 1_800_000;

/** How long a model may be silent where others may for `usual`. */
export function longestSilence({ local }: Pick<Model, 'local'>, usual: number): number {
  return local ? Math.max(usual, longestLocal) : usual;
}

/** The part of a call's setting that follows from the pool which pays for it. For one call. */
export function withinPool(pool: MeteredPool, { final, longest }: WithinOptions): Within {
  const timeLeft = pool.timeLeft({ final });
  return {
    meter: meterOf(pool, final),
    scope: pool.account,
    timeoutMs: Math.max(1, Math.min(longest, timeLeft)),
    ...(Number.isFinite(timeLeft) && { deadline: pool.deadlineMs({ final }) }),
  };
}

/**
 * The pool's own word on whether any time is left; asking holds nothing. `step` is unique within the pool. A call
 * that timed out where none is left met the end of the budget, and is no failure of its model.
 */
export function timeOver(pool: MeteredPool, step: string, final: boolean): Exhausted | null {
  if (pool.timeLeft({ final }) > 0) return null;
  const answer = pool.reserve(step, { wall_ms: 1 }, { final });
  if (answer.kind === 'exhausted') return answer;
  answer.release();
  return null;
}

function meterOf(pool: MeteredPool, final: boolean): Meter {
  const open = new Map<string, Reservation>();
  function take(id: string): Reservation {
    const reservation = open.get(id);
    open.delete(id);
    if (reservation !== undefined) return reservation;
    throw new SondeError('internal', { message: `The call ${id} ends a reservation it does not hold` });
  }
  return {
    reserve(attempt, amounts) {
      const answer = pool.reserve(attempt, amounts, { final });
      if (answer.kind === 'exhausted') return answer;
      open.set(attempt, answer);
      return { kind: 'reserved', id: attempt, amounts: answer.amounts };
    },
    freed: (short) => pool.freed(short),
    settle({ id }, { amounts, unknown }) {
      const whole = unknown.includes('tokens') && unknown.includes('usd');
      take(id).settle(whole ? 'unknown' : amounts);
    },
    release: ({ id }) => take(id).release(),
  };
}
