import type { Database } from '../../store/index.ts';
import { readPage, withProperties } from '../markdown/index.ts';
import { newlineOf, pageText } from '../read/page-text.ts';
import { renderFront, renderText } from '../rows/link-rows.ts';
import { findBlock, findPage } from '../rows/rows.ts';
import type { ContentId, Deviation, InboxItem } from '../world.ts';
import type { EditOperation } from '../write/targets.ts';
import { rebase } from './rebase.ts';

type Preview = Pick<InboxItem, 'before' | 'after' | 'conflicts'>;

/**
 * The text that accepting a deviation would change, before and after; null if there is none. If later changes conflict
 * with the deviation, the submitted text is shown.
 */
export function preview(db: Database, deviation: Deviation): Preview {
  const [first] = deviation.canonical_refs;
  const before = first === undefined ? null : textOf(db, first);
  if (deviation.candidate !== null) return { before, after: textOf(db, deviation.candidate), conflicts: [] };
  const { operation, conflicts } = rebase(db, deviation);
  return { ...previewChange(db, operation, before), conflicts };
}

function previewChange(
  db: Database,
  operation: EditOperation,
  before: string | null,
): Omit<Preview, 'conflicts'> {
  switch (operation.op) {
    case 'create_page':
    case 'update_block':
    case 'update_page':
      return { before, after: operation.text };
    case 'add_block':
      return { before: null, after: operation.text };
    case 'delete_block':
    case 'delete_page':
      return { before, after: null };
    case 'set_properties': {
      const page = findPage(db, operation.page);
      const front = page === null ? '' : renderFront(db, page);
      const set = withProperties(readPage(front).frontMatter, operation.set, newlineOf(front));
      return { before: front, after: set.raw };
    }
    case 'move_page':
      return { before: pathOf(db, operation.page), after: operation.to };
    case 'rename_page':
      return {
        before: pathOf(db, operation.page),
        after: pathOf(db, operation.page).replace(/[^/]*$/, () => operation.name),
      };
    case 'add_tag':
      return { before: null, after: `#${operation.tag.replace(/^#/, '')}` };
    case 'remove_tag':
      return { before: `#${operation.tag.replace(/^#/, '')}`, after: null };
    case 'add_derivation_link':
      return { before: null, after: `rests on ${placeOf(db, operation.source)} (${operation.link_type})` };
    case 'add_attachment':
      return { before: null, after: operation.path };
    case 'remove_attachment':
      return { before: operation.path, after: null };
  }
}

function textOf(db: Database, id: ContentId): string | null {
  const block = findBlock(db, id);
  const page = findPage(db, block?.page_id ?? id);
  if (page === null || page.deleted || block?.deleted === true) return null;
  return block === null ? pageText(db, page, 'canonical') : renderText(db, block, page.path);
}

/** The path of a page; for a block, the path of its page and the text of the block. */
function placeOf(db: Database, id: ContentId): string {
  const block = findBlock(db, id);
  return block === null
    ? pathOf(db, id)
    : `${pathOf(db, block.page_id)}\n${renderText(db, block, pathOf(db, block.page_id))}`;
}

function pathOf(db: Database, id: ContentId): string {
  return findPage(db, id)?.path ?? '';
}
