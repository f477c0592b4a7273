import { type Amounts, type Limits as Ceilings, SondeError } from '../../core/index.ts';

/** What a research may spend. Every number is checked before the run exists. */
export interface Limits {
  /** 1 to 20; the last is kept for the answer. */
  readonly steps: number;
  /** Milliseconds of working time. */
  readonly wall_ms: number;
  /** Milliseconds for one action. */
  readonly action_ms: number;
  readonly tokens: number;
  /** US dollars; absent where money has no ceiling of its own. */
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

export const mostSteps = 20;

/** Throws `bad_argument` naming the limit. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...defaultLimits, ...stated };
  if (!Number.isInteger(limits.steps) || limits.steps < 1 || limits.steps > mostSteps)
    throw new SondeError('bad_argument', {
      message: `A research takes 1 to ${mostSteps} steps, not ${limits.steps}`,
      remedy: `Give a whole number from 1 to ${mostSteps}.`,
    });
  for (const name of ['wall_ms', 'action_ms', 'tokens', 'usd', 'calls'] as const) {
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
export function ceilingsOf({ steps, wall_ms, tokens, usd, calls }: Limits): Ceilings {
  return {
    steps,
    wall_ms,
    tokens,
    ...(usd !== undefined && { usd }),
    ...(calls !== undefined && { calls }),
  };
}

/**
 * Kept back for the final answer: one step, a call and its repair over a page of evidence, and time for them.
 * Of a small budget never more than a good part, so that there is something left to find evidence with.
 */
export function reserveOf({ wall_ms, tokens, usd, calls }: Limits): Amounts {
  return {
    steps: 1,
    wall_ms: Math.floor(Math.min(30_000, wall_ms * 0.25)),
    tokens: Math.floor(Math.min(16_000, tokens * 0.4)),
    ...(usd !== undefined && { usd: usd * 0.25 }),
    ...(calls !== undefined && { calls: Math.min(2, Math.floor(calls / 2)) }),
  };
}
