import type { Database } from '../../store/index.ts';
import { readPage } from '../markdown/index.ts';
import { rangeBelow } from '../names.ts';
import { renderFront, renderText } from '../rows/link-rows.ts';
import { resolveLink } from '../rows/resolve-link.ts';
import {
  type BlockRow,
  findBlock,
  findByHandle,
  findPage,
  findPath,
  type PageRow,
  pageOf,
  pageRow,
  selectPages,
} from '../rows/rows.ts';
import type { Block, Listing, Page, PageText, View } from '../world.ts';
import { aliasesOf, tagsOfProperties } from '../write/properties.ts';
import { handleOf } from './handles.ts';
import { listShownBlocks } from './page-text.ts';

/** Finds a page by id or path, or as a link would find it: by name or alias. */
export function findNamed(db: Database, wanted: string): Page | null {
  const page = findPage(db, wanted) ?? findPath(db, wanted);
  if (page !== null) return plainPage(page);
  const n = resolveLink(db, { kind: 'wiki', target: wanted }, '');
  return n === null ? null : plainPage(pageOf(db, n));
}

export function readPageText(db: Database, id: string, view: View): PageText | null {
  const page = findPage(db, id);
  if (page === null || page.deleted || (view === 'canonical' && page.lifecycle === 'Candidate')) return null;
  const blocks = listShownBlocks(db, page, view);
  const front = renderFront(db, page);
  const properties = front === page.front ? page.properties : readPage(front).frontMatter.properties;
  return {
    ...plainPage(page),
    front,
    blocks: blocks.map(plainBlock),
    properties,
    tags: [...new Set([...tagsOfProperties(properties), ...blockTags(db, page, blocks)])],
    aliases: aliasesOf(properties),
    flags: count(db, 'SELECT count(*) AS n FROM world_flags WHERE page = ? AND cleared IS NULL', page),
    deviations: count(
      db,
      `SELECT count(DISTINCT c.deviation) AS n FROM world_deviation_content c
       JOIN world_deviations d ON d.id = c.deviation WHERE c.page = ? AND d.status = 'open'`,
      page,
    ),
  };
}

export function readBlock(db: Database, name: string): Block | null {
  const block = findBlock(db, name) ?? findByHandle(db, name);
  if (block === null) return null;
  return plainBlock(
    block.pinned ? { ...block, text: renderText(db, block, pageOf(db, block.page).path) } : block,
  );
}

/** The tags of the shown blocks, in the order of the text. */
function blockTags(db: Database, page: PageRow, blocks: readonly BlockRow[]): readonly string[] {
  const rows = db.all('SELECT tag, block FROM world_tags WHERE page = ? AND block > 0', page.n);
  if (rows.length === 0) return [];
  return blocks.flatMap(({ n }) => rows.filter(({ block }) => block === n).map(({ tag }) => String(tag)));
}

function count(db: Database, sql: string, page: PageRow): number {
  return Number(db.get(sql, page.n)!['n']);
}

export function listPages(
  db: Database,
  { under, tag, view = 'canonical', limit, after, deleted = false }: Listing,
): readonly Page[] {
  const where = [`p.deleted = ${deleted ? 1 : 0}`];
  const values: string[] = [];
  if (view === 'canonical') where.push("p.lifecycle <> 'Candidate'");
  if (under !== undefined && under !== '') {
    where.push(inTree);
    values.push(...treeOf(under));
  }
  if (tag !== undefined) {
    // A tag includes the tags below it, as a page does. The tag of a candidate block is not the author's.
    const name = tag.replace(/^#/, '');
    const shown = view === 'canonical' ? `AND ${shownTag}` : '';
    where.push(
      `p.n IN (SELECT t.page FROM world_tags t WHERE (t.tag = ? OR (t.tag >= ? AND t.tag < ?)) ${shown})`,
    );
    values.push(name, ...rangeBelow(name));
  }
  if (after !== undefined) {
    where.push('p.path > ?');
    values.push(after);
  }
  const sql = `${selectPages} WHERE ${where.join(' AND ')} ORDER BY p.path LIMIT ?`;
  return db.all(sql, ...values, limit ?? -1).map((row) => plainPage(pageRow(row)));
}

/**
 * One range of the index on paths. Paths in this range that are not below the path, such as `A-` for `A`, are left out.
 */
const inTree = 'p.path >= ? AND p.path < ? AND (p.path = ? OR p.path >= ?)';

function treeOf(path: string): readonly string[] {
  const [from, to] = rangeBelow(path);
  return [path, to, path, from];
}

const shownTag = `(t.block = 0 OR EXISTS
  (SELECT 1 FROM world_blocks b WHERE b.n = t.block AND b.lifecycle <> 'Candidate'))`;

export function listTags(
  db: Database,
  under: string | undefined,
  view: View,
): readonly { readonly tag: string; readonly pages: number }[] {
  const where = ['p.deleted = 0'];
  const values: string[] = [];
  if (view === 'canonical') where.push("p.lifecycle <> 'Candidate'", shownTag);
  if (under !== undefined && under !== '') {
    where.push(inTree);
    values.push(...treeOf(under));
  }
  const sql = `SELECT t.tag, count(DISTINCT t.page) AS pages FROM world_tags t JOIN world_pages p ON p.n = t.page
    WHERE ${where.join(' AND ')} GROUP BY t.tag ORDER BY pages DESC, t.tag`;
  return db.all(sql, ...values).map(({ tag, pages }) => ({ tag: String(tag), pages: Number(pages) }));
}

/** The public fields of a row. */
function plainPage(row: PageRow): Page {
  const { n: _n, front: _front, properties: _properties, writer: _writer, ...page } = row;
  return page;
}

function plainBlock(row: BlockRow): Block {
  const { n: _n, id, page: _page, page_id: page, place: _place, pinned: _pinned, ...block } = row;
  return { id, handle: handleOf(row), ...block, page };
}
