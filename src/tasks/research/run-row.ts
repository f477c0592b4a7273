/** What the store keeps of a research, beside its log and its records. */
import type { RunResult } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
import { endOf, rowOf } from '../run-row.ts';
import type { Limits } from './limits.ts';

export const researchShape = 'research';

/** What the row of a run holds to start it again. */
export interface Params {
  readonly scope?: string;
  readonly limits: Limits;
  readonly store_artifacts: boolean;
  readonly model: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export function researchRow(store: Store, run: string): RunRow {
  return rowOf(store, run, researchShape);
}

/** The result that a run ended with. Throws `run_state` where it has none yet. */
export function resultOf(store: Store, run: string): RunResult {
  return endOf(store, run).result;
}

export function paramsOf(row: RunRow): Params {
  return row.params as unknown as Params;
}
