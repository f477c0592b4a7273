import { expect, it } from 'vitest';
import type { IncidentResult } from '../../../core/index.ts';
import type { RunRow } from '../../../store/index.ts';
import { listPastReports } from './past.ts';

const row = (id: string, fingerprint: string, more: Partial<RunRow> & { before?: string } = {}): RunRow => {
  const { before, ...rest } = more;
  const params = { fingerprint, extra: { replay: null, ...(before !== undefined && { before }) } };
  const own = {
    id,
    shape: 'incident',
    question: '',
    root: '',
    status: 'finished',
    created: 1,
    updated: 1,
  } as const;
  return { ...own, params, ...rest };
};
const past = async (of: RunRow, rows: readonly RunRow[]): Promise<readonly string[]> =>
  (
    await listPastReports(
      {
        row: of,
        runs: { list: async () => [of, ...rows] },
        ended: async (id) =>
          ({ incident: { verdict: 'state', run_id: id } as unknown as IncidentResult }) as never,
      },
      String(of.params['fingerprint']),
    )
  ).map(({ run_id }) => run_id);

const own = row('run-now', 'pod-2', { created: 5, before: 'run-group' });

it('finds those of the same alert, and the one before of its group, whose pod was another', async () => {
  const rows = [row('run-same', 'pod-2'), row('run-group', 'pod-1'), row('run-other', 'pod-9')];
  expect(await past(own, rows)).toEqual(['run-same', 'run-group']);
});

it('finds none that is not over, came later, or is of another kind', async () => {
  const rows = [
    row('run-group', 'pod-1', { status: 'running' }),
    row('run-a', 'pod-2', { created: 9 }),
    row('run-b', 'pod-2', { shape: 'research' }),
  ];
  expect(await past(own, rows)).toEqual([]);
});
