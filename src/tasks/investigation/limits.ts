import type { Amounts, Limits as Ceilings } from '../../core/index.ts';
import {
  anyAmount,
  ceilings,
  checkLimits,
  type LimitRange,
  reserveShare,
  tokensKept,
  usdKept,
} from '../run-limits.ts';

/** The minimum for the last turn: tokens, and US dollars. */
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
  /** How deep investigations may nest; 0: not at all. */
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
 * Unset limits follow from the budget. Each formula is in docs/configuration.md, with its setting. turns: one for
 * each 2,000 tokens, at least 20: tokens end a tree, and turns only work that goes round in circles. reply_tokens: a
 * twentieth of the tokens up to 8,000, above 400,000 a fiftieth: room to think within the limit.
 */
function limitsForBudget({ tokens, wall_ms }: Pick<Limits, 'tokens' | 'wall_ms'>) {
  return {
    turns: clamp(20, tokens / 2_000, maxTurns),
    ask_width: clamp(4, tokens / 25_000, 64),
    reply_tokens: clamp(600, Math.max(Math.min(tokens / 20, 8_000), tokens / 50), 32_000),
    call_ms: clamp(1_000, wall_ms / 2, 3_600_000),
  };
}

function defaultsFor(given: Partial<Limits>): Limits {
  const fixed = { ...fixedLimits, ...numbersOf(given) };
  const { ask_width = 0, ...derived } = { ...limitsForBudget(fixed), ...numbersOf(given) };
  return { ...fixed, ...derived, ask_width, children: clamp(1, ask_width / 4, 16) };
}

/** A value that is no number is reported by the check, not fed into a formula. */
function numbersOf(given: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => Number.isFinite(value)));
}

/** Maximum of bytes, as JSON, of an answer with the places of its citations: the caller's result needs the rest. */
export const maxAnswerBytes = 3_200;
/** Bytes of each place, without its path. */
export const maxCitationBytes = 63;
/** The maximum for a nested answer that is no text: it only becomes a value in Python. */
export const maxNestedBytes = 64_000;

/** Fuel of one cell. */
export const cellFuel = 2_000_000_000;
/** Milliseconds: fuel limits computing, so this ends only cells that hang, even on a busy machine. */
export const cellMs = 120_000;
/** Bytes of a cell's output shown to the planner, cut in the middle. */
export const outputBytes = 12_000;
/** Equal to the maximum number of paths of kb_list, so that a cell can read them all. */
export const cellCalls = 20_000;
/** Less than this starts no interpreter. */
export const minFuel = 10_000;

const ranges: Readonly<Record<keyof Limits, LimitRange>> = {
  turns: { min: 1, max: maxTurns, whole: true },
  wall_ms: anyAmount,
  tokens: anyAmount,
  usd: anyAmount,
  calls: anyAmount,
  fuel: anyAmount,
  depth: { min: 0, max: maxDepth, whole: true },
  wide: { min: 1, max: 2000, whole: true },
  children: { min: 1, max: 64, whole: true },
  ask_width: { min: 1, max: maxWidth, whole: true },
  reply_tokens: { min: 100, max: 128_000, whole: true },
  call_ms: { min: 100 },
};

/** Throws `bad_argument` naming the limit. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  return checkLimits('investigation', ranges, defaultsFor(given), given);
}

/** Limits without any setting. */
export const defaultLimits: Limits = limitsOf();

/** The ceilings of the run's pool. */
export function ceilingsOf(limits: Limits): Ceilings {
  return ceilings(limits.turns, limits);
}

/**
 * Reserved for the last turn, in which the planner gives what it has: its full size if known. A budget too small for
 * any other turn has only that one. Runs from before the size was known keep their reserve.
 */
export function reserveOf(limits: Limits, last?: LastTurn): Amounts {
  const kept = reserveShare(limits, {
    wall_ms: { part: 0.2, max: 20_000 },
    tokens: { ...tokensKept, min: 3_500 },
    usd: usdKept,
    calls: { part: last === undefined ? 0.5 : 1, max: 1 },
    fuel: { part: 0.1, max: 200_000_000 },
  });
  if (last === undefined) return kept;
  const { tokens, usd } = limits;
  return {
    ...kept,
    tokens: Math.min(tokens, Math.max(Math.floor(Math.min(tokens * tokensKept.part, 16_000)), last.tokens)),
    ...(usd !== undefined && { usd: Math.min(usd, Math.max(usd * usdKept.part, last.usd)) }),
  };
}
