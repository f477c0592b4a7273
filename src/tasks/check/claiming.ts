/** What a run does with the claims of its answer. */
import type { Amounts, Limits, Pool } from '../../core/index.ts';
import type { ReaderWord } from '../../gate/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import type { Model } from '../../model/index.ts';

export interface Claiming {
  /** Unsupported claims are returned to the author, once. */
  readonly goesBack: boolean;
  /** The budget of the reader; null if there is no reader. */
  readonly readerPool: Pool | null;
  readonly readerSoFar: ReaderSoFar;
}

/** What the reader of a run did in its checks so far. */
export interface ReaderSoFar {
  /** Its verdicts, by the claim and its lines: it is asked about each only once. */
  readonly words: Map<string, ReaderWord>;
  /** Why it failed, for people; null if it did not. Then it is asked no more. */
  failure: string | null;
}

export const notYetRead = (): ReaderSoFar => ({ words: new Map(), failure: null });

export interface ClaimingOptions {
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
  { reader, models, limits, reserve }: ClaimingOptions,
): { readonly pool: Pool; readonly claiming: Claiming } {
  const isOn = reader === true && !isExtractive(models.planner) && !isExtractive(models.analyst);
  const { work, reader: readerPool } = purses(pool, limits, { reserve, isOn });
  return { pool: work, claiming: { goesBack: reader !== undefined, readerPool, readerSoFar: notYetRead() } };
}

const share = 0.1;
/** Minimum tokens of the reader's part: fewer do not pay for a page of claims and its answer. */
const minTokens = 1_000;

interface Spendable {
  readonly tokens: number;
  readonly usd?: number;
  readonly calls?: number;
}

interface Purses {
  /** The part for everything but the reader. */
  readonly work: Pool;
  /** The part for the reader; null if there is no reader, or if the part would be too small to pay for anything. */
  readonly reader: Pool | null;
}

/**
 * Reserves a tenth of a run's tokens, money and calls for the model that decides open claims. `reserve`: the run's
 * reserve for its end; it belongs to the work.
 */
function purses(
  pool: Pool,
  limits: Spendable,
  { reserve, isOn }: { readonly reserve: Amounts; readonly isOn: boolean },
): Purses {
  if (!isOn || limits.tokens * share < minTokens) return { work: pool, reader: null };
  const { tokens, usd, calls } = limits;
  const own: Limits = {
    tokens: Math.floor(tokens * share),
    ...(usd !== undefined && { usd: usd * share }),
    ...(calls !== undefined && { calls: Math.max(1, Math.floor(calls * share)) }),
  };
  const rest: Limits = {
    tokens: tokens - Math.floor(tokens * share),
    ...(usd !== undefined && { usd: usd - usd * share }),
    // If there are few calls, none is reserved: open claims are decided only if a call is left over.
    ...(calls !== undefined && { calls: calls - Math.floor(calls * share) }),
  };
  return {
    work: pool.child('work', { limits: rest, reserve }),
    reader: pool.child('reader', { limits: own }),
  };
}
