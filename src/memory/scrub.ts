/** Deletes texts completely: from the rows, the free pages, and the log beside the file. */
import type { Database } from '../store/index.ts';
import { containsText } from './match.ts';
import type { MemoryFilter, MemoryItem } from './memory.ts';
import { toItem } from './memory-rows.ts';

/** From now on, overwrites deleted and replaced texts with zeros. Applies to the connection, not to the file. */
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
    const item = toItem(row);
    if (tier !== undefined && item.tier !== tier) continue;
    if (within !== undefined && item.within !== within) continue;
    if (match !== undefined && !containsText(item, match)) continue;
    items.push(item);
  }
  return items;
}

/** Deletes items, and the requests of the writes that made them. */
export function removeItems(db: Database, workspace: string, items: readonly MemoryItem[]): void {
  for (const { id } of items) db.run('DELETE FROM memory_items WHERE id = ?', id);
  // The keys of writes stay, so that a repeated write does not bring a text back. They reveal nothing of the text.
  db.run("UPDATE memory_writes SET request = '' WHERE workspace = ?", workspace);
}

/**
 * Rewrites the file, because SQLite's secure deletion misses copies that balancing a tree left in other pages. Then the
 * log is written into the file and truncated. False if another process is reading, so that the log must stay.
 */
export function erase(db: Database): boolean {
  if (!truncateLog(db)) return false;
  db.run('VACUUM');
  return truncateLog(db);
}

function truncateLog(db: Database): boolean {
  const [row] = db.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return Number(row?.['busy'] ?? 0) === 0;
}
