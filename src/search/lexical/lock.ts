import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfCancelled } from './parallel.ts';

/** Between two attempts, in milliseconds. */
const patience = 20;

/**
 * Runs `work` while no other process, and no other caller in this one, refreshes the same index. The lock is
 * SQLite's own on an empty database: the operating system drops it with the process, however that ends, so it
 * is never stale.
 */
export async function withLock<T>(
  directory: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(join(directory, 'lock.db'));
  try {
    while (!tryLock(database)) {
      await sleep(patience);
      throwIfCancelled(signal);
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (/locked|busy/i.test(String(error))) return false;
    throw error;
  }
}
