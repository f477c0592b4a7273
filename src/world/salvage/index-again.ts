import type { Database } from '../../store/index.ts';
import { damageOfIndex } from '../check/damage-of-index.ts';
import { indexBlock } from '../rows/block-rows.ts';
import { indexFront } from '../rows/link-rows.ts';
import { indexPage } from '../rows/page-rows.ts';
import { blocksOf, pageOf } from '../rows/rows.ts';

/** Writes the indexes of names, tags and links again where they do not match the text. */
export function repairIndexes(db: Database): void {
  for (const { n, path } of db.all('SELECT n, path FROM world_pages WHERE deleted = 0')) {
    if (damageOfIndex(db, Number(n), String(path)).length === 0) continue;
    const page = pageOf(db, Number(n));
    // Tags of deleted blocks go too, since a restored block may have the number of one of them.
    db.run('DELETE FROM world_tags WHERE page = ?', page.n);
    indexPage(db, page);
    indexFront(db, page.n, page.front);
    for (const block of blocksOf(db, page.n)) {
      db.run('DELETE FROM world_links WHERE block = ?', block.n);
      indexBlock(db, page.n, block.n, block.text);
      // A link that was bound to a page is found by its text again.
      db.run('UPDATE world_blocks SET pinned = 0 WHERE n = ?', block.n);
    }
  }
}
