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

/** The limits of an investigation. Each is checked before the run exists. */
export interface Limits {
  /** Turns of the loop, 1 to 20; the last is for the conclusion. */
  readonly iterations: number;
  /** Milliseconds of working time. */
  readonly wall_ms: number;
  /** Milliseconds for one question to a system. */
  readonly tool_ms: number;
  readonly tokens: number;
  /** Tokens of evidence that a model is shown at once. */
  readonly context_tokens: number;
  readonly usd?: number;
  readonly calls?: number;
}

const maxIterations = 20;

export const defaultLimits: Limits = Object.freeze({
  iterations: maxIterations,
  wall_ms: 300_000,
  tool_ms: 20_000,
  tokens: 600_000,
  context_tokens: 24_000,
});

const ranges: Readonly<Record<keyof Limits, LimitRange>> = {
  iterations: { min: 1, max: maxIterations, whole: true },
  wall_ms: nonNegative,
  tool_ms: nonNegative,
  tokens: nonNegative,
  context_tokens: nonNegative,
  usd: nonNegative,
  calls: nonNegative,
};

/** Throws `bad_argument` naming the limit. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  return checkLimits('incident', ranges, defaultLimits, given);
}

/** The ceilings of the run's pool. */
export function ceilingsOf(limits: Limits): Ceilings {
  return poolLimits(limits.iterations, limits);
}

/**
 * Reserved for the conclusion and its correction: two turns, and time for them. A page needs at least its fixed part.
 */
export function reserveOf(limits: Limits): Amounts {
  return reserveFor(limits, {
    wall_ms: { part: 0.3, max: 90_000 },
    tokens: { ...tokenReserve, min: 3_000 },
    usd: usdReserve,
    calls: { part: 0.5, max: 4 },
  });
}
