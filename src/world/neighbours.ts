import type { Database } from '../store/index.ts';
import type { ContentId, Neighbour } from './world.ts';

/** Pages that lead to more than this many names are lists: that they lead somewhere says little of where. */
const mostNames = 100;

/**
 * What pages lead to, by the names of their links alone: a name that several pages have leads to each of them. For
 * ranking, where it must be quick: no link is resolved.
 */
export function neighbours(db: Database, pages: readonly ContentId[]): readonly Neighbour[] {
  return pages.flatMap((from) => {
    const rows = db.all(led, from, mostNames + 1);
    if (rows.length > mostNames) return [];
    return rows.map(({ id }) => ({ from, to: String(id) }));
  });
}

const led = `
  SELECT DISTINCT t.id FROM world_pages p
    JOIN world_blocks b ON b.page = p.n AND b.deleted = 0
    JOIN world_links l ON l.block = b.n
    JOIN world_names x ON (l.pin IS NULL AND x.key = l.key) OR x.page = l.pin
    JOIN world_pages t ON t.n = x.page AND t.n <> p.n AND t.deleted = 0
  WHERE p.id = ? LIMIT ?`;
