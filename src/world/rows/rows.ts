import type { Database, Row } from '../../store/index.ts';
import { lastSegment } from '../names.ts';
import { handleOf, rowOfHandle } from '../read/handles.ts';
import type { Block, BlockKind, Lifecycle, Origin, Page } from '../world.ts';

/** A page as it is stored: with its number, its front matter, and the name of its last writer. */
export interface PageRow extends Page {
  readonly n: number;
  readonly front: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly writer: string;
}

/**
 * A block as it is stored. `text` is the text as it was written; a reader gets the present paths of pinned links in it.
 */
export interface BlockRow extends Omit<Block, 'page' | 'handle'> {
  readonly n: number;
  readonly page: number;
  readonly page_id: string;
  readonly place: number;
  readonly pinned: boolean;
}

const pageColumns = `p.n, p.id, p.path, p.front, p.properties, p.origin, p.lifecycle, s.text AS source, p.writer,
  p.revision, p.created, p.updated, p.deleted`;
const pageTables = 'world_pages p JOIN world_sources s ON s.n = p.source';
const blockColumns = `b.n, b.id, b.page, p.id AS page_id, b.place, b.text, b.kind, b.origin, b.lifecycle,
  s.text AS source, b.revision, b.created, b.updated, b.pinned, max(b.deleted, p.deleted) AS deleted`;
const blockTables =
  'world_blocks b JOIN world_pages p ON p.n = b.page JOIN world_sources s ON s.n = b.source';

export const selectPages = `SELECT ${pageColumns} FROM ${pageTables}`;
const pageById = `${selectPages} WHERE p.id = ?`;
const pageByNumber = `${selectPages} WHERE p.n = ?`;
const pageByPath = `${selectPages} WHERE p.path = ? AND p.deleted = 0`;
const blockById = `SELECT ${blockColumns} FROM ${blockTables} WHERE b.id = ?`;
const blockByNumber = `SELECT ${blockColumns} FROM ${blockTables} WHERE b.n = ?`;
const blocksOfPage = `SELECT ${blockColumns} FROM ${blockTables}
  WHERE b.page = ? AND b.deleted = 0 ORDER BY b.place`;

export function findPage(db: Database, id: string): PageRow | null {
  return pageRowOrNull(db.get(pageById, id));
}

export function pageOf(db: Database, n: number): PageRow {
  return pageRow(db.get(pageByNumber, n)!);
}

export function findPath(db: Database, path: string): PageRow | null {
  return pageRowOrNull(db.get(pageByPath, path));
}

export function findBlock(db: Database, id: string): BlockRow | null {
  const row = db.get(blockById, id);
  return row === undefined ? null : blockRow(row);
}

/** The block of a handle. Null if there is none, or if its number belongs to another block. */
export function findByHandle(db: Database, handle: string): BlockRow | null {
  const n = rowOfHandle(handle);
  const row = n === null ? undefined : db.get(blockByNumber, n);
  const block = row === undefined ? null : blockRow(row);
  return block !== null && handleOf(block) === handle ? block : null;
}

/** Blocks that are not deleted, in order. */
export function blocksOf(db: Database, page: number): readonly BlockRow[] {
  return db.all(blocksOfPage, page).map(blockRow);
}

function pageRowOrNull(row: Row | undefined): PageRow | null {
  return row === undefined ? null : pageRow(row);
}

export function pageRow(row: Row): PageRow {
  const path = String(row['path']);
  const written = String(row['properties']);
  const properties: Readonly<Record<string, unknown>> = written === '{}' ? {} : JSON.parse(written);
  return {
    n: Number(row['n']),
    id: String(row['id']),
    path,
    title: titleOf(path, properties),
    front: String(row['front']),
    properties,
    writer: String(row['writer']),
    deleted: row['deleted'] === 1,
    ...provenance(row),
  };
}

export function titleOf(path: string, { title }: Readonly<Record<string, unknown>>): string {
  return typeof title === 'string' && title.trim() !== '' ? title : lastSegment(path);
}

function blockRow(row: Row): BlockRow {
  return {
    n: Number(row['n']),
    id: String(row['id']),
    page: Number(row['page']),
    page_id: String(row['page_id']),
    place: Number(row['place']),
    text: String(row['text']),
    kind: row['kind'] as BlockKind,
    pinned: row['pinned'] === 1,
    deleted: row['deleted'] === 1,
    ...provenance(row),
  };
}

function provenance(row: Row) {
  return {
    origin: row['origin'] as Origin,
    lifecycle: row['lifecycle'] as Lifecycle,
    origin_source_id: String(row['source']),
    revision: Number(row['revision']),
    created: Number(row['created']),
    updated: Number(row['updated']),
  };
}
