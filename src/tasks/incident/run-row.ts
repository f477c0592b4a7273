/** What the store keeps of an investigation, beside its log and its records. */
import type { IncidentResult, RunResult } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
import { endOf, rowOf, unfinished } from '../run-row.ts';
import type { Limits } from './limits.ts';

export const incidentShape = 'incident';

/** What the row of a run holds to start it again. */
export interface Params {
  /** The alert as it was sent, with secrets masked. */
  readonly sent: string;
  readonly fingerprint: string;
  /** Milliseconds since the Unix epoch: what the run takes for now. */
  readonly now: number;
  readonly limits: Limits;
  readonly store_artifacts: boolean;
  readonly model: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface FinishedIncident {
  readonly result: RunResult;
  readonly incident: IncidentResult;
}

export function incidentRow(store: Store, run: string): RunRow {
  return rowOf(store, run, incidentShape);
}

/** What the run ended with. Throws `run_state` where it has not. */
export function finishedIncident(store: Store, run: string): FinishedIncident {
  const { result, incident } = endOf(store, run);
  if (incident === undefined) throw unfinished(run);
  return { result, incident };
}

export function paramsOf(row: RunRow): Params {
  return row.params as unknown as Params;
}

/** Another unfinished run of the same alert that somebody is working on. */
export function twinOf(store: Store, own: string, fingerprint: string): string | null {
  const row = store.runs
    .list(200)
    .find(
      ({ id, shape, status, params }) =>
        id !== own &&
        shape === incidentShape &&
        status === 'running' &&
        (params as unknown as Params).fingerprint === fingerprint &&
        id < own &&
        store.runs.held(id),
    );
  return row?.id ?? null;
}
