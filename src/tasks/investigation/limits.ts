import { type Amounts, type Limits as Ceilings, SondeError } from '../../core/index.ts';

/** What an investigation may spend, with all that it nests. Every number is checked before the run exists. */
export interface Limits {
  /** Turns of the planner in the whole tree; the last is kept for the answer. */
  readonly turns: number;
  /** Milliseconds of working time. */
  readonly wall_ms: number;
  readonly tokens: number;
  /** US dollars; absent where money has no ceiling of its own. */
  readonly usd?: number;
  /** Requests to models. */
  readonly calls?: number;
  /** Units of the sandbox, in the whole tree. */
  readonly fuel: number;
  /** How deep investigations may nest: 0 forbids it. */
  readonly depth: number;
  /** Hits that a wide search gives at most. */
  readonly wide: number;
  /** Nested investigations side by side. */
  readonly children: number;
}

export const defaultLimits: Limits = Object.freeze({
  turns: 20,
  wall_ms: 300_000,
  tokens: 400_000,
  fuel: 40_000_000_000,
  depth: 1,
  wide: 400,
  children: 4,
});

export const deepest = 3;
/** Questions to a model side by side. Longer batches go in pieces of this size. */
export const batchSize = 16;

/** Of one cell. */
export const cellFuel = 2_000_000_000;
export const cellMs = 30_000;
/** What a cell prints is shown to the planner up to this, head and tail. Bytes. */
export const outputBytes = 12_000;
export const cellCalls = 1000;
/** Less than this starts no interpreter. */
export const leastFuel = 10_000;

const ranges: Readonly<Record<keyof Limits, readonly [least: number, most: number]>> = {
  turns: [1, 200],
  wall_ms: [0, Number.MAX_SAFE_INTEGER],
  tokens: [0, Number.MAX_SAFE_INTEGER],
  usd: [0, Number.MAX_SAFE_INTEGER],
  calls: [0, Number.MAX_SAFE_INTEGER],
  fuel: [0, Number.MAX_SAFE_INTEGER],
  depth: [0, deepest],
  wide: [1, 2000],
  children: [1, 16],
};
const whole: ReadonlySet<string> = new Set(['turns', 'depth', 'wide', 'children']);

/** Throws `bad_argument` naming the limit. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...defaultLimits, ...stated };
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = limits[name as keyof Limits];
    if (value === undefined) continue;
    const fits = typeof value === 'number' && value >= least && value <= most;
    if (fits && (!whole.has(name) || Number.isInteger(value))) continue;
    throw new SondeError('bad_argument', {
      message: `The limit ${name} of an investigation is ${String(value)}`,
      remedy: `Give a ${whole.has(name) ? 'whole ' : ''}number from ${least} to ${most}.`,
    });
  }
  return Object.freeze(limits);
}

/** The ceilings of the run's pool. */
export function ceilingsOf({ turns, wall_ms, tokens, usd, calls, fuel }: Limits): Ceilings {
  return {
    steps: turns,
    wall_ms,
    tokens,
    fuel,
    ...(usd !== undefined && { usd }),
    ...(calls !== undefined && { calls }),
  };
}

/** Kept back for the last turn, in which the planner gives what it has. */
export function reserveOf({ wall_ms, tokens, usd, calls, fuel }: Limits): Amounts {
  return {
    steps: 1,
    wall_ms: Math.floor(Math.min(20_000, wall_ms * 0.2)),
    tokens: Math.floor(Math.min(16_000, tokens * 0.3)),
    fuel: Math.floor(Math.min(200_000_000, fuel * 0.1)),
    ...(usd !== undefined && { usd: usd * 0.2 }),
    ...(calls !== undefined && { calls: Math.min(1, Math.floor(calls / 2)) }),
  };
}
