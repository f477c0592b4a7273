import { type Clock, systemClock } from '../core/index.ts';
import { type Database, type Holding, openDatabase } from './database.ts';
import { runsSchema } from './sqlite/migrations.ts';
import { sqliteEngine } from './sqlite/sqlite-engine.ts';
import type { Store } from './store.ts';
import { storeOver } from './store-over.ts';

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
  /** What else the file holds, for the advice where it is damaged; by default `runs`. */
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
 * The store in a database that holds other things, too, so that both can be written at once. The database
 * stays its owner's: `close` only gives back the leases.
 */
export function openStoreIn(db: Database, options: Omit<StoreOptions, 'busyMs' | 'holds'> = {}): Store {
  const { clock = systemClock, leaseMs = 30_000, unsynced = false } = options;
  db.include(runsSchema);
  if (unsynced) db.run('PRAGMA synchronous = NORMAL');
  return storeOver(sqliteEngine(db, { clock, leaseMs, unsynced }), clock);
}
