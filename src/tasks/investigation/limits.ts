import type { Amounts, Limits as Ceilings } from '../../core/index.ts';
import {
  anyAmount,
  ceilings,
  checkedLimits,
  keptBack,
  type LimitRange,
  tokensKept,
  usdKept,
} from '../run-limits.ts';

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
/** Milliseconds: computing is bounded by fuel, so that this ends only what hangs, also where a machine is busy. */
export const cellMs = 120_000;
/** What a cell prints is shown to the planner up to this, head and tail. Bytes. */
export const outputBytes = 12_000;
/** As many as kb_list gives paths: a cell may read them all. */
export const cellCalls = 20_000;
/** Less than this starts no interpreter. */
export const leastFuel = 10_000;

const ranges: Readonly<Record<keyof Limits, LimitRange>> = {
  turns: { least: 1, most: 200, whole: true },
  wall_ms: anyAmount,
  tokens: anyAmount,
  usd: anyAmount,
  calls: anyAmount,
  fuel: anyAmount,
  depth: { least: 0, most: deepest, whole: true },
  wide: { least: 1, most: 2000, whole: true },
  children: { least: 1, most: 16, whole: true },
};

/** Throws `bad_argument` naming the limit. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  return checkedLimits('investigation', ranges, defaultLimits, given);
}

/** The ceilings of the run's pool. */
export function ceilingsOf(limits: Limits): Ceilings {
  return ceilings(limits.turns, limits);
}

/** Kept back for the last turn, in which the planner gives what it has. */
export function reserveOf(limits: Limits): Amounts {
  return keptBack(limits, {
    wall_ms: { part: 0.2, most: 20_000 },
    tokens: tokensKept,
    usd: usdKept,
    calls: { part: 0.5, most: 1 },
    fuel: { part: 0.1, most: 200_000_000 },
  });
}
