/** How a run handles the claims of its answer. */
import type { Amounts, Limits, Pool } from '../../core/index.ts';
import type { ReaderWord } from '../../gate/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import type { Model } from '../../model/index.ts';

export interface ClaimHandling {
  /** Unsupported claims are returned to the author, once. */
  readonly goesBack: boolean;
  /** The budget of the reader; null if there is no reader. */
  readonly readerPool: Pool | null;
  readonly readerSoFar: ReaderState;
}

/** The reader's verdicts and failure in earlier checks of the same run. */
export interface ReaderState {
  /** Verdicts by claim and lines, so that the reader is asked about each only once. */
  readonly words: Map<string, ReaderWord>;
  /** Why the reader failed, for people; null if it did not. After a failure it is not asked again. */
  failure: string | null;
}

export const createReaderState = (): ReaderState => ({ words: new Map(), failure: null });

export interface ClaimHandlingOptions {
  /** The setting when the run began; absent in runs from versions without a reader. */
  readonly reader: boolean | undefined;
  readonly models: { readonly planner: Pick<Model, 'name'>; readonly analyst: Pick<Model, 'name'> };
  readonly limits: Spendable;
  /** The run's reserve for its end. */
  readonly reserve: Amounts;
}

/** Splits the pool into a part for the work and a part for the reader. */
export function splitPoolForClaims(
  pool: Pool,
  { reader, models, limits, reserve }: ClaimHandlingOptions,
): { readonly pool: Pool; readonly claimHandling: ClaimHandling } {
  const isOn = reader === true && !isExtractive(models.planner) && !isExtractive(models.analyst);
  const { work, reader: readerPool } = splitPool(pool, limits, { reserve, isOn });
  return {
    pool: work,
    claimHandling: { goesBack: reader !== undefined, readerPool, readerSoFar: createReaderState() },
  };
}

const readerShare = 0.1;
/** Minimum tokens of the reader's part: fewer would not pay for a page of claims and its answer. */
const minTokens = 1_000;

interface Spendable {
  readonly tokens: number;
  readonly usd?: number;
  readonly calls?: number;
}

interface PoolParts {
  /** The part for everything but the reader. */
  readonly work: Pool;
  /** The part for the reader; null if there is no reader, or if the part would be too small to pay for anything. */
  readonly reader: Pool | null;
}

/**
 * Reserves a tenth of a run's tokens, money and calls for the model that decides open claims. `reserve`: the run's
 * reserve for its end; it belongs to the work.
 */
function splitPool(
  pool: Pool,
  limits: Spendable,
  { reserve, isOn }: { readonly reserve: Amounts; readonly isOn: boolean },
): PoolParts {
  if (!isOn || limits.tokens * readerShare < minTokens) return { work: pool, reader: null };
  const { tokens, usd, calls } = limits;
  const readerLimits: Limits = {
    tokens: Math.floor(tokens * readerShare),
    ...(usd !== undefined && { usd: usd * readerShare }),
    ...(calls !== undefined && { calls: Math.max(1, Math.floor(calls * readerShare)) }),
  };
  const workLimits: Limits = {
    tokens: tokens - Math.floor(tokens * readerShare),
    ...(usd !== undefined && { usd: usd - usd * readerShare }),
    // If there are few calls, none is reserved: open claims are decided only if a call is left over.
    ...(calls !== undefined && { calls: calls - Math.floor(calls * readerShare) }),
  };
  return {
    work: pool.child('work', { limits: workLimits, reserve }),
    reader: pool.child('reader', { limits: readerLimits }),
  };
}
