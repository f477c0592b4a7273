/** What the store keeps of a research, beside its log and its records. */
import { type RunResult, SondeError } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
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
  const row = store.runs.get(run);
  if (row.shape !== researchShape)
    throw new SondeError('run_state', {
      message: `${row.id} is a run of the shape ${row.shape}, not a research`,
      remedy: 'Open it with the command that started it.',
    });
  return row;
}

/** The result that a run ended with. Throws `run_state` where it has none yet. */
export function resultOf(store: Store, run: string): RunResult {
  const last = store.events(run).at(-1)?.event;
  if (last?.kind === 'run_finished' && last.result.stop_reason !== 'cancelled') return last.result;
  throw new SondeError('run_state', {
    message: `${run} is not finished`,
    remedy: `Finish it first: sonde resume ${run}`,
  });
}

export function paramsOf(row: RunRow): Params {
  return row.params as unknown as Params;
}
