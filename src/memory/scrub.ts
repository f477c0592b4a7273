/** Deletes texts without a trace: from the rows, the free pages, and the log beside the file. */
import type { Database } from '../store/index.ts';
import { holds } from './match.ts';
import type { MemoryFilter, MemoryItem } from './memory.ts';
import { itemOf } from './memory-rows.ts';

/** Deleted and replaced texts are overwritten with zeros from here on; for the connection, not for the file. */
export function overwriteDeleted(db: Database): void {
  db.all('PRAGMA secure_delete = ON');
}

export function findItems(
  db: Database,
  workspace: string,
  { tier, within, match }: MemoryFilter,
): readonly MemoryItem[] {
  const items: MemoryItem[] = [];
  for (const row of db.all(
    'SELECT * FROM memory_items WHERE workspace = ? ORDER BY updated DESC, seq DESC',
    workspace,
  )) {
    const item = itemOf(row);
    if (tier !== undefined && item.tier !== tier) continue;
    if (within !== undefined && item.within !== within) continue;
    if (match !== undefined && !holds(item, match)) continue;
    items.push(item);
  }
  return items;
}

/** Deletes items, and the records of the writes that made them. */
export function remove(db: Database, workspace: string, items: readonly MemoryItem[]): void {
  for (const { id } of items) db.run('DELETE FROM memory_items WHERE id = ?', id);
  // The keys of writes stay, so that a repeated write does not bring a text back. They say nothing of the text.
  db.run("UPDATE memory_writes SET request = '' WHERE workspace = ?", workspace);
}

/**
 * Rewrites the file, because SQLite's secure deletion misses copies that balancing a tree left in other pages. Then the
 * log is written into the file and truncated. False if another process is reading, so that the log must stay.
 */
export function erase(db: Database): boolean {
  if (!emptyTables(db)) return false;
  db.run('VACUUM');
  return emptyTables(db);
}

function emptyTables(db: Database): boolean {
  const [row] = db.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return Number(row?.['busy'] ?? 0) === 0;
}
