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

/** Tokens and US dollars that the last turn needs at least. */
export interface LastTurn {
  readonly tokens: number;
  readonly usd: number;
}

/** The limits of an investigation together with its nested ones. All numbers are checked before the run is created. */
export interface Limits {
  /** Milliseconds of working time. */
  readonly wall_ms: number;
  readonly tokens: number;
  /** US dollars; absent: no separate limit. */
  readonly usd?: number;
  /** Requests to models. */
  readonly calls?: number;
  /** Units of the sandbox, in the whole tree. */
  readonly fuel: number;
  /** Maximum depth of nested investigations; 0: none. */
  readonly depth: number;
  /** Maximum hits of a search with `wide`. */
  readonly wide: number;
  /** Turns of the planner in the whole tree; the last is reserved for the answer. */
  readonly turns: number;
  /** Maximum questions to models in parallel. */
  readonly ask_width: number;
  /** Maximum nested investigations in parallel. */
  readonly children: number;
  /** Tokens of one reply of the planner, in addition to those for thinking. */
  readonly reply_tokens: number;
  /** Maximum time without output of a model call. Milliseconds. */
  readonly call_ms: number;
}

const fixedLimits = Object.freeze({
  wall_ms: 300_000,
  tokens: 400_000,
  fuel: 40_000_000_000,
  depth: 1,
  wide: 400,
});

export const maxTurns = 1_000;
export const maxWidth = 256;
export const maxDepth = 3;

const clamp = (min: number, amount: number, max: number): number =>
  Math.floor(Math.min(max, Math.max(min, amount)));

/**
 * Derives unset limits from the budget. docs/configuration.md has each formula with its setting. `turns`: one per 2,000
 * tokens, at least 20, so that tokens are the usual limit, and turns only stop loops. `reply_tokens`: a twentieth of
 * the tokens up to 8,000, or a fiftieth if that is more, which leaves room for thinking.
 */
function limitsForBudget({ tokens, wall_ms }: Pick<Limits, 'tokens' | 'wall_ms'>) {
  return {
    turns: clamp(20, tokens / 2_000, maxTurns),
    ask_width: clamp(4, tokens / 25_000, 64),
    reply_tokens: clamp(600, Math.max(Math.min(tokens / 20, 8_000), tokens / 50), 32_000),
    call_ms: clamp(1_000, wall_ms / 2, 3_600_000),
  };
}

function defaultsFor(requested: Partial<Limits>): Limits {
  const base = { ...fixedLimits, ...numbersOf(requested) };
  const { ask_width = 0, ...derived } = { ...limitsForBudget(base), ...numbersOf(requested) };
  return { ...base, ...derived, ask_width, children: clamp(1, ask_width / 4, 16) };
}

/** The requested limits that are finite numbers. `checkLimits` reports all others. */
function numbersOf(requested: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(Object.entries(requested).filter(([, value]) => Number.isFinite(value)));
}

/** Maximum bytes, as JSON, of an answer with the places of its citations. The rest of the result has its own fields. */
export const maxAnswerBytes = 3_200;
/** Maximum bytes of a citation's place, without its path. */
export const maxCitationBytes = 63;
/** Maximum bytes of a nested answer that is no text, and only becomes a value in Python. */
export const maxNestedBytes = 64_000;

/** Maximum fuel of one cell. */
export const cellFuel = 2_000_000_000;
/** Maximum milliseconds of one cell. Fuel limits computing, so this only ends cells that hang. */
export const cellMs = 120_000;
/** Bytes of a cell's output shown to the planner, cut in the middle. */
export const outputBytes = 12_000;
/** Maximum calls of one cell: the maximum number of paths of kb_list, so that a cell can read them all. */
export const cellCalls = 20_000;
/** Minimum fuel with which an interpreter can start. */
export const minFuel = 10_000;

const ranges: Readonly<Record<keyof Limits, LimitRange>> = {
  turns: { min: 1, max: maxTurns, whole: true },
  wall_ms: nonNegative,
  tokens: nonNegative,
  usd: nonNegative,
  calls: nonNegative,
  fuel: nonNegative,
  depth: { min: 0, max: maxDepth, whole: true },
  wide: { min: 1, max: 2000, whole: true },
  children: { min: 1, max: 64, whole: true },
  ask_width: { min: 1, max: maxWidth, whole: true },
  reply_tokens: { min: 100, max: 128_000, whole: true },
  call_ms: { min: 100 },
};

/** Adds the defaults. Throws `bad_argument`, which names the limit, for a value out of range. */
export function limitsOf(requested: Partial<Limits> = {}): Limits {
  return checkLimits('investigation', ranges, defaultsFor(requested), requested);
}

/** The limits if none is requested. */
export const defaultLimits: Limits = limitsOf();

/** The ceilings of the run's pool. */
export function ceilingsOf(limits: Limits): Ceilings {
  return poolLimits(limits.turns, limits);
}

/**
 * The reserve for the last turn, in which the planner gives what it has. `last`: the size of that turn; absent in older
 * runs, whose reserve stays as it was. A budget that is too small for other turns has only the last one.
 */
export function reserveOf(limits: Limits, last?: LastTurn): Amounts {
  const reserve = reserveFor(limits, {
    wall_ms: { part: 0.2, max: 20_000 },
    tokens: { ...tokenReserve, min: 3_500 },
    usd: usdReserve,
    calls: { part: last === undefined ? 0.5 : 1, max: 1 },
    fuel: { part: 0.1, max: 200_000_000 },
  });
  if (last === undefined) return reserve;
  const { tokens, usd } = limits;
  return {
    ...reserve,
    tokens: Math.min(tokens, Math.max(Math.floor(Math.min(tokens * tokenReserve.part, 16_000)), last.tokens)),
    ...(usd !== undefined && { usd: Math.min(usd, Math.max(usd * usdReserve.part, last.usd)) }),
  };
}
