/** Adds up what the turns of a schedule have spent. */
import type { Amounts } from '../../core/index.ts';
import type { StartedBy } from '../../session/index.ts';
import { readBalance, type Store } from '../../store/index.ts';

/** Maximum runs that are searched, newest first. */
const maxRuns = 5_000;

/** The spending of turns since a time, in US dollars. An unfinished turn counts with its limit. */
export function createSpendingReader({ runs, accounts }: Pick<Store, 'runs' | 'accounts'>) {
  return async (schedule: string, since: number, excludedFires: ReadonlySet<string>): Promise<number> => {
    const rows = (await runs.list(maxRuns)).filter(({ shape, created, params }) => {
      const startedBy = params['started_by'] as StartedBy | undefined;
      const fireId = String(params['message']).replace(/^fire-/, '');
      return (
        shape === 'turn' && created >= since && startedBy?.schedule === schedule && !excludedFires.has(fireId)
      );
    });
    const spending = rows.map(async ({ id, status, params }) => {
      const spent = (await readBalance({ accounts }, id))?.spent.usd ?? 0;
      const { usd = spent } = (params['limits'] ?? {}) as Amounts;
      return status === 'finished' ? spent : Math.max(spent, usd);
    });
    return (await Promise.all(spending)).reduce((sum, usd) => sum + usd, 0);
  };
}
