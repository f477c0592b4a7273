/** The limits of a run: checked against a table, and turned into the limits and the reserve of its pool. */
import { type Amounts, type Limits as Ceilings, SondeError } from '../core/index.ts';

/** The allowed range of one limit, both ends included. Without `max`, any finite number from `min` up is allowed. */
export interface LimitRange {
  readonly min: number;
  readonly max?: number;
  readonly whole?: boolean;
}

/** Any number from zero up, fractions included. */
export const nonNegative: LimitRange = Object.freeze({ min: 0 });

type Numbers<Limits> = { readonly [Name in keyof Limits]: number | undefined };

/** Returns the defaults, overridden by the given limits. Throws `bad_argument`, naming a limit that is out of range. */
export function checkLimits<Limits extends Numbers<Limits>>(
  shape: string,
  ranges: Readonly<Record<keyof Limits, LimitRange>>,
  defaults: Limits,
  given: Partial<Limits>,
): Limits {
  const givenLimits = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...defaults, ...givenLimits };
  for (const name of Object.keys(ranges) as (keyof Limits & string)[]) {
    const value: unknown = limits[name];
    if (value === undefined || isInRange(value, ranges[name])) continue;
    throw new SondeError('bad_argument', {
      message: `The limit ${name} of the shape ${shape} is ${String(value)}`,
      remedy: `Give ${describeRange(ranges[name])}.`,
    });
  }
  return Object.freeze(limits);
}

function isInRange(value: unknown, { min, max = Infinity, whole = false }: LimitRange): boolean {
  // Infinity can't be stored: the row of a run is JSON.
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  return value >= min && value <= max && (!whole || Number.isInteger(value));
}

function describeRange({ min, max, whole = false }: LimitRange): string {
  const bounds = max === undefined ? `that is ${min} or more` : `from ${min} to ${max}`;
  return `a ${whole ? 'whole ' : ''}number ${bounds}`;
}

/** Limits that every kind of run may have. */
interface CommonLimits {
  readonly wall_ms: number;
  readonly tokens: number;
  readonly usd?: number;
  readonly calls?: number;
  readonly fuel?: number;
}

/** The limits of the run's pool. A resource without a limit is left out. */
export function poolLimits(steps: number, { wall_ms, tokens, usd, calls, fuel }: CommonLimits): Ceilings {
  return {
    steps,
    wall_ms,
    tokens,
    ...(fuel !== undefined && { fuel }),
    ...(usd !== undefined && { usd }),
    ...(calls !== undefined && { calls }),
  };
}

/**
 * How much of each limit is reserved for a run's end: a share (0 to 1), at least `min` (but no more than a quarter of
 * the limit), and at most `max`.
 */
export interface ReserveShares {
  readonly wall_ms: Share;
  readonly tokens: Share;
  readonly usd: Share;
  readonly calls: Share;
  readonly fuel?: Share;
}

interface Share {
  readonly part: number;
  readonly min?: number;
  readonly max?: number;
}

/**
 * The share of a run's tokens and money that is reserved for the last turn. Its prompt is cut to what is left: to a few
 * thousand tokens if the budget is small, or to a whole page, an answer and its repair if it is large. Budget that
 * earlier turns did not spend is available as well.
 */
export const tokenReserve: Share = Object.freeze({ part: 0.15, min: 2_000, max: 16_000 });
export const usdReserve: Share = Object.freeze({ part: 0.15 });

/** The output tokens for which a prompt leaves room, out of the maximum of a call. */
export function outputRoom(limits: Pick<CommonLimits, 'tokens'>, max: number): number {
  return Math.floor(Math.min(max, Math.max(600, limits.tokens / 20)));
}

/** The reserve: one step, and its share of each limit that is set; rounded to whole numbers, except money. */
export function reserveFor(limits: CommonLimits, shares: ReserveShares): Amounts {
  const reserved = (limit: number, { part, min = 0, max = Infinity }: Share) =>
    Math.floor(Math.min(max, Math.max(limit * part, Math.min(min, limit / 4))));
  return {
    steps: 1,
    wall_ms: reserved(limits.wall_ms, shares.wall_ms),
    tokens: reserved(limits.tokens, shares.tokens),
    ...(limits.fuel !== undefined && shares.fuel && { fuel: reserved(limits.fuel, shares.fuel) }),
    ...(limits.usd !== undefined && { usd: limits.usd * shares.usd.part }),
    ...(limits.calls !== undefined && { calls: reserved(limits.calls, shares.calls) }),
  };
}

/** JSON has no infinity, so amounts without a limit are left out. */
export function finiteAmounts(amounts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => Number.isFinite(amount)));
}
