/** Finished investigations of the same alert, and of the group that it belongs to, from the store. */
import type { IncidentResult } from '../../../core/index.ts';
import type { RunRow, RunTable } from '../../../store/index.ts';
import type { RunEnd } from '../../run-row.ts';

/** Maximum runs that are examined, and reports that are read. */
const maxRuns = 200;
const maxRead = 5;

/** Reports without a finding, and alerts that were not investigated, are not worth showing. */
const hasFinding = ({ verdict }: IncidentResult): boolean =>
  !['inconclusive', 'unrelated', 'noise', 'resolved', 'duplicate'].includes(verdict);

export async function listPastReports(
  {
    row,
    runs,
    ended,
  }: {
    readonly row: RunRow;
    readonly runs: Pick<RunTable, 'list'>;
    readonly ended: (run: string) => Promise<RunEnd>;
  },
  fingerprint: string,
): Promise<readonly IncidentResult[]> {
  const { before } = (row.params['extra'] ?? {}) as { readonly before?: string };
  const same = (await runs.list(maxRuns)).filter(
    ({ id, shape, status, params, created }) =>
      id !== row.id &&
      shape === row.shape &&
      status === 'finished' &&
      created <= row.created &&
      // Another pod of the same group has a different fingerprint.
      (params['fingerprint'] === fingerprint || id === before),
  );
  const found: IncidentResult[] = [];
  for (const { id } of same.slice(0, maxRead)) {
    const { incident } = await ended(id);
    if (incident !== undefined && hasFinding(incident)) found.push(incident);
  }
  return found;
}
