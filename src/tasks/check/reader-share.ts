/** Reserves a tenth of a run's tokens, money and calls for the model that decides open claims. */
import type { Amounts, Limits, Pool } from '../../core/index.ts';

const share = 0.1;
/** Less than this pays for no page of claims and its answer. Tokens. */
const minTokens = 1_000;

export interface Spendable {
  readonly tokens: number;
  readonly usd?: number;
  readonly calls?: number;
}

export interface Purses {
  /** For all but the reader. */
  readonly work: Pool;
  /** Null for none, or if its part would pay for nothing. */
  readonly reader: Pool | null;
}

/** `reserve`: the run's reserve for its end; it belongs to the work. */
export function purses(
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
