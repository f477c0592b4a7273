/** What the store keeps of an investigation, beside its log, its records and its snapshots. */
import type { InvestigationRecord, RunResult } from '../../core/index.ts';
import type { Tier } from '../../model/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
import { endOf, rowOf, unfinished } from '../run-row.ts';
import type { JsonSchema } from './answer-form.ts';
import type { Limits } from './limits.ts';

export const investigationShape = 'investigation';

/** What the row of a run holds to start it again. */
export interface Params {
  readonly scope?: string;
  /** What the caller passed along: a value that JSON can hold. */
  readonly context?: unknown;
  readonly schema?: JsonSchema;
  readonly limits: Limits;
  readonly outer: Tier;
  readonly inner: Tier;
  readonly store_artifacts: boolean;
  readonly model: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface FinishedInvestigation {
  readonly result: RunResult;
  readonly investigation: InvestigationRecord;
}

export function investigationRow(store: Store, run: string): RunRow {
  return rowOf(store, run, investigationShape);
}

/** What the run ended with. Throws `run_state` where it has not. */
export function finishedInvestigation(store: Store, run: string): FinishedInvestigation {
  const { result, investigation } = endOf(store, run);
  if (investigation === undefined) throw unfinished(run);
  return { result, investigation };
}

export function paramsOf(row: RunRow): Params {
  return row.params as unknown as Params;
}
