import type { Database } from '../../store/index.ts';
import { changeProperties, readPage } from '../markdown/index.ts';
import { detectNewline, renderPage } from '../read/page-text.ts';
import { renderFront, renderText } from '../rows/link-rows.ts';
import { findBlock, findPage } from '../rows/rows.ts';
import type { ContentId, Deviation, InboxItem } from '../world.ts';
import type { EditOperation } from '../write/targets.ts';
import { rebaseEdit } from './rebase.ts';

type Preview = Pick<InboxItem, 'before' | 'after' | 'conflicts'>;

/**
 * The text before and after a deviation is accepted; null if there is no text then. If later changes conflict with the
 * deviation, `after` is the submitted text.
 */
export function previewDeviation(db: Database, deviation: Deviation): Preview {
  const [first] = deviation.canonical_refs;
  const before = first === undefined ? null : readText(db, first);
  if (deviation.candidate !== null)
    return { before, after: readText(db, deviation.candidate), conflicts: [] };
  const { operation, conflicts } = rebaseEdit(db, deviation);
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
      const newFront = changeProperties(readPage(front).frontMatter, operation.set, detectNewline(front));
      return { before: front, after: newFront.raw };
    }
    case 'move_page':
      return { before: readPath(db, operation.page), after: operation.to };
    case 'rename_page':
      return {
        before: readPath(db, operation.page),
        after: readPath(db, operation.page).replace(/[^/]*$/, () => operation.name),
      };
    case 'add_tag':
      return { before: null, after: `#${operation.tag.replace(/^#/, '')}` };
    case 'remove_tag':
      return { before: `#${operation.tag.replace(/^#/, '')}`, after: null };
    case 'add_derivation_link':
      return {
        before: null,
        after: `rests on ${describePlace(db, operation.source)} (${operation.link_type})`,
      };
    case 'add_attachment':
      return { before: null, after: operation.path };
    case 'remove_attachment':
      return { before: operation.path, after: null };
  }
}

function readText(db: Database, id: ContentId): string | null {
  const block = findBlock(db, id);
  const page = findPage(db, block?.page_id ?? id);
  if (page === null || page.deleted || block?.deleted === true) return null;
  return block === null ? renderPage(db, page, 'canonical') : renderText(db, block, page.path);
}

/** The path of a page; for a block, the path of its page and the text of the block. */
function describePlace(db: Database, id: ContentId): string {
  const block = findBlock(db, id);
  return block === null
    ? readPath(db, id)
    : `${readPath(db, block.page_id)}\n${renderText(db, block, readPath(db, block.page_id))}`;
}

function readPath(db: Database, id: ContentId): string {
  return findPage(db, id)?.path ?? '';
}
