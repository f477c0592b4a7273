import type { Database } from '../../store/index.ts';
import { findPageByPath } from '../rows/rows.ts';
import type { Lifecycle, Neighbour, PageOutline } from '../world.ts';

/** Reads the fields of a page that a search shows, without resolving links. */
export function readOutline(db: Database, path: string): PageOutline | null {
  const page = findPageByPath(db, path);
  if (page === null) return null;
  const { n, id, title, lifecycle } = page;
  const blocks = db.all(selectTexts, n).map((row) => ({
    id: String(row['id']),
    text: String(row['text']),
    lifecycle: row['lifecycle'] as Lifecycle,
  }));
  return { id, path, title, lifecycle, blocks };
}

const selectTexts =
  'SELECT id, text, lifecycle FROM world_blocks WHERE page = ? AND deleted = 0 ORDER BY place, n';

/** Maximum links of a page. A page with more is an index, whose links say little about its subject. */
const maxNames = 100;

/**
 * The pages that pages link to, by the names of their links: of several pages with one name, all count. For ranking,
 * which needs no exact resolution.
 */
export function listNeighbours(db: Database, paths: readonly string[]): readonly Neighbour[] {
  return paths.flatMap((from) => {
    const rows = db.all(linkedPaths, from, maxNames + 1);
    if (rows.length > maxNames) return [];
    return rows.map(({ path }) => ({ from, to: String(path) }));
  });
}

const linkedPaths = `
  SELECT DISTINCT t.path FROM world_pages p
    JOIN (SELECT b.page, l.key, l.pin FROM world_blocks b JOIN world_links l ON l.block = b.n WHERE b.deleted = 0
      UNION ALL SELECT page, key, pin FROM world_front_links) l ON l.page = p.n
    LEFT JOIN world_names x ON l.pin IS NULL AND x.key = l.key
    JOIN world_pages t ON t.n = coalesce(l.pin, x.page) AND t.n <> p.n AND t.deleted = 0
  WHERE p.path = ? AND p.deleted = 0 LIMIT ?`;
