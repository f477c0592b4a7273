import { type Clock, isSondeError } from '../../core/index.ts';
import type { Database } from '../database.ts';
import { recordAct } from '../sqlite/sqlite-writes.ts';
import type { RunRow, RunTable } from '../store.ts';
import { payingRunError } from './run-rules.ts';

/** The accounts of a run: the one with the run's name, and those whose names begin with that name and a slash. */
const ownAccounts = `(id = ?1 OR substr(id, 1, length(?1) + 1) = ?1 || '/')`;
const paidFromRun = `account IN (SELECT id FROM accounts WHERE ${ownAccounts})`;

/** The operations that measure and remove runs. `requireFinished` throws if the run is unfinished or held. */
export function createRunRemoval(
  db: Database,
  rows: { get(id: string): RunRow; requireFinished(id: string): RunRow; readonly clock: Clock },
): Pick<RunTable, 'size' | 'remove' | 'compact'> {
  return {
    async size(id) {
      const bytes = `SELECT
        (SELECT coalesce(sum(length(event) + length(key)), 0) FROM events WHERE run = ?1) +
        (SELECT coalesce(sum(length(value) + length(key)), 0) FROM journal WHERE run = ?1) +
        (SELECT coalesce(sum(length(bytes)), 0) FROM snapshots WHERE run = ?1) AS bytes`;
      return Number(db.get(bytes, rows.get(id).id)!['bytes']);
    },
    async remove(id, by) {
      db.atomic(() => {
        const run = rows.requireFinished(id).id;
        refuseUnfinishedWork(db, run);
        db.run(`DELETE FROM reservations WHERE run = ?1 OR ${paidFromRun}`, run);
        db.run(`DELETE FROM balances WHERE ${paidFromRun}`, run);
        // Longer names first: an account's children have its name as prefix.
        for (const { id: account } of db.all(
          `SELECT id FROM accounts WHERE ${ownAccounts} ORDER BY length(id) DESC`,
          run,
        ))
          db.run('DELETE FROM accounts WHERE id = ?', String(account));
        for (const table of ['events', 'journal', 'snapshots', 'leases'])
          db.run(`DELETE FROM ${table} WHERE run = ?`, run);
        db.run('DELETE FROM runs WHERE id = ?', run);
        recordAct(db, by, { act: 'run_removed', on: run }, rows.clock.now());
      });
    },
    async compact() {
      try {
        db.run('VACUUM');
        return true;
      } catch (error) {
        if (isSondeError(error, 'store_locked') || isSondeError(error, 'store_unusable')) return false;
        throw error;
      }
    },
  };
}

/** Throws `run_state` if the run's budget pays for unfinished work of other runs. */
function refuseUnfinishedWork(db: Database, run: string): void {
  const unfinishedWork = db.get(
    `SELECT r.run FROM reservations r LEFT JOIN runs ON runs.id = r.run
     WHERE ${paidFromRun} AND (r.state = 'open' OR (r.run <> ?1 AND runs.status = 'running')) LIMIT 1`,
    run,
  );
  if (unfinishedWork === undefined) return;
  throw payingRunError(run, String(unfinishedWork['run']));
}
