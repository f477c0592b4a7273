import type { Database, Row } from '../../store/index.ts';
import { linksOf, withTargets } from '../markdown/index.ts';
import { folderOf, lastSegment, relativePath } from '../names.ts';
import type { Link } from '../world.ts';
import { leadsAsWritten, resolveLink } from './resolve-link.ts';
import { type BlockRow, type PageRow, pageOf } from './rows.ts';

const columns = `l.kind, l.target, l.fragment, l.pin, l.block, l.ordinal, b.id AS from_id, p.id AS page_id,
  p.path AS page_path, p.n AS page_n, p.lifecycle AS page_lifecycle, b.lifecycle AS block_lifecycle`;
const tables = 'world_links l JOIN world_blocks b ON b.n = l.block JOIN world_pages p ON p.n = b.page';
const there = 'b.deleted = 0 AND p.deleted = 0';

/** A link as it is stored, with where it stands. */
export interface LinkRow {
  readonly kind: Link['kind'];
  readonly target: string;
  readonly fragment: string;
  readonly pin: number | null;
  readonly block: number;
  readonly ordinal: number;
  readonly from: string;
  readonly page: string;
  readonly pagePath: string;
  readonly pageNumber: number;
  /** Whether the author sees it. */
  readonly shown: boolean;
}

export function linksOnPage(db: Database, page: number): readonly LinkRow[] {
  const sql = `SELECT ${columns} FROM ${tables} WHERE b.page = ? AND ${there} ORDER BY b.place, l.ordinal`;
  return db.all(sql, page).map(linkRow);
}

/** Every link whose text could lead to a page of this key, bound ones left out. */
export function linksByKey(db: Database, key: string): readonly LinkRow[] {
  const sql = `SELECT ${columns} FROM ${tables} WHERE l.key = ? AND l.pin IS NULL AND ${there}`;
  return db.all(sql, key).map(linkRow);
}

export function linksBoundTo(db: Database, page: number): readonly LinkRow[] {
  return db.all(`SELECT ${columns} FROM ${tables} WHERE l.pin = ? AND ${there}`, page).map(linkRow);
}

export function keysOf(db: Database, page: number): readonly string[] {
  return db.all('SELECT DISTINCT key FROM world_names WHERE page = ?', page).map(({ key }) => String(key));
}

/** Those that lead to a page now, at most `limit` of them. */
export function linksTo(db: Database, page: number, limit = Number.POSITIVE_INFINITY): readonly LinkRow[] {
  const found = [...linksBoundTo(db, page)];
  for (const key of keysOf(db, page)) {
    for (const link of linksByKey(db, key)) {
      if (found.length >= limit) return found;
      if (resolveLink(db, link, link.pagePath) === page) found.push(link);
    }
  }
  return found;
}

export function leadsTo(db: Database, link: LinkRow): PageRow | null {
  const n = link.pin ?? resolveLink(db, link, link.pagePath);
  if (n === null) return null;
  const page = pageOf(db, n);
  return page.deleted ? null : page;
}

export function linkOf(db: Database, link: LinkRow): Link {
  const { from, page, target, fragment, kind } = link;
  return {
    from,
    from_page: page,
    to: leadsTo(db, link)?.id ?? null,
    target: `${target}${fragment}`,
    kind,
  };
}

/** The text as it is read: a link that is bound to a page, and would not lead there any more, has its path of now. */
export function renderText(db: Database, block: BlockRow, onPath: string): string {
  if (!block.pinned) return block.text;
  const pins = new Map(
    db
      .all('SELECT ordinal, pin FROM world_links WHERE block = ? AND pin IS NOT NULL', block.n)
      .map(({ ordinal, pin }) => [Number(ordinal), Number(pin)]),
  );
  const ordinals = new Map(linksOf(block.text).map((link, ordinal) => [link.start, ordinal]));
  return withTargets(block.text, (link) => {
    const pin = pins.get(ordinals.get(link.start) ?? -1);
    if (pin === undefined || leadsAsWritten(db, link, onPath, pin)) return null;
    const { path } = pageOf(db, pin);
    const name = lastSegment(path);
    // As short as it was, where the short form still leads there.
    const bare = { kind: link.kind, target: name };
    if (!link.target.includes('/') && leadsAsWritten(db, bare, onPath, pin)) return name;
    const asPath = link.kind === 'wiki' || block.text.slice(0, link.start).endsWith('[[');
    return asPath ? path : relativePath(folderOf(onPath), path);
  });
}

function linkRow(row: Row): LinkRow {
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
