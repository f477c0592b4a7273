/**
 * The two ports of a metered call, which the run layer implements: the pool over core's ledger, the journal
 * over the store. Every attempt at a model is reserved before it is sent and settled after.
 *
 * All three answer at once, so that recording a reply and settling its reservation can be one transaction.
 * An implementer must not: grant less than was asked (say so with `exhausted`, which carries the numbers),
 * or settle an amount at zero because it was not known.
 */
import type { Amounts, Exhausted, Reserved, Resource } from '../core/index.ts';

/** What an attempt cost: tokens, usd and calls. */
export interface Spent {
  readonly amounts: Amounts;
  /**
   * Resources whose amount is not what the provider reported. `usd` alone: the tokens are true, and the
   * dollars are those tokens at the dearest known price. `tokens`: no usage came back, and they are those of the
   * reservation. Both: the amounts are the whole reservation, as core's ledger settles `unknown`.
   */
  readonly unknown: readonly Resource[];
}

export interface Meter {
  /** `attempt` is unique within the run and the same on every replay of it. */
  reserve(attempt: string, amounts: Amounts): Reserved | Exhausted;
  /** Resolves when a call under way gives back of what is short; null where none can. */
  freed?(short: Exhausted): Promise<void> | null;
  settle(reservation: Reserved, spent: Spent): void;
  /** Nothing was sent, or the provider does not bill what was. */
  release(reservation: Reserved): void;
}
