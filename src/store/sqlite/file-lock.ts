import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * A lock between processes, named by a file. It is SQLite's lock on an empty database: the operating system releases it
 * when the process ends, so it is never stale.
 */
export interface FileLock {
  /** False if another process, or another lock of this one, holds it. Never waits. */
  tryTake(): boolean;
  /** Releases the lock if it was taken, and closes the file. */
  release(): void;
}

/** Keeps taken locks reachable: the garbage collector would close their file and silently release them. */
const takenLocks = new Set<DatabaseSync>();

/** Opens the file and creates it if missing; it stays. Throws SQLite's own error if that fails. */
export function openFileLock(path: string): FileLock {
  const database = new DatabaseSync(path, { timeout: 0 });
  let wasEmptied = false;
  return {
    tryTake() {
      try {
        database.exec('BEGIN EXCLUSIVE');
        takenLocks.add(database);
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        if (!isNotDatabase(error) || wasEmptied) throw error;
        // The file is damaged, so nobody holds the lock, and its content has no meaning: it is emptied.
        wasEmptied = true;
        truncateSync(path, 0);
        return this.tryTake();
      }
    },
    release() {
      takenLocks.delete(database);
      database.close();
    },
  };
}

/** SQLITE_NOTADB, and SQLITE_CORRUPT. */
function isNotDatabase(error: unknown): boolean {
  return [26, 11].includes((error as { errcode?: number }).errcode ?? 0);
}

/** SQLITE_BUSY. */
function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}
