import type { Database } from '../../store/index.ts';
import { renderFront, renderText } from '../rows/link-rows.ts';
import { type BlockRow, blocksOf, type PageRow } from '../rows/rows.ts';
import type { View } from '../world.ts';

/** The blocks that a view shows, with the present paths of their links. A candidate page shows all of its blocks. */
export function listShownBlocks(db: Database, page: PageRow, view: View): readonly BlockRow[] {
  const all = blocksOf(db, page.n);
  const blockRows =
    view === 'all' || page.lifecycle === 'Candidate'
      ? all
      : all.filter(({ lifecycle }) => lifecycle !== 'Candidate');
  return blockRows.map((block) =>
    block.pinned ? { ...block, text: renderText(db, block, page.path) } : block,
  );
}

/** The whole page as Markdown. */
export function pageText(db: Database, page: PageRow, view: View): string {
  return (
    renderFront(db, page) +
    listShownBlocks(db, page, view)
      .map(({ text }) => text)
      .join('')
  );
}

/** The line end that the page uses. */
export function newlineOf(text: string): '\n' | '\r\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}
