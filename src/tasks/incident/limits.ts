import { type Amounts, type Limits as Ceilings, SondeError } from '../../core/index.ts';

/** What an investigation may spend. Every number is checked before the run exists. */
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

export const mostIterations = 20;

export const defaultLimits: Limits = Object.freeze({
  iterations: mostIterations,
  wall_ms: 300_000,
  tool_ms: 20_000,
  tokens: 600_000,
  context_tokens: 24_000,
});

/** Throws `bad_argument` naming the limit. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...defaultLimits, ...stated };
  if (!Number.isInteger(limits.iterations) || limits.iterations < 1 || limits.iterations > mostIterations)
    throw new SondeError('bad_argument', {
      message: `An investigation takes 1 to ${mostIterations} turns, not ${limits.iterations}`,
      remedy: `Give a whole number from 1 to ${mostIterations}.`,
    });
  for (const name of ['wall_ms', 'tool_ms', 'tokens', 'context_tokens', 'usd', 'calls'] as const) {
    const value = limits[name];
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new SondeError('bad_argument', {
        message: `The limit ${name} is ${String(value)}`,
        remedy: 'Give a number that is zero or more.',
      });
  }
  return Object.freeze(limits);
}

/** The ceilings of the run's pool. */
export function ceilingsOf({ iterations, wall_ms, tokens, usd, calls }: Limits): Ceilings {
  return {
    steps: iterations,
    wall_ms,
    tokens,
    ...(usd !== undefined && { usd }),
    ...(calls !== undefined && { calls }),
  };
}

/** Kept back for the conclusion and the diagnosis: two calls with a page of evidence each, and time for them. */
export function reserveOf({ wall_ms, tokens, usd, calls }: Limits): Amounts {
  return {
    steps: 1,
    wall_ms: Math.floor(Math.min(90_000, wall_ms * 0.3)),
    tokens: Math.floor(Math.min(70_000, tokens * 0.45)),
    ...(usd !== undefined && { usd: usd * 0.35 }),
    ...(calls !== undefined && { calls: Math.min(4, Math.floor(calls / 2)) }),
  };
}
