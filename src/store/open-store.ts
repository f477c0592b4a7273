import { type Clock, systemClock } from '../core/index.ts';
import { createStore } from './create-store.ts';
import { type Database, type Holding, openDatabase } from './database.ts';
import { runsSchema } from './sqlite/migrations.ts';
import { sqliteEngine } from './sqlite/sqlite-engine.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  readonly clock?: Clock;
  /** Milliseconds that a lease lasts without renewal; default 30 s. Renew after a third of it. */
  readonly leaseMs?: number;
  /** Milliseconds to wait for other writing processes before `store_locked`; default 60 s. */
  readonly busyMs?: number;
  /**
   * True: only commits with `onDisk` wait for the disk. That is many times faster, and as safe if the process is
   * killed; a power failure loses the writes since the last such commit. Default false.
   */
  readonly unsynced?: boolean;
  /** What the file contains, for the advice if it is damaged; default `runs`. */
  readonly holds?: Holding;
}

/**
 * Opens the database file at `path`, and creates it if missing. Any number of processes may have it open. Throws
 * `store_unusable`, `store_corrupt`, `store_version` or `store_locked`.
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
 * Opens the store in a database that has other tables too, so that one transaction can write both. `close` releases the
 * leases and leaves the database open.
 */
export function openStoreIn(db: Database, options: Omit<StoreOptions, 'busyMs' | 'holds'> = {}): Store {
  const { clock = systemClock, leaseMs = 30_000, unsynced = false } = options;
  db.include(runsSchema);
  if (unsynced) db.run('PRAGMA synchronous = NORMAL');
  return createStore(sqliteEngine(db, { clock, leaseMs, unsynced }), clock);
}
