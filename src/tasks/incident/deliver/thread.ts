/** Finds the earlier report of the same alert group, so that a new report is posted into the same thread. */
import type { RunRow, RunTable } from '../../../store/index.ts';
import type { RunEnd } from '../../run-row.ts';

/** Maximum groups that are followed back, and maximum runs that are searched. */
const maxBefore = 20;
const maxRuns = 1_000;

export async function findEarlierThread(
  {
    row,
    runs,
    ended,
  }: {
    readonly row: RunRow;
    readonly runs: Pick<RunTable, 'list'>;
    readonly ended: (run: string) => Promise<RunEnd>;
  },
  sink: string,
): Promise<string | null> {
  let run = findRunBefore(row);
  const rows = run === null ? [] : await runs.list(maxRuns);
  for (let gone = 0; run !== null && gone < maxBefore; gone += 1) {
    const thread = await readThread(run, ended, sink);
    if (thread !== null) return thread;
    run = findRunBefore(rows.find(({ id }) => id === run));
  }
  return null;
}

function findRunBefore(row: RunRow | undefined): string | null {
  const { before } = (row?.params['extra'] ?? {}) as { readonly before?: string };
  return before ?? null;
}

/** A run that was pruned or did not finish has no thread. */
async function readThread(
  run: string,
  ended: (run: string) => Promise<RunEnd>,
  sink: string,
): Promise<string | null> {
  const end = await ended(run).catch(() => null);
  return end?.incident?.deliveries.find((incidentDelivery) => incidentDelivery.sink === sink)?.thread ?? null;
}
