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
  findPageByPath,
  type PageRow,
  readPageRow,
  selectPages,
  toPageRow,
} from '../rows/rows.ts';
import type { Block, Listing, Page, PageText, View } from '../world.ts';
import { readAliases, readTags } from '../write/properties.ts';
import { formatHandle } from './handles.ts';
import { listShownBlocks } from './page-text.ts';

/** Finds a page by id, path, name or alias, in this order. */
export function findPageByName(db: Database, wanted: string): Page | null {
  const page = findPage(db, wanted) ?? findPageByPath(db, wanted);
  if (page !== null) return toPage(page);
  const n = resolveLink(db, { kind: 'wiki', target: wanted }, '');
  return n === null ? null : toPage(readPageRow(db, n));
}

export function readPageText(db: Database, id: string, view: View): PageText | null {
  const page = findPage(db, id);
  if (page === null || page.deleted || (view === 'canonical' && page.lifecycle === 'Candidate')) return null;
  const blocks = listShownBlocks(db, page, view);
  const front = renderFront(db, page);
  const properties = front === page.front ? page.properties : readPage(front).frontMatter.properties;
  return {
    ...toPage(page),
    front,
    blocks: blocks.map(toBlock),
    properties,
    tags: [...new Set([...readTags(properties), ...listBlockTags(db, page, blocks)])],
    aliases: readAliases(properties),
    flags: countRows(db, 'SELECT count(*) AS n FROM world_flags WHERE page = ? AND cleared IS NULL', page),
    deviations: countRows(
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
  return toBlock(
    block.pinned ? { ...block, text: renderText(db, block, readPageRow(db, block.page).path) } : block,
  );
}

/** The tags of blocks, in the order of the text. */
function listBlockTags(db: Database, page: PageRow, blocks: readonly BlockRow[]): readonly string[] {
  const rows = db.all('SELECT tag, block FROM world_tags WHERE page = ? AND block > 0', page.n);
  if (rows.length === 0) return [];
  return blocks.flatMap(({ n }) => rows.filter(({ block }) => block === n).map(({ tag }) => String(tag)));
}

function countRows(db: Database, sql: string, page: PageRow): number {
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
    where.push(treeCondition);
    values.push(...toTreeRange(under));
  }
  if (tag !== undefined) {
    // A tag includes the tags below it. Tags of candidate blocks are not part of the canonical view.
    const name = tag.replace(/^#/, '');
    const shown = view === 'canonical' ? `AND ${visibleTagCondition}` : '';
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
  return db.all(sql, ...values, limit ?? -1).map((row) => toPage(toPageRow(row)));
}

/** Selects a path and all paths below it. Excludes paths such as `A-`, which sort between `A` and `A/`. */
const treeCondition = 'p.path >= ? AND p.path < ? AND (p.path = ? OR p.path >= ?)';

function toTreeRange(path: string): readonly string[] {
  const [from, to] = rangeBelow(path);
  return [path, to, path, from];
}

const visibleTagCondition = `(t.block = 0 OR EXISTS
  (SELECT 1 FROM world_blocks b WHERE b.n = t.block AND b.lifecycle <> 'Candidate'))`;

export function listTags(
  db: Database,
  under: string | undefined,
  view: View,
): readonly { readonly tag: string; readonly pages: number }[] {
  const where = ['p.deleted = 0'];
  const values: string[] = [];
  if (view === 'canonical') where.push("p.lifecycle <> 'Candidate'", visibleTagCondition);
  if (under !== undefined && under !== '') {
    where.push(treeCondition);
    values.push(...toTreeRange(under));
  }
  const sql = `SELECT t.tag, count(DISTINCT t.page) AS pages FROM world_tags t JOIN world_pages p ON p.n = t.page
    WHERE ${where.join(' AND ')} GROUP BY t.tag ORDER BY pages DESC, t.tag`;
  return db.all(sql, ...values).map(({ tag, pages }) => ({ tag: String(tag), pages: Number(pages) }));
}

/** The public fields of a row. */
function toPage(row: PageRow): Page {
  const { n: _n, front: _front, properties: _properties, writer: _writer, ...page } = row;
  return page;
}

function toBlock(row: BlockRow): Block {
  const { n: _n, id, page: _page, page_id: page, place: _place, pinned: _pinned, ...block } = row;
  return { id, handle: formatHandle(row), ...block, page };
}
