import { insertDerivation } from '../rows/derivations.ts';
import { markPageChanged } from '../rows/page-rows.ts';
import { addBlock, deleteBlock, updateBlock } from './edit-block.ts';
import { createPage, deletePage, setProperties, updatePage } from './edit-page.ts';
import { addTag, removeTag } from './edit-tag.ts';
import { movePage } from './move-page.ts';
import type { EditOperation, Targets } from './targets.ts';
import { type UnitOfWork, withAct } from './unit-of-work.ts';

/** Applies an operation that was checked by `findTargets` and admitted by `admit`. */
export function perform(unit: UnitOfWork, operation: EditOperation, targets: Targets): void {
  const { db, act, trace } = unit;
  const { page, block, isUnchanged } = targets;
  if (isUnchanged) {
    const content = (block ?? page)!;
    trace.result(content.id);
    // If the write changes nothing, its sources are added only to a candidate, or if the author submits it.
    if (act.author || content.lifecycle === 'Candidate') trace.markDerived(content.id, false);
    trace.touch(page!.n);
    return;
  }
  switch (operation.op) {
    case 'create_page':
      createPage(unit, operation);
      return;
    case 'update_block':
      updateBlock(unit, page!, block!, targets.newText!);
      return;
    case 'add_block':
      addBlock(unit, page!, operation.after, operation.text);
      return;
    case 'delete_block':
      deleteBlock(unit, page!, block!);
      return;
    case 'update_page':
      updatePage(unit, page!, operation.text);
      return;
    case 'delete_page':
      deletePage(unit, page!);
      return;
    case 'move_page':
      movePage(unit, targets, operation.to);
      return;
    case 'rename_page':
      movePage(unit, targets, renamePath(page!.path, operation.name));
      return;
    case 'set_properties':
      setProperties(unit, page!, operation.set);
      return;
    case 'add_tag':
      addTag(unit, targets, operation.tag);
      return;
    case 'remove_tag':
      removeTag(unit, targets, operation.tag);
      return;
    case 'add_derivation_link':
      addDerivationLink(unit, targets, operation);
      return;
    case 'add_attachment': {
      const { path, bytes, hash } = operation;
      const sql = `INSERT INTO world_attachments (path, page, bytes, hash) VALUES (?, ?, ?, ?)
        ON CONFLICT (path) DO UPDATE SET page = excluded.page, bytes = excluded.bytes, hash = excluded.hash`;
      db.run(sql, path, page?.n ?? null, bytes, hash);
      markAttachmentChanged(unit, targets);
      return;
    }
    case 'remove_attachment':
      db.run('DELETE FROM world_attachments WHERE path = ?', operation.path);
      markAttachmentChanged(unit, targets);
      return;
  }
}

function addDerivationLink(
  { db, act, trace }: UnitOfWork,
  { page }: Targets,
  { derived, source, link_type }: Extract<EditOperation, { op: 'add_derivation_link' }>,
): void {
  const link = { derived_id: derived, source_id: source, link_type, created_by: act.writer };
  insertDerivation(db, { ...link, now: act.now, fresh: false });
  trace.touch(page!.n);
  trace.result(derived);
  trace.note(derived, {}, { derived_from: [[source, link_type]] });
}

function renamePath(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + name;
}

function markAttachmentChanged(unit: UnitOfWork, { page }: Targets): void {
  const { trace } = unit;
  if (page === null) return;
  trace.result(page.id);
  // The text is unchanged, so the page does not become Canonical.
  markPageChanged(withAct(unit, { author: false }), page, { was: page.lifecycle, is: page.lifecycle });
}
