import type { Database } from '../../store/index.ts';
import { below } from '../names.ts';
import { type PageRow, pageRow, selectPages } from '../rows/rows.ts';

/** Every page below a path, in the order of their paths; the page of that path itself not among them. */
export function pagesBelow(db: Database, path: string): readonly PageRow[] {
  const [from, to] = below(path);
  return db
    .all(`${selectPages} WHERE p.deleted = 0 AND p.path >= ? AND p.path < ? ORDER BY p.path`, from, to)
    .map(pageRow);
}
