/**
 * Completes a workspace from the rows that were read from a damaged file. Missing rows are rebuilt from the log, which
 * contains every write. If row and log differ, the row is used, and both are in the history.
 */
import type { Clock } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { findIndexDamage } from '../check/index-damage.ts';
import { findPageDamage, readLoggedFields } from '../check/page-damage.ts';
import { newId } from '../ids.ts';
import { indexBlock } from '../rows/block-rows.ts';
import { indexFront } from '../rows/link-rows.ts';
import { indexPage } from '../rows/page-rows.ts';
import { listBlocks, readPageRow } from '../rows/rows.ts';
import { readLoggedContent } from './from-log.ts';
import { restoreBlocks, restorePages, restoreProperties, restoreSources } from './restore.ts';

export interface SalvagedWorld {
  readonly pages: number;
  readonly blocks: number;
  readonly events: number;
  /** The number of pages and blocks that were restored from the log. */
  readonly from_log: number;
  /** The paths of pages whose text differs from the log: either may be damaged. */
  readonly doubtful: readonly string[];
  readonly lost: {
    /** Events that are missing in the log. */
    readonly events: number;
    /** Rows whose parent is lost. */
    readonly rows: number;
  };
}

/** `db`: contains the rows that were read; nobody else writes to it. `from`: the damaged file, for the history. */
export function salvageWorld(db: Database, from: string, clock: Clock): SalvagedWorld {
  return db.atomic(() => {
    const unreadable = dropUnreadableEvents(db);
    const logged = readLoggedContent(db);
    restoreProperties(db);
    restoreSources(db, logged);
    const fromLog = restorePages(db, logged) + restoreBlocks(db, logged);
    joinEventsToPages(db);
    const rows = dropLooseRows(db);
    repairIndexes(db);
    const doubtful = logDifferences(db, from, clock);
    const count = (sql: string): number => Number(Object.values(db.get(sql)!)[0]);
    const events = count('SELECT count(*) FROM world_events');
    return {
      pages: count('SELECT count(*) FROM world_pages'),
      blocks: count('SELECT count(*) FROM world_blocks'),
      events,
      from_log: fromLog,
      doubtful,
      lost: {
        events: Math.max(count('SELECT coalesce(max(seq), 0) FROM world_events') - events, unreadable),
        rows,
      },
    };
  });
}

/** Deletes events whose JSON is damaged; the trigger against deletions is dropped meanwhile. Returns their number. */
function dropUnreadableEvents(db: Database): number {
  const trigger = db.get("SELECT sql FROM sqlite_schema WHERE name = 'world_events_there'")!;
  db.run('DROP TRIGGER world_events_there');
  const dropped = db.run(
    `DELETE FROM world_events WHERE NOT json_valid(content)
     OR NOT json_valid(coalesce(before, '{}')) OR NOT json_valid(coalesce(after, '{}'))`,
  );
  db.run(String(trigger['sql']));
  return dropped;
}

/** Restores which events changed which pages. */
function joinEventsToPages(db: Database): void {
  db.run(`
    INSERT OR IGNORE INTO world_event_pages (page, seq)
    SELECT coalesce(p.n, b.page), e.seq
    FROM world_events e, json_each(e.content) c
    LEFT JOIN world_pages p ON p.id = c.value LEFT JOIN world_blocks b ON b.id = c.value
    WHERE coalesce(p.n, b.page) IS NOT NULL`);
}

/** Logs the present state of each page that differs from the log, so that the history has both. Returns the paths. */
function logDifferences(db: Database, from: string, clock: Clock): readonly string[] {
  const paths: string[] = [];
  for (const { n, id, path } of db.all('SELECT n, id, path FROM world_pages ORDER BY path')) {
    if (findPageDamage(db, Number(n)).length === 0) continue;
    const fields: Record<string, unknown> = {};
    const page = db.get(
      'SELECT path, front, lifecycle, origin, deleted FROM world_pages WHERE n = ?',
      Number(n),
    )!;
    fields[String(id)] = { ...page, deleted: page['deleted'] === 1 };
    const blocks = db.all(
      'SELECT id, text, place, lifecycle, origin, deleted FROM world_blocks WHERE page = ?',
      Number(n),
    );
    for (const { id: block, deleted, ...rest } of blocks)
      fields[String(block)] = { ...rest, page: id, deleted: deleted === 1 };
    // Also blocks that belong to this page only according to the log.
    for (const [logged, { page: of }] of readLoggedFields(db, Number(n)) ?? [])
      if (of === id && !(logged in fields)) fields[logged] = { page: findPageOfBlock(db, logged) };
    const now = clock.now();
    const seq = db.insert(
      `INSERT INTO world_events (at, write_id, op, content, before, after, caller, caller_kind, thread, device, source)
       VALUES (?, ?, 'salvage', ?, NULL, ?, 'salvage', 'import', NULL, 'salvage', ?)`,
      now,
      newId('wr', now),
      JSON.stringify(Object.keys(fields)),
      JSON.stringify(fields),
      `salvage:${from}`,
    );
    db.run('INSERT INTO world_event_pages (page, seq) VALUES (?, ?)', Number(n), seq);
    paths.push(String(path));
  }
  return paths;
}

/** The id of a block's page; empty if there is no such block. */
function findPageOfBlock(db: Database, block: string): string {
  const row = db.get(
    'SELECT p.id FROM world_blocks b JOIN world_pages p ON p.n = b.page WHERE b.id = ?',
    block,
  );
  return String(row?.['id'] ?? '');
}

/** Removes rows whose parent is missing, until none is left. Returns the number of removed rows. */
function dropLooseRows(db: Database): number {
  let dropped = 0;
  for (;;) {
    const loose = db.all('SELECT DISTINCT "table" AS name FROM pragma_foreign_key_check');
    if (loose.length === 0) return dropped;
    let droppedInRound = 0;
    for (const { name } of loose) droppedInRound += dropLooseRowsIn(db, String(name));
    dropped += droppedInRound;
    // The rest can't be deleted.
    if (droppedInRound === 0) return dropped;
  }
}

function dropLooseRowsIn(db: Database, table: string): number {
  const keys = db.all(
    'SELECT "table" AS parent, "from" AS own, "to" AS theirs FROM pragma_foreign_key_list(?)',
    table,
  );
  let dropped = 0;
  for (const { parent, own, theirs } of keys)
    dropped += db.run(
      `DELETE FROM "${table}" WHERE "${own}" IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM "${parent}" p WHERE p."${theirs}" = "${table}"."${own}")`,
    );
  return dropped;
}

/** Rebuilds the indexes of names, tags and links of pages whose indexes don't match their text. */
function repairIndexes(db: Database): void {
  for (const { n, path } of db.all('SELECT n, path FROM world_pages WHERE deleted = 0')) {
    if (findIndexDamage(db, Number(n), String(path)).length === 0) continue;
    const page = readPageRow(db, Number(n));
    // Also tags of deleted blocks, since a restored block may have the number of one of them.
    db.run('DELETE FROM world_tags WHERE page = ?', page.n);
    indexPage(db, page);
    indexFront(db, page.n, page.front);
    for (const block of listBlocks(db, page.n)) {
      db.run('DELETE FROM world_links WHERE block = ?', block.n);
      indexBlock(db, page.n, block.n, block.text);
      // The new rows have no bound links.
      db.run('UPDATE world_blocks SET pinned = 0 WHERE n = ?', block.n);
    }
  }
}
