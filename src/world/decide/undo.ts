/** Undoes a decision of the author, if its pages have not changed since. */
import type { Database } from '../../store/index.ts';
import { readPage } from '../markdown/index.ts';
import { removeBlock, restoreBlock } from '../rows/block-rows.ts';
import { restorePageFields, setFront } from '../rows/page-rows.ts';
import { findBlock, findPage, findPageByPath, type PageRow, readPageRow } from '../rows/rows.ts';
import type { ContentFields, WorldEvent } from '../world.ts';
import { deletePage } from '../write/edit-page.ts';
import { toEvent } from '../write/events.ts';
import { refuse } from '../write/refusal.ts';
import { throwUnknown } from '../write/targets.ts';
import type { UnitOfWork } from '../write/unit-of-work.ts';

/** Operations that can be undone: decisions, and updates, since an update may accept a candidate. */
const decisions: ReadonlySet<string> = new Set([
  'promote',
  'reject',
  'resolve_deviation',
  'clear_flag',
  'update_block',
  'update_page',
]);

export function undo(unit: UnitOfWork, write: string): void {
  const { db, trace } = unit;
  const event = findDecision(db, write);
  for (const page of requireUnchangedPages(db, event)) trace.touch(page);
  const { before, after } = event;
  for (const [id, fields] of Object.entries(after ?? {})) {
    restoreContent(unit, id, before?.[id] ?? null);
    for (const [source, type] of fields.derived_from ?? [])
      db.run(
        'DELETE FROM world_derivations WHERE derived = ? AND source = ? AND type = ? AND created = ?',
        id,
        source,
        type,
        event.at,
      );
  }
  for (const id of event.content_ids) trace.result(id);
  reopenClosed(db, write);
  db.run('INSERT INTO world_undone (write_id, undone_by) VALUES (?, ?)', write, unit.write_id);
}

/** The event of a decision. Refuses a write that is not a decision, or that is undone already. */
function findDecision(db: Database, write: string): WorldEvent {
  const row = db.get('SELECT * FROM world_events WHERE write_id = ? ORDER BY seq DESC LIMIT 1', write);
  const event = row === undefined ? null : toEvent(row);
  if (event === null || event.caller_kind !== 'user' || !decisions.has(event.op))
    return refuse(
      'unknown_content',
      `${JSON.stringify(write.slice(0, 100))} is not a decision of the author.`,
      'Name the write_id that a decision returned.',
      { write },
    );
  if (db.get('SELECT 1 FROM world_undone WHERE write_id = ?', write) !== undefined)
    refuse('not_open', `${write} was undone already.`, 'There is nothing to do.', { write });
  return event;
}

/**
 * The numbers of the pages that an operation changed. Refuses if one of them has changed since, unless that change was
 * undone.
 */
function requireUnchangedPages(db: Database, { seq, write_id: write }: WorldEvent): readonly number[] {
  const pages = db
    .all('SELECT page FROM world_event_pages WHERE seq = ?', seq)
    .map(({ page }) => Number(page));
  const laterEventSql = `SELECT e.op, e.write_id FROM world_event_pages x JOIN world_events e ON e.seq = x.seq
    WHERE x.page = ? AND x.seq > ? AND e.op <> 'undo' AND e.write_id NOT IN (SELECT write_id FROM world_undone)
    LIMIT 1`;
  for (const page of pages) {
    const later = db.get(laterEventSql, page, seq);
    if (later !== undefined)
      refuse(
        'not_open',
        `${readPageRow(db, page).path} has changed since (${String(later['op'])}): ${write} cannot be undone.`,
        'Change the present page instead.',
        { write, since: String(later['write_id']) },
      );
  }
  return pages;
}

function restoreContent(unit: UnitOfWork, id: string, before: ContentFields | null): void {
  const { db } = unit;
  if (id.startsWith('bl-')) {
    const block = findBlock(db, id)!;
    if (before === null) removeBlock(unit, block);
    else restoreBlock(unit, block, before);
    return;
  }
  const page = findPage(db, id)!;
  if (before === null) {
    deletePage(unit, page);
    return;
  }
  if (before.path !== undefined && before.path !== page.path)
    refuse('bad_path', `${id} was moved by this decision.`, 'Move the page back.', { id, path: before.path });
  if (before.deleted === false) requireFreePath(db, page);
  if (before.front !== undefined) setFront(unit, page, readPage(before.front).frontMatter);
  restorePageFields(unit, page, before);
}

/** Restores a deleted or rejected page with the text and the lifecycle that it had. */
export function restorePage(unit: UnitOfWork, id: string): void {
  const { db, trace } = unit;
  const page = findPage(db, id) ?? throwUnknown(id);
  if (!page.deleted)
    refuse('not_open', `${page.path} is not deleted.`, 'There is nothing to restore.', { id: page.id });
  requireFreePath(db, page);
  restorePageFields(unit, page, { deleted: false });
  trace.touch(page.n);
  trace.result(page.id);
}

function requireFreePath(db: Database, { id, path }: PageRow): void {
  const pageRow = findPageByPath(db, path);
  if (pageRow !== null && pageRow.id !== id)
    refuse(
      'path_taken',
      `There is another page at ${path} now: ${pageRow.id}.`,
      'Move that page elsewhere first.',
      {
        path,
        content_id: pageRow.id,
      },
    );
}

/** Reopens the deviations and flags that the decision closed. */
function reopenClosed(db: Database, write: string): void {
  db.run(
    `UPDATE world_deviations SET status = 'open', resolution = NULL, resolved = NULL, closed_by = NULL
     WHERE closed_by = ?`,
    write,
  );
  db.run('UPDATE OR IGNORE world_flags SET cleared = NULL, cleared_by = NULL WHERE cleared_by = ?', write);
}
