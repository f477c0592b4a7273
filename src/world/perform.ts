import type { Database } from '../store/index.ts';
import type { Act } from './act.ts';
import { addBlock, deleteBlock, updateBlock } from './edit-block.ts';
import { createPage, deletePage, setProperties, updatePage } from './edit-page.ts';
import { addTag, removeTag } from './edit-tag.ts';
import { movePage } from './move-page.ts';
import { pageChanged } from './page-rows.ts';
import type { EditOperation, Targets } from './targets.ts';
import type { Trace } from './trace.ts';

/** Does what was found possible and allowed. */
export function perform(
  db: Database,
  act: Act,
  operation: EditOperation,
  targets: Targets,
  trace: Trace,
): void {
  const { page, block, idle } = targets;
  if (idle) {
    trace.result((block ?? page)!.id);
    trace.derived((block ?? page)!.id, false);
    trace.touch(page!.n);
    return;
  }
  switch (operation.op) {
    case 'create_page':
      createPage(db, act, operation, trace);
      return;
    case 'update_block':
      updateBlock(db, act, page!, block!, operation.text, trace);
      return;
    case 'add_block':
      addBlock(db, act, page!, operation.after, operation.text, trace);
      return;
    case 'delete_block':
      deleteBlock(db, act, page!, block!, trace);
      return;
    case 'update_page':
      updatePage(db, act, page!, operation.text, trace);
      return;
    case 'delete_page':
      deletePage(db, act, page!, trace);
      return;
    case 'move_page':
      movePage(db, act, targets, operation.to, trace);
      return;
    case 'rename_page':
      movePage(db, act, targets, renamed(page!.path, operation.name), trace);
      return;
    case 'set_properties':
      setProperties(db, act, page!, operation.set, trace);
      return;
    case 'add_tag':
      addTag(db, act, targets, operation.tag, trace);
      return;
    case 'remove_tag':
      removeTag(db, act, targets, operation.tag, trace);
      return;
    case 'add_attachment': {
      const { path, bytes, hash } = operation;
      const sql = `INSERT INTO world_attachments (path, page, bytes, hash) VALUES (?, ?, ?, ?)
        ON CONFLICT (path) DO UPDATE SET page = excluded.page, bytes = excluded.bytes, hash = excluded.hash`;
      db.run(sql, path, page?.n ?? null, bytes, hash);
      attachmentChanged(db, act, targets, trace);
      return;
    }
    case 'remove_attachment':
      db.run('DELETE FROM world_attachments WHERE path = ?', operation.path);
      attachmentChanged(db, act, targets, trace);
      return;
  }
}

function renamed(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + name;
}

function attachmentChanged(db: Database, act: Act, { page }: Targets, trace: Trace): void {
  if (page === null) return;
  trace.result(page.id);
  // What the author reads of it is as before, so it is no edit of the author's.
  pageChanged(db, { ...act, author: false }, page, { was: page.lifecycle, is: page.lifecycle }, trace);
}
