import type { Database } from '../../store/index.ts';
import { renderFront, renderText } from '../rows/link-rows.ts';
import { type BlockRow, listBlocks, type PageRow } from '../rows/rows.ts';
import type { View } from '../world.ts';

/** The blocks of a page in a view, with the present paths in their links. Of a candidate page, all blocks. */
export function listShownBlocks(db: Database, page: PageRow, view: View): readonly BlockRow[] {
  const all = listBlocks(db, page.n);
  const blockRows =
    view === 'all' || page.lifecycle === 'Candidate'
      ? all
      : all.filter(({ lifecycle }) => lifecycle !== 'Candidate');
  return blockRows.map((block) =>
    block.pinned ? { ...block, text: renderText(db, block, page.path) } : block,
  );
}

/** The text of a page in a view, as Markdown. */
export function renderPage(db: Database, page: PageRow, view: View): string {
  return (
    renderFront(db, page) +
    listShownBlocks(db, page, view)
      .map(({ text }) => text)
      .join('')
  );
}

/** The line end that the page uses. */
export function detectNewline(text: string): '\n' | '\r\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}
