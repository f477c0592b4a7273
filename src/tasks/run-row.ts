/** Reads the row and the end of a run of any kind from the store. */
import { type RunEvent, SondeError } from '../core/index.ts';
import type { RunRow, Store } from '../store/index.ts';

type RunFinished = Extract<RunEvent, { kind: 'run_finished' }>;

/** The end of a run: its result, and the fields that its kind adds. */
export type RunEnd = Omit<RunFinished, 'kind' | 'spent'>;

/** Reads the row of a run. Throws `not_found`, and `run_state` if the run is of another kind. */
export async function readRunRow(store: Store, run: string, shape: string): Promise<RunRow> {
  const row = await store.runs.get(run);
  if (row.shape === shape) return row;
  throw new SondeError('run_state', {
    message: `${row.id} is a run of the shape ${row.shape}, not ${shape}`,
    remedy: 'Open it with the command that started it.',
  });
}

/** The result of the run. Throws `run_state` if it has not ended, or was cancelled and can be resumed. */
export async function readRunEnd(store: Store, run: string): Promise<RunEnd> {
  // Older versions wrote the end in a separate transaction, so after a crash the beginning of a life may follow the
  // end.
  for (const { event } of (await store.events(run)).toReversed())
    if (event.kind === 'run_finished' && !isResumable(event)) return event;
  throw createUnfinishedError(run);
}

/** The end of a run that was stopped and that nobody has resumed since; null for any other run. */
export async function readStoppedEnd(store: Store, run: string): Promise<RunEnd | null> {
  const last = (await store.events(run)).at(-1)?.event;
  return last?.kind === 'run_finished' && isResumable(last) ? last : null;
}

/** Whether the run was only stopped, so that it can be resumed. */
export function isResumable({ result, resumable }: Pick<RunEnd, 'result' | 'resumable'>): boolean {
  return result.stop_reason === 'cancelled' || resumable === true;
}

/** The error if a run's log lacks its end. */
export function createUnfinishedError(run: string): SondeError {
  return new SondeError('run_state', {
    message: `${run} is not finished`,
    remedy: `Finish it first: sonde resume ${run}`,
  });
}
