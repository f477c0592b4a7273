/** What a run does about the claims of its answer. */
import type { Amounts, Pool } from '../../core/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import type { Model } from '../../model/index.ts';
import { purses, type Spendable } from './reader-share.ts';

export interface Claiming {
  /** What its lines don't carry goes back to the author, once. */
  readonly goesBack: boolean;
  /** Pays for the reader; null where there is none. */
  readonly readerPool: Pool | null;
}

export interface ClaimingOptions {
  /** As the run was begun with; absent in runs of before claims were read. */
  readonly reader: boolean | undefined;
  readonly models: { readonly planner: Pick<Model, 'name'>; readonly analyst: Pick<Model, 'name'> };
  readonly limits: Spendable;
  /** What the run keeps back for its end. */
  readonly reserve: Amounts;
}

/** The pool that is left for the work, and what is done about claims. */
export function claimingWith(
  pool: Pool,
  { reader, models, limits, reserve }: ClaimingOptions,
): { readonly pool: Pool; readonly claiming: Claiming } {
  const isOn = reader === true && !isExtractive(models.planner) && !isExtractive(models.analyst);
  const { work, reader: readerPool } = purses(pool, limits, { reserve, isOn });
  return { pool: work, claiming: { goesBack: reader !== undefined, readerPool } };
}
