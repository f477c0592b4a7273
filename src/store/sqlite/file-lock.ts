import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * A lock that processes share by the path of a file. It is SQLite's own lock on an empty database: the operating
 * system drops it with the process that holds it, however that ends, so it is never stale.
 */
export interface FileLock {
  /** False where another process, or another lock in this one, holds it. Never waits. */
  tryTake(): boolean;
  /** Gives it up, where it was taken, and closes the file. */
  release(): void;
}

/** What is held is kept from the garbage collector: it would close the file, and give the lock up behind its holder's back. */
const held = new Set<DatabaseSync>();

/** Opens the file, which is made where it is missing and stays. Throws what SQLite throws where it can't be. */
export function openFileLock(path: string): FileLock {
  const database = new DatabaseSync(path, { timeout: 0 });
  let mended = false;
  return {
    tryTake() {
      try {
        database.exec('BEGIN EXCLUSIVE');
        held.add(database);
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        if (!isNoDatabase(error) || mended) throw error;
        // It keeps nothing, and nobody can lock a file that is no database: it becomes an empty one again.
        mended = true;
        truncateSync(path, 0);
        return this.tryTake();
      }
    },
    release() {
      held.delete(database);
      database.close();
    },
  };
}

/** SQLITE_NOTADB, and SQLITE_CORRUPT. */
function isNoDatabase(error: unknown): boolean {
  return [26, 11].includes((error as { errcode?: number }).errcode ?? 0);
}

/** SQLITE_BUSY. */
function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}
