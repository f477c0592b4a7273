/** What a run does with the claims of its answer. */
import type { Amounts, Pool } from '../../core/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import type { Model } from '../../model/index.ts';
import { purses, type Spendable } from './reader-share.ts';

export interface Claiming {
  /** Unsupported claims are returned to the author, once. */
  readonly goesBack: boolean;
  /** Pays for the reader; null for none. */
  readonly readerPool: Pool | null;
}

export interface ClaimingOptions {
  /** As set when the run began; absent in runs from before claims were read. */
  readonly reader: boolean | undefined;
  readonly models: { readonly planner: Pick<Model, 'name'>; readonly analyst: Pick<Model, 'name'> };
  readonly limits: Spendable;
  /** The run's reserve for its end. */
  readonly reserve: Amounts;
}

/** Splits the pool into the part for the work and that for checking claims. */
export function splitPoolForClaims(
  pool: Pool,
  { reader, models, limits, reserve }: ClaimingOptions,
): { readonly pool: Pool; readonly claiming: Claiming } {
  const isOn = reader === true && !isExtractive(models.planner) && !isExtractive(models.analyst);
  const { work, reader: readerPool } = purses(pool, limits, { reserve, isOn });
  return { pool: work, claiming: { goesBack: reader !== undefined, readerPool } };
}
