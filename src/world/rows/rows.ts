import type { Database, Row } from '../../store/index.ts';
import { lastSegment } from '../names.ts';
import { formatHandle, parseHandle } from '../read/handles.ts';
import type { Block, BlockKind, Lifecycle, Origin, Page } from '../world.ts';

/** A stored page, with its number, its front matter and its last writer. */
export interface PageRow extends Page {
  readonly n: number;
  readonly front: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly writer: string;
}

/** A stored block. `text` is the stored text; readers see the present paths of pages in its bound links. */
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
  return toPageRowOrNull(db.get(pageById, id));
}

export function readPageRow(db: Database, n: number): PageRow {
  return toPageRow(db.get(pageByNumber, n)!);
}

export function findPageByPath(db: Database, path: string): PageRow | null {
  return toPageRowOrNull(db.get(pageByPath, path));
}

export function findBlock(db: Database, id: string): BlockRow | null {
  const row = db.get(blockById, id);
  return row === undefined ? null : toBlockRow(row);
}

/** The block with a handle; null if there is none, or if the check digits are wrong. */
export function findByHandle(db: Database, handle: string): BlockRow | null {
  const n = parseHandle(handle);
  const row = n === null ? undefined : db.get(blockByNumber, n);
  const block = row === undefined ? null : toBlockRow(row);
  return block !== null && formatHandle(block) === handle ? block : null;
}

/** Blocks that are not deleted, in order. */
export function listBlocks(db: Database, page: number): readonly BlockRow[] {
  return db.all(blocksOfPage, page).map(toBlockRow);
}

function toPageRowOrNull(row: Row | undefined): PageRow | null {
  return row === undefined ? null : toPageRow(row);
}

export function toPageRow(row: Row): PageRow {
  const path = String(row['path']);
  const propertiesJson = String(row['properties']);
  const properties: Readonly<Record<string, unknown>> =
    propertiesJson === '{}' ? {} : JSON.parse(propertiesJson);
  return {
    n: Number(row['n']),
    id: String(row['id']),
    path,
    title: toTitle(path, properties),
    front: String(row['front']),
    properties,
    writer: String(row['writer']),
    deleted: row['deleted'] === 1,
    ...toProvenance(row),
  };
}

export function toTitle(path: string, { title }: Readonly<Record<string, unknown>>): string {
  return typeof title === 'string' && title.trim() !== '' ? title : lastSegment(path);
}

function toBlockRow(row: Row): BlockRow {
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
    ...toProvenance(row),
  };
}

function toProvenance(row: Row) {
  return {
    origin: row['origin'] as Origin,
    lifecycle: row['lifecycle'] as Lifecycle,
    origin_source_id: String(row['source']),
    revision: Number(row['revision']),
    created: Number(row['created']),
    updated: Number(row['updated']),
  };
}
