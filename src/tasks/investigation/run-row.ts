/** What the store keeps of an investigation, beside its log, its records and its snapshots. */
import { type InvestigationRecord, type RunResult, SondeError } from '../../core/index.ts';
import type { Tier } from '../../model/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
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
  const row = store.runs.get(run);
  if (row.shape !== investigationShape)
    throw new SondeError('run_state', {
      message: `${row.id} is a run of the shape ${row.shape}, not an investigation`,
      remedy: 'Open it with the command that started it.',
    });
  return row;
}

/** What the run ended with. Throws `run_state` where it has not. */
export function finishedInvestigation(store: Store, run: string): FinishedInvestigation {
  const last = store.events(run).at(-1)?.event;
  if (
    last?.kind === 'run_finished' &&
    last.investigation !== undefined &&
    last.result.stop_reason !== 'cancelled'
  )
    return { result: last.result, investigation: last.investigation };
  throw new SondeError('run_state', {
    message: `${run} is not finished`,
    remedy: `Finish it first: sonde resume ${run}`,
  });
}

export function paramsOf(row: RunRow): Params {
  return row.params as unknown as Params;
}
