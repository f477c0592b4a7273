import { type Clock, systemClock } from '../core/index.ts';
import { openDatabase } from './database.ts';
import { sqliteLeases } from './leases.ts';
import { migrations } from './migrations.ts';
import { readEvents, recallFrom, sqliteJournal, sqliteRunLog } from './run-log.ts';
import { sqliteRuns } from './runs.ts';
import { sqliteLedger } from './sqlite-ledger.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  readonly clock?: Clock;
  /** How long a lease lasts unless it is renewed; 30 s. Renew at a third of it. */
  readonly leaseMs?: number;
  /** How long to wait for other processes that write, before `store_locked`; 10 s. */
  readonly busyMs?: number;
}

/**
 * Opens, and creates where there is none, the database file at `path`. Any number of processes may have it open.
 * Throws `store_unusable`, `store_corrupt`, `store_version` or `store_locked`.
 */
export function openStore(path: string, options: StoreOptions = {}): Store {
  const { clock = systemClock, leaseMs = 30_000, busyMs = 10_000 } = options;
  const db = openDatabase({ path, migrations, busyMs });
  const leases = sqliteLeases(db, { clock, leaseMs });
  let open = true;
  return Object.freeze({
    path,
    runs: sqliteRuns(db, leases, clock),
    ledger: sqliteLedger(db),
    events: (run, after) => readEvents(db, run, after),
    log: (lease) => sqliteRunLog(db, leases, clock, lease),
    journal: (lease) => sqliteJournal(db, leases, lease),
    recorded: (run) => recallFrom(db, run),
    atomic: db.atomic,
    close() {
      if (!open) return;
      open = false;
      try {
        leases.releaseAll();
      } finally {
        db.close();
      }
    },
  } satisfies Store);
}
