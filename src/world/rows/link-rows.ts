import type { Database, Row } from '../../store/index.ts';
import {
  findFrontLinks,
  findLinks,
  parseFrontMatter,
  replaceTargets,
  type WrittenLink,
} from '../markdown/index.ts';
import { folderOf, lastSegment, toRelativePath } from '../names.ts';
import type { Link } from '../world.ts';
import { leadsAsWritten, linkKey, resolveLink } from './resolve-link.ts';
import { type BlockRow, type PageRow, readPageRow } from './rows.ts';

const columns = `l.kind, l.target, l.fragment, l.pin, l.block, l.ordinal, b.id AS from_id, p.id AS page_id,
  p.path AS page_path, p.n AS page_n, p.lifecycle AS page_lifecycle, b.lifecycle AS block_lifecycle`;
const tables = 'world_links l JOIN world_blocks b ON b.n = l.block JOIN world_pages p ON p.n = b.page';
const notDeleted = 'b.deleted = 0 AND p.deleted = 0';

const frontTables = 'world_front_links l JOIN world_pages p ON p.n = l.page';
const frontLinks = `SELECT l.kind, l.target, l.fragment, l.pin, -l.page AS block, l.ordinal, p.id AS from_id,
  p.id AS page_id, p.path AS page_path, p.n AS page_n, p.lifecycle AS page_lifecycle,
  p.lifecycle AS block_lifecycle FROM ${frontTables} WHERE p.deleted = 0`;

/** A link as it is stored, with its position. */
export interface LinkRow {
  readonly kind: Link['kind'];
  readonly target: string;
  readonly fragment: string;
  readonly pin: number | null;
  /** The number of the block; for a link in front matter, the negative number of its page. */
  readonly block: number;
  readonly ordinal: number;
  readonly from: string;
  readonly page: string;
  readonly pagePath: string;
  readonly pageNumber: number;
  /** Whether neither its page nor its block is a candidate. */
  readonly shown: boolean;
}

export function listPageLinks(db: Database, page: number): readonly LinkRow[] {
  const sql = `SELECT ${columns} FROM ${tables} WHERE b.page = ? AND ${notDeleted} ORDER BY b.place, l.ordinal`;
  const frontSql = `${frontLinks} AND l.page = ? ORDER BY l.ordinal`;
  return [...db.all(frontSql, page), ...db.all(sql, page)].map(toLinkRow);
}

/** The links whose text could lead to a page with this key, except links that are bound to a page. */
export function listLinksByKey(db: Database, key: string): readonly LinkRow[] {
  return listLinksWhere(db, 'l.key = ? AND l.pin IS NULL', key);
}

export function listBoundLinks(db: Database, page: number): readonly LinkRow[] {
  return listLinksWhere(db, 'l.pin = ?', page);
}

function listLinksWhere(db: Database, where: string, value: string | number): readonly LinkRow[] {
  const inBlocks = db.all(`SELECT ${columns} FROM ${tables} WHERE ${where} AND ${notDeleted}`, value);
  return [...inBlocks, ...db.all(`${frontLinks} AND ${where}`, value)].map(toLinkRow);
}

/** Ids of pages with a link that is bound to a page. Their text may change when that page moves. */
export function listPagesWithBoundLinks(db: Database): ReadonlySet<string> {
  const inBlocks = `SELECT DISTINCT p.id FROM ${tables} WHERE l.pin IS NOT NULL AND ${notDeleted}`;
  const inFront = `SELECT DISTINCT p.id FROM ${frontTables} WHERE l.pin IS NOT NULL AND p.deleted = 0`;
  return new Set([...db.all(inBlocks), ...db.all(inFront)].map(({ id }) => String(id)));
}

export function listNameKeys(db: Database, page: number): readonly string[] {
  return db.all('SELECT DISTINCT key FROM world_names WHERE page = ?', page).map(({ key }) => String(key));
}

/** The links that lead to the page at present, at most `limit`. */
export function listLinksTo(
  db: Database,
  page: number,
  limit = Number.POSITIVE_INFINITY,
): readonly LinkRow[] {
  const links = [...listBoundLinks(db, page)];
  for (const key of listNameKeys(db, page)) {
    for (const link of listLinksByKey(db, key)) {
      if (links.length >= limit) return links;
      if (resolveLink(db, link, link.pagePath) === page) links.push(link);
    }
  }
  return links;
}

