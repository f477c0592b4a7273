import { type Clock, systemClock } from '../core/index.ts';
import { createStore } from './create-store.ts';
import { type Database, type Holding, openDatabase } from './database.ts';
import { runsSchema } from './sqlite/migrations.ts';
import { sqliteEngine } from './sqlite/sqlite-engine.ts';
import type { Store } from './store.ts';

export interface StoreOptions {
  readonly clock?: Clock;
  /** How long a lease lasts without renewal; 30 s by default. Renew at a third of it. */
  readonly leaseMs?: number;
  /** How long to wait for other writing processes before `store_locked`; 60 s by default. */
  readonly busyMs?: number;
  /**
   * Writes don't wait for the disk unless a commit asks for it: many times faster and as safe from a killed process;
   * a power failure loses the writes since the last such commit. False by default.
   */
  readonly unsynced?: boolean;
  /** What else the file holds, for the advice when it is damaged; default `runs`. */
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
 * The store within a database that holds other things too, so that one transaction can write both. `close` releases the
 * leases and leaves the database open.
 */
export function openStoreIn(db: Database, options: Omit<StoreOptions, 'busyMs' | 'holds'> = {}): Store {
  const { clock = systemClock, leaseMs = 30_000, unsynced = false } = options;
  db.include(runsSchema);
  if (unsynced) db.run('PRAGMA synchronous = NORMAL');
  return createStore(sqliteEngine(db, { clock, leaseMs, unsynced }), clock);
}
