/** Restores lost rows from the log. */
import type { Database } from '../../store/index.ts';
import { readPage } from '../markdown/index.ts';
import { parseKind } from '../rows/block-rows.ts';
import type { ContentId } from '../world.ts';
import type { LoggedContent } from './from-log.ts';

type Log = ReadonlyMap<ContentId, LoggedContent>;

/** Restores lost sources, whose text the log has. Pages and blocks refer to them by number. */
export function restoreSources(db: Database, logged: Log): void {
  for (const table of ['world_pages', 'world_blocks'])
    for (const { id, source } of db.all(
      `SELECT id, source FROM ${table} WHERE source NOT IN (SELECT n FROM world_sources)`,
    )) {
      const text = logged.get(String(id))?.source ?? `lost:${source}`;
      db.run('INSERT OR IGNORE INTO world_sources (n, text) VALUES (?, ?)', Number(source), text);
      // Texts are unique: if another number has the text already, this number is appended.
      db.run(
        'INSERT OR IGNORE INTO world_sources (n, text) VALUES (?, ?)',
        Number(source),
        `${text} (${source})`,
      );
    }
}

/** Parses the properties of all pages again from their front matter. */
export function restoreProperties(db: Database): void {
  for (const { n, front, properties } of db.all('SELECT n, front, properties FROM world_pages')) {
    const right = toPropertiesJson(String(front));
    if (right !== properties) db.run('UPDATE world_pages SET properties = ? WHERE n = ?', right, Number(n));
  }
}

const toPropertiesJson = (front: string): string => JSON.stringify(readPage(front).frontMatter.properties);

function ensureSourceNumber(db: Database, text: string): number {
  db.run('INSERT OR IGNORE INTO world_sources (text) VALUES (?)', text);
  return Number(db.get('SELECT n FROM world_sources WHERE text = ?', text)!['n']);
}

/** Restores the missing pages. Returns their number. */
export function restorePages(db: Database, logged: Log): number {
  const blocks = groupBlocksByPage(logged);
  let restored = 0;
  for (const { id, fields, revision, created, updated, source, writer } of logged.values()) {
    if (fields.path === undefined || !id.startsWith('pg-')) continue;
    if (db.get('SELECT 1 FROM world_pages WHERE id = ?', id) !== undefined) continue;
    const front = fields.front ?? '';
    const n = findPageNumber(db, blocks.get(id) ?? []);
    db.run(
      `INSERT INTO world_pages (n, id, path, front, properties, origin, lifecycle, source, writer, revision, created, updated, deleted)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      n,
      id,
      findFreePath(db, fields.path, fields.deleted === true),
      front,
      toPropertiesJson(front),
      fields.origin ?? 'Imported',
      fields.lifecycle ?? 'Draft',
      ensureSourceNumber(db, source),
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

function groupBlocksByPage(logged: Log): ReadonlyMap<ContentId, readonly ContentId[]> {
  const blocks = new Map<ContentId, ContentId[]>();
  for (const { id, fields } of logged.values())
    if (id.startsWith('bl-') && fields.page !== undefined)
      blocks.set(fields.page, [...(blocks.get(fields.page) ?? []), id]);
  return blocks;
}

/** The number by which blocks refer to a lost page, or a new number. */
function findPageNumber(db: Database, blocks: readonly ContentId[]): number {
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

/** The path, with a number if another page has it. Deleted pages keep their path. */
function findFreePath(db: Database, path: string, deleted: boolean): string {
  const isTaken = (name: string) =>
    db.get('SELECT 1 FROM world_pages WHERE path = ? AND deleted = 0', name) !== undefined;
  if (deleted || !isTaken(path)) return path;
  for (let number = 2; ; number += 1) {
    const other = `${path} (salvaged ${number})`;
    if (!isTaken(other)) return other;
  }
}

/** More than the number of blocks of any workspace: numbers above the next multiple were never used. */
const unusedDistance = 1_000_000;

/** A number above all that may have been used: numbers are part of handles and are never reused. */
function nextUnusedNumber(db: Database): number {
  const { n } = db.get('SELECT coalesce(max(n), 0) AS n FROM world_blocks')!;
  return (Math.floor(Number(n) / unusedDistance) + 1) * unusedDistance;
}

/** Restores the missing blocks, except those of lost pages. Returns their number. */
export function restoreBlocks(db: Database, logged: Log): number {
  let restored = 0;
  const first = nextUnusedNumber(db);
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
      parseKind(fields.text),
      fields.origin ?? 'Imported',
      fields.lifecycle ?? 'Draft',
      ensureSourceNumber(db, source),
      revision,
      created,
      updated,
      Number(fields.deleted === true),
    );
    restored += 1;
  }
  return restored;
}
