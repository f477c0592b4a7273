/** What the store keeps of a run of any kind. */
import { type RunEvent, SondeError } from '../core/index.ts';
import type { RunRow, Store } from '../store/index.ts';

type RunFinished = Extract<RunEvent, { kind: 'run_finished' }>;

/** The end of a run: its result, and the fields that its kind adds. */
export type RunEnd = Omit<RunFinished, 'kind' | 'spent'>;

/** Throws `not_found`, and `run_state` if the run is of another kind. */
export async function rowOf(store: Store, run: string, shape: string): Promise<RunRow> {
  const row = await store.runs.get(run);
  if (row.shape === shape) return row;
  throw new SondeError('run_state', {
    message: `${row.id} is a run of the shape ${row.shape}, not ${shape}`,
    remedy: 'Open it with the command that started it.',
  });
}

/** The result of the run. Throws `run_state` if it has not ended, or was cancelled and can be resumed. */
export async function endOf(store: Store, run: string): Promise<RunEnd> {
  // Older versions wrote the end in a separate transaction, so after a crash the beginning of a life may follow the
  // end.
  for (const { event } of (await store.events(run)).toReversed())
    if (event.kind === 'run_finished' && !goesOn(event)) return event;
  throw unfinishedError(run);
}

/** How a run was left, if it was stopped and nobody has resumed it since; null otherwise. */
export async function leftEndOf(store: Store, run: string): Promise<RunEnd | null> {
  const last = (await store.events(run)).at(-1)?.event;
  return last?.kind === 'run_finished' && goesOn(last) ? last : null;
}

/** Whether only this process ended, so that the run can be resumed. */
export function goesOn({ result, resumable }: Pick<RunEnd, 'result' | 'resumable'>): boolean {
  return result.stop_reason === 'cancelled' || resumable === true;
}

/** The error if a run's log lacks its end. */
export function unfinishedError(run: string): SondeError {
  return new SondeError('run_state', {
    message: `${run} is not finished`,
    remedy: `Finish it first: sonde resume ${run}`,
  });
}
