/** The store in SQLite. Buffered writes are stored in the transaction of the next commit or other write. */
import type { Clock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import type { Engine, LoadedRun } from '../engine.ts';
import { openOutbox, type RunHold } from '../outbox.ts';
import { type Leases, sqliteLeases } from '../runs/sqlite-leases.ts';
import { sqliteRuns } from '../runs/sqlite-runs.ts';
import { attachOutbox } from './attach-outbox.ts';
import { sqliteAccounts } from './sqlite-ledger.ts';
import {
  readAccounts,
  readEvents,
  readLastEvent,
  readOpenReservations,
  readRecords,
  readSnapshot,
} from './sqlite-reads.ts';

export interface SqliteEngineOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly unsynced: boolean;
}

export function sqliteEngine(db: Database, { clock, leaseMs, unsynced }: SqliteEngineOptions): Engine {
  const outbox = openOutbox(db.inTransaction);
  const leases: Leases = sqliteLeases(db, { clock, leaseMs });
  attachOutbox(db, outbox, leases.isHeld);
  const { insertRun, ...runs } = sqliteRuns(db, leases, clock);
  let isOpen = true;

  const load = (run: string, fence: number): LoadedRun => ({
    run,
    fence,
    records: readRecords(db, run),
    events: readEvents(db, run),
    accounts: readAccounts(db, run),
    reservations: readOpenReservations(db, run),
  });

  /** Renews the lease in one transaction with the buffered writes, if there are any. */
  function renew(hold: RunHold): void {
    if (outbox.hasWaiting()) db.atomic(() => leases.renew(hold));
    else leases.renew(hold);
  }

  return {
    path: db.path,
    runs,
    accounts: sqliteAccounts(db, leases.mayBeHeld, clock),
    outbox,
    async acquire(id) {
      const { id: run } = await runs.get(id);
      // Once the lease is taken, nobody else writes to this run.
      return load(run, leases.acquire(run));
    },
    async begin(draft, by) {
      const [row, fence] = db.atomic(() => [insertRun(draft, by), leases.acquire(draft.id)] as const);
      return { row, loaded: load(row.id, fence) };
    },
    renew: async (hold) => renew(hold),
    release: async (hold) => leases.release(hold),
    isHeld: async (hold) => leases.isHeld(hold),
    flush(hold, { onDisk = false }) {
      try {
        // The renewal also stores buffered writes. Even without any, an earlier commit must reach the disk.
        if (unsynced && onDisk) commitToDisk(db, () => renew(hold));
        else if (outbox.hasWaiting() && !db.inTransaction()) db.atomic(() => {});
        return stored;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    events: async (run, after) => readEvents(db, run, after),
    lastEvent: async (run) => readLastEvent(db, run),
    records: async (run) => readRecords(db, run),
    snapshot: async (run, node) => readSnapshot(db, run, node),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      leases.releaseAll();
    },
  };
}

/** Shared by all commits, since writes are synchronous. */
const stored = Promise.resolve();

/**
 * Commits and waits for the disk. The write-ahead log is synced as a whole, so earlier commits are on the disk, too.
 */
function commitToDisk(db: Database, commit: () => void): void {
  // Not `run`, which would first store the buffered writes.
  db.all('PRAGMA synchronous = FULL');
  try {
    commit();
  } finally {
    db.all('PRAGMA synchronous = NORMAL');
  }
}
