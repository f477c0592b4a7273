import { canonicalJson } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { requireShown, toShownHead } from '../decide/shown-rows.ts';
import { newId } from '../ids.ts';
import type { FrontMatter } from '../markdown/index.ts';
import { foldName, lastSegment } from '../names.ts';
import type { ContentFields, Lifecycle } from '../world.ts';
import { ensureSourceNumber, lifecycleAfterPart } from '../write/act.ts';
import { readAliases, readTags } from '../write/properties.ts';
import type { UnitOfWork } from '../write/unit-of-work.ts';
import { reindexBlock } from './block-rows.ts';
import { indexFront, renderFront } from './link-rows.ts';
import { listBlocks, type PageRow, readPageRow, toTitle } from './rows.ts';

export function insertPage(
  unit: UnitOfWork,
  page: { readonly path: string; readonly front: FrontMatter },
): PageRow {
  const { db, act, trace } = unit;
  const { path, front } = page;
  const { origin, lifecycle, now, writer } = act;
  const id = newId('pg', now);
  const sql = `
    INSERT INTO world_pages
      (id, path, front, properties, origin, lifecycle, source, writer, revision, created, updated)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`;
  const properties = JSON.stringify(front.properties);
  const source = ensureSourceNumber(db, act);
  const n = db.insert(sql, id, path, front.raw, properties, origin, lifecycle, source, writer, now, now);
  const pageRow: PageRow = {
    n,
    id,
    path,
    title: toTitle(path, front.properties),
    front: front.raw,
    properties: front.properties,
    origin,
    lifecycle,
    origin_source_id: act.source,
    writer,
    revision: 1,
    created: now,
    updated: now,
    deleted: false,
  };
  insertNamesAndTags(db, pageRow);
  if (front.raw !== '') indexFront(db, n, front.raw);
  trace.touch(pageRow.n);
  trace.note(id, null, { path, front: front.raw, lifecycle, origin });
  return pageRow;
}

/** Rebuilds the index of the page's names and tags. */
export function indexPage(db: Database, page: PageRow): void {
  unindexPage(db, page.n);
  insertNamesAndTags(db, page);
}

function insertNamesAndTags(db: Database, page: PageRow): void {
  const insertName =
    'INSERT INTO world_names (key, alias, page, whole) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
  const foldedPath = foldName(page.path);
  db.run(insertName, lastSegment(foldedPath), 0, page.n, foldedPath);
  for (const alias of readAliases(page.properties)) {
    db.run(insertName, lastSegment(foldName(alias)), 1, page.n, foldName(alias));
  }
  for (const tag of readTags(page.properties)) {
    db.run('INSERT INTO world_tags (tag, page, block) VALUES (?, ?, 0) ON CONFLICT DO NOTHING', tag, page.n);
  }
}

export function unindexPage(db: Database, page: number): void {
  db.run('DELETE FROM world_names WHERE page = ?', page);
  db.run('DELETE FROM world_tags WHERE page = ? AND block = 0', page);
}

export function setFront({ db, trace }: UnitOfWork, page: PageRow, front: FrontMatter): void {
  // The front matter is unchanged if it equals the stored one, or the stored one as readers see it.
  if (front.raw === page.front || front.raw === renderFront(db, page)) return;
  const properties = JSON.stringify(front.properties);
  db.run('UPDATE world_pages SET front = ?, properties = ? WHERE n = ?', front.raw, properties, page.n);
  indexPage(db, readPageRow(db, page.n));
  indexFront(db, page.n, front.raw);
  trace.note(page.id, { front: page.front }, { front: front.raw });
}

/**
 * Gives a changed page a new revision, and marks it as changed, so that content that derives from it gets flags.
 * `was` and `is`: the lifecycle of the changed part before and after. A change of a candidate block does not count as a
 * change of its page, unless the page is a candidate. `own`: true if front matter was changed. `whole`: true if the
 * whole text was written.
 */
export function markPageChanged(
  unit: UnitOfWork,
  page: PageRow,
  change: {
    readonly was: Lifecycle;
    readonly is: Lifecycle;
    readonly own?: boolean;
    readonly whole?: boolean;
  },
): void {
  const { db, act, trace } = unit;
  trace.touch(page.n);
  const isHiddenChange =
    change.was === 'Candidate' && change.is === 'Candidate' && page.lifecycle !== 'Candidate';
  if (isHiddenChange) return;
  const lifecycle = lifecycleAfterPart(act, page.lifecycle, change.is);
  // Accepting the first block of a candidate page also accepts its path and properties, so these must have been
  // shown.
  if (page.lifecycle === 'Candidate' && lifecycle !== 'Candidate' && change.whole !== true)
    requireShown(unit, toShownHead(page));
  const writer = change.own === true ? act.writer : page.writer;
  db.run(
    'UPDATE world_pages SET revision = revision + 1, updated = ?, lifecycle = ?, writer = ? WHERE n = ?',
    act.now,
    lifecycle,
    writer,
    page.n,
  );
  if (lifecycle !== page.lifecycle) trace.note(page.id, { lifecycle: page.lifecycle }, { lifecycle });
  trace.markChanged(page.id);
}

/** Restores lifecycle and deletion of a page after an undo. */
export function restorePageFields(
  { db, act, trace }: UnitOfWork,
  { n, id, ...page }: PageRow,
  { lifecycle = page.lifecycle, deleted = page.deleted }: ContentFields,
): void {
  db.run(
    'UPDATE world_pages SET lifecycle = ?, deleted = ?, revision = revision + 1, updated = ? WHERE n = ?',
    lifecycle,
    deleted ? 1 : 0,
    act.now,
    n,
  );
  if (page.deleted && !deleted) {
    indexPage(db, readPageRow(db, n));
    for (const block of listBlocks(db, n)) reindexBlock(db, block);
  }
  trace.note(
    id,
    { lifecycle: page.lifecycle, ...(deleted !== page.deleted && { deleted: page.deleted }) },
    { lifecycle, ...(deleted !== page.deleted && { deleted }) },
  );
  trace.markChanged(id);
}

export function isSameValue(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
