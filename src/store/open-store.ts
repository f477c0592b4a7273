import { type Clock, systemClock } from '../core/index.ts';
import type { Hold } from './collected.ts';
import { type Database, type Holding, openDatabase } from './database.ts';
import { type HeldRun, heldRun, readEvents, readRecords, recallFrom } from './held-runs.ts';
import { type Holds, holdsIn } from './holds.ts';
import { type Leases, sqliteLeases } from './leases.ts';
import { runsSchema } from './migrations.ts';
import { sqliteRuns } from './runs.ts';
import { sqliteLedger } from './sqlite-ledger.ts';
import type { Lease, Store } from './store.ts';

export interface StoreOptions {
  readonly clock?: Clock;
  /** How long a lease lasts unless it is renewed; 30 s. Renew at a third of it. */
  readonly leaseMs?: number;
  /** How long to wait for other processes that write, before `store_locked`; 60 s. */
  readonly busyMs?: number;
  /**
   * Writes are not waited for until they are on the disk, but where a commit says so: many times faster, as safe
   * from a killed process, and after a loss of power behind by what came since the last of those. False by default.
   */
  readonly unsynced?: boolean;
  /** What else the file holds, for the advice where it is damaged; `runs` without it. */
  readonly holds?: Holding;
}

/**
 * Opens, and creates where there is none, the database file at `path`. Any number of processes may have it open.
 * Throws `store_unusable`, `store_corrupt`, `store_version` or `store_locked`.
 */
export function openStore(path: string, options: StoreOptions = {}): Store {
  const db = openDatabase({
    path,
    schemas: [],
    busyMs: options.busyMs,
    holds: options.holds ?? 'runs',
  });
  try {
    const store = openStoreIn(db, options);
    return Object.freeze({
      ...store,
      async close() {
        try {
          await store.close();
        } finally {
          db.close();
        }
      },
    } satisfies Store);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * The store in a database that holds other things, too, so that both can be written at once. The database stays
 * its owner's: `close` gives back the leases only.
 */
export function openStoreIn(db: Database, options: Omit<StoreOptions, 'busyMs' | 'holds'> = {}): Store {
  const { clock = systemClock, leaseMs = 30_000, unsynced = false } = options;
  db.include(runsSchema);
  if (unsynced) db.run('PRAGMA synchronous = NORMAL');
  const leases: Leases = sqliteLeases(db, { clock, leaseMs, released: (lease) => holds.released(lease) });
  const holds: Holds = holdsIn(db, () => leases);
  const { collected } = holds;
  const held = new WeakMap<Hold, HeldRun>();
  function heldBy(lease: Lease): HeldRun {
    const hold = holds.of(lease);
    const known = held.get(hold);
    if (known !== undefined) return known;
    const fresh = heldRun(db, collected, clock, hold);
    held.set(hold, fresh);
    return fresh;
  }
  const runs = sqliteRuns(db, leases, holds, clock);
  let open = true;
  return Object.freeze({
    path: db.path,
    runs: {
      ...runs,
      async acquire(id) {
        const lease = await runs.acquire(id);
        heldBy(lease);
        return lease;
      },
    },
    ledger: sqliteLedger(db, holds),
    events: async (run, after) => readEvents(db, run, after),
    log: (lease) => heldBy(lease).log,
    journal: (lease) => heldBy(lease).journal,
    snapshots: (lease) => heldBy(lease).snapshots,
    recorded: async (run) => ({ recall: recallFrom(readRecords(db, run)) }),
    atomic: collected.atomic,
    async commit(lease, { onDisk = false } = {}) {
      const run = heldBy(lease);
      // A write that takes along what waits; where nothing does, it takes along what was committed before.
      if (unsynced && onDisk) throughToDisk(db, () => leases.renew(lease));
      collected.commit(run.hold);
      return run.lastEvent();
    },
    async close() {
      if (!open) return;
      open = false;
      leases.releaseAll();
    },
  } satisfies Store);
}

/** The log of writes goes to the disk as a whole: with this one, all that came before it is there, too. */
function throughToDisk(db: Database, commit: () => void): void {
  // Not `run`: what waits would be written before.
  db.all('PRAGMA synchronous = FULL');
  try {
    commit();
  } finally {
    db.all('PRAGMA synchronous = NORMAL');
  }
}
