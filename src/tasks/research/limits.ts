import type { Amounts, Limits as Ceilings } from '../../core/index.ts';
import {
  checkLimits,
  type LimitRange,
  nonNegative,
  poolLimits,
  reserveFor,
  tokenReserve,
  usdReserve,
} from '../run-limits.ts';

/** The limits of a research. Every number is checked before the run exists. */
export interface Limits {
  /** 1 to 20. The last step is reserved for the answer. */
  readonly steps: number;
  /** Milliseconds of working time. */
  readonly wall_ms: number;
  /** Maximum milliseconds of one action. */
  readonly action_ms: number;
  readonly tokens: number;
  /** US dollars; absent: no separate limit. */
  readonly usd?: number;
  /** Requests to models. */
  readonly calls?: number;
}

export const defaultLimits: Limits = Object.freeze({
  steps: 10,
  wall_ms: 120_000,
  action_ms: 30_000,
  tokens: 200_000,
});

export const maxSteps = 20;

const ranges: Readonly<Record<keyof Limits, LimitRange>> = {
  steps: { min: 1, max: maxSteps, whole: true },
  wall_ms: nonNegative,
  action_ms: nonNegative,
  tokens: nonNegative,
  usd: nonNegative,
  calls: nonNegative,
};

/** Adds the defaults. Throws `bad_argument`, which names the limit, for a value out of range. */
export function limitsOf(requested: Partial<Limits> = {}): Limits {
  return checkLimits('research', ranges, defaultLimits, requested);
}

/** The ceilings of the run's pool. */
export function ceilingsOf(limits: Limits): Ceilings {
  return poolLimits(limits.steps, limits);
}

/**
 * The part of the budget that is reserved for the final answer: one step, a call and its repair over a page of
 * evidence, and the time for them. If the budget is small, the reserve is only a part of it, so that something is left
 * for finding evidence.
 */
export function reserveOf(limits: Limits): Amounts {
  return reserveFor(limits, {
    wall_ms: { part: 0.25, max: 30_000 },
    tokens: tokenReserve,
    usd: usdReserve,
    calls: { part: 0.5, max: 2 },
  });
}