export function findTarget(db: Database, link: LinkRow): PageRow | null {
  const n = link.pin ?? resolveLink(db, link, link.pagePath);
  if (n === null) return null;
  const page = readPageRow(db, n);
  return page.deleted ? null : page;
}

export function toLink(db: Database, link: LinkRow): Link {
  const { from, page, target, fragment, kind } = link;
  return {
    from,
    from_page: page,
    to: findTarget(db, link)?.id ?? null,
    target: `${target}${fragment}`,
    kind,
  };
}

/**
 * The text of a block for readers: a link that is bound to a page, and whose text no longer leads there, gets the
 * present path of that page.
 */
export function renderText(db: Database, block: BlockRow, onPath: string): string {
  if (!block.pinned) return block.text;
  const pins = db.all('SELECT ordinal, pin FROM world_links WHERE block = ? AND pin IS NOT NULL', block.n);
  return replacePinned(db, block.text, findLinks(block.text), pins, onPath);
}

/** The front matter for readers: with present paths in bound links, unless it could not be parsed then. */
export function renderFront(db: Database, { n, path, front }: Pick<PageRow, 'n' | 'path' | 'front'>): string {
  if (!front.includes('[')) return front;
  const pins = db.all('SELECT ordinal, pin FROM world_front_links WHERE page = ? AND pin IS NOT NULL', n);
  if (pins.length === 0) return front;
  const text = replacePinned(db, front, findFrontLinks(front), pins, path);
  const parsed = parseFrontMatter(text);
  return parsed.raw === text && parsed.problem === null ? text : front;
}

function replacePinned(
  db: Database,
  text: string,
  links: readonly WrittenLink[],
  pinRows: readonly Row[],
  onPath: string,
): string {
  const pins = new Map(pinRows.map(({ ordinal, pin }) => [Number(ordinal), Number(pin)]));
  const ordinals = new Map(links.map((link, ordinal) => [link.start, ordinal]));
  const targetFor = (link: WrittenLink): string | null => {
    const pin = pins.get(ordinals.get(link.start) ?? -1);
    if (pin === undefined || leadsAsWritten(db, link, onPath, pin)) return null;
    const { path } = readPageRow(db, pin);
    const name = lastSegment(path);
    // A link by name stays a link by name, if the present name leads to the page.
    const byName = { kind: link.kind, target: name };
    if (!link.target.includes('/') && leadsAsWritten(db, byName, onPath, pin)) return name;
    const writesPath = link.kind === 'wiki' || text.slice(0, link.start).endsWith('[[');
    return writesPath ? path : toRelativePath(folderOf(onPath), path);
  };
  return replaceTargets(text, targetFor, links);
}

function toLinkRow(row: Row): LinkRow {
  return {
    kind: row['kind'] as Link['kind'],
    target: String(row['target']),
    fragment: String(row['fragment']),
    pin: row['pin'] === null ? null : Number(row['pin']),
    block: Number(row['block']),
    ordinal: Number(row['ordinal']),
    from: String(row['from_id']),
    page: String(row['page_id']),
    pagePath: String(row['page_path']),
    pageNumber: Number(row['page_n']),
    shown: row['page_lifecycle'] !== 'Candidate' && row['block_lifecycle'] !== 'Candidate',
  };
}

/** Rebuilds the index of the links in a page's front matter. */
export function indexFront(db: Database, page: number, front: string): void {
  db.run('DELETE FROM world_front_links WHERE page = ?', page);
  findFrontLinks(front).forEach(({ kind, target, fragment }, ordinal) => {
    const columns = 'page, ordinal, kind, target, fragment, key';
    const sql = `INSERT INTO world_front_links (${columns}) VALUES (?, ?, ?, ?, ?, ?)`;
    db.run(sql, page, ordinal, kind, target, fragment, linkKey(target));
  });
}

const fillName = 'links in front matter';

/** Builds the index of links in front matter once, for a workspace of an older version. */
export function fillFrontLinks(db: Database): void {
  const isFilled = () => db.get('SELECT 1 FROM world_fills WHERE name = ?', fillName) !== undefined;
  if (isFilled()) return;
  db.atomic(() => {
    // Another process may have built it meanwhile.
    if (isFilled()) return;
    const pagesWithLinks =
      "SELECT n, front FROM world_pages WHERE instr(front, '[[') > 0 OR instr(front, '](') > 0";
    for (const { n, front } of db.all(pagesWithLinks)) indexFront(db, Number(n), String(front));
    db.run('INSERT INTO world_fills (name) VALUES (?)', fillName);
  });
}
