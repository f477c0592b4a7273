/** Restores lost rows from the log. */
import type { Database } from '../../store/index.ts';
import { readPage } from '../markdown/index.ts';
import { kindOf } from '../rows/block-rows.ts';
import type { ContentId } from '../world.ts';
import type { LoggedContent } from './from-log.ts';

type Log = ReadonlyMap<ContentId, LoggedContent>;

/** Restores sources. Rows name their source by a number; if the text of that number is lost, the log has it. */
export function restoreSources(db: Database, logged: Log): void {
  for (const table of ['world_pages', 'world_blocks'])
    for (const { id, source } of db.all(
      `SELECT id, source FROM ${table} WHERE source NOT IN (SELECT n FROM world_sources)`,
    )) {
      const text = logged.get(String(id))?.source ?? `lost:${source}`;
      db.run('INSERT OR IGNORE INTO world_sources (n, text) VALUES (?, ?)', Number(source), text);
      // If another number has that text already, the number is added to the text, since texts are unique.
      db.run(
        'INSERT OR IGNORE INTO world_sources (n, text) VALUES (?, ?)',
        Number(source),
        `${text} (${source})`,
      );
    }
}

/** Computes properties again from the front matter. */
export function restoreProperties(db: Database): void {
  for (const { n, front, properties } of db.all('SELECT n, front, properties FROM world_pages')) {
    const right = propertiesOf(String(front));
    if (right !== properties) db.run('UPDATE world_pages SET properties = ? WHERE n = ?', right, Number(n));
  }
}

const propertiesOf = (front: string): string => JSON.stringify(readPage(front).frontMatter.properties);

function sourceNumber(db: Database, text: string): number {
  db.run('INSERT OR IGNORE INTO world_sources (text) VALUES (?)', text);
  return Number(db.get('SELECT n FROM world_sources WHERE text = ?', text)!['n']);
}

/** Restores the missing pages. Returns their number. */
export function restorePages(db: Database, logged: Log): number {
  const blocks = blocksByPage(logged);
  let restored = 0;
  for (const { id, fields, revision, created, updated, source, writer } of logged.values()) {
    if (fields.path === undefined || !id.startsWith('pg-')) continue;
    if (db.get('SELECT 1 FROM world_pages WHERE id = ?', id) !== undefined) continue;
    const front = fields.front ?? '';
    const n = numberByBlocks(db, blocks.get(id) ?? []);
    db.run(
      `INSERT INTO world_pages (n, id, path, front, properties, origin, lifecycle, source, writer, revision, created, updated, deleted)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      n,
      id,
      freePath(db, fields.path, fields.deleted === true),
      front,
      propertiesOf(front),
      fields.origin ?? 'Imported',
      fields.lifecycle ?? 'Draft',
      sourceNumber(db, source),
      writer,
      revision,
      created,
      updated,
      Number(fields.deleted === true),
    );
    restored += 1;
  }
  return restored;
}

function blocksByPage(logged: Log): ReadonlyMap<ContentId, readonly ContentId[]> {
  const blocks = new Map<ContentId, ContentId[]>();
  for (const { id, fields } of logged.values())
    if (id.startsWith('bl-') && fields.page !== undefined)
      blocks.set(fields.page, [...(blocks.get(fields.page) ?? []), id]);
  return blocks;
}

/** The number by which the blocks of a lost page refer to it, or a new one. */
function numberByBlocks(db: Database, blocks: readonly ContentId[]): number {
  for (const id of blocks) {
    const row = db.get(
      'SELECT page FROM world_blocks b WHERE id = ? AND NOT EXISTS (SELECT 1 FROM world_pages WHERE n = b.page)',
      id,
    );
    if (row !== undefined) return Number(row['page']);
  }
  const { n } = db.get(`SELECT max(coalesce((SELECT max(n) FROM world_pages), 0),
    coalesce((SELECT max(page) FROM world_blocks), 0)) + 1 AS n`)!;
  return Number(n);
}

/** A path that no page has. Two pages that are not deleted never share a path. */
function freePath(db: Database, path: string, deleted: boolean): string {
  const isTaken = (name: string) =>
    db.get('SELECT 1 FROM world_pages WHERE path = ? AND deleted = 0', name) !== undefined;
  if (deleted || !isTaken(path)) return path;
  for (let number = 2; ; number += 1) {
    const other = `${path} (salvaged ${number})`;
    if (!isTaken(other)) return other;
  }
}

/** More than the number of blocks of any workspace: numbers above the next multiple of this were never used. */
const unusedDistance = 1_000_000;

/** A block's number is part of its handle and is never reused, so the numbers of lost rows are skipped. */
function freshNumber(db: Database): number {
  const { n } = db.get('SELECT coalesce(max(n), 0) AS n FROM world_blocks')!;
  return (Math.floor(Number(n) / unusedDistance) + 1) * unusedDistance;
}

/** Restores the missing blocks, except those of lost pages. Returns their number. */
export function restoreBlocks(db: Database, logged: Log): number {
  let restored = 0;
  const first = freshNumber(db);
  for (const { id, fields, revision, created, updated, source } of logged.values()) {
    if (fields.page === undefined || fields.text === undefined || !id.startsWith('bl-')) continue;
    if (db.get('SELECT 1 FROM world_blocks WHERE id = ?', id) !== undefined) continue;
    const page = db.get('SELECT n FROM world_pages WHERE id = ?', fields.page);
    if (page === undefined) continue;
    db.run(
      `INSERT INTO world_blocks (n, id, page, place, text, kind, origin, lifecycle, source, revision, created, updated, deleted)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      first + restored,
      id,
      Number(page['n']),
      fields.place ?? 0,
      fields.text,
      kindOf(fields.text),
      fields.origin ?? 'Imported',
      fields.lifecycle ?? 'Draft',
      sourceNumber(db, source),
      revision,
      created,
      updated,
      Number(fields.deleted === true),
    );
    restored += 1;
  }
  return restored;
}
