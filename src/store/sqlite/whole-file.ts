/** An entry point of this room: copies a database to one consistent file, without -wal and -shm files. */
import { chmodSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';

/** Copies all pages in one step: a copy in several steps restarts whenever another process writes. */
const allPages = 0x7fffffff;

/** Copies a database, even while others write to it. Rejects with SQLite's own error. */
export async function copyDatabase(path: string, to: string): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await backup(source, to, { rate: allPages });
  } finally {
    source.close();
  }
  checkpointDatabase(to);
  chmodSync(to, 0o600);
}

/**
 * Checkpoints the write-ahead log into the file and removes the -wal file. False if another process has the database
 * open, since only the last connection can do this. Throws SQLite's own error for a damaged file.
 */
export function checkpointDatabase(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  try {
    const row = database.prepare('PRAGMA journal_mode = DELETE').get();
    return row?.['journal_mode'] === 'delete';
  } catch (thrown) {
    if (isBusy(thrown)) return false;
    throw thrown;
  } finally {
    database.close();
  }
}

/** SQLITE_BUSY, SQLITE_LOCKED. */
const isBusy = (error: unknown): boolean => [5, 6].includes((error as { errcode?: number }).errcode ?? 0);

/** Whether a readable database has no such table. Unlike opening it for use, this creates nothing. */
export function lacksTable(path: string, table: string): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined;
  } catch {
    // The file is damaged, or no database: its opener reports that.
    return false;
  } finally {
    db.close();
  }
}
