import { canonicalJson } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { headAsShown, requireShown } from '../decide/shown-rows.ts';
import { newId } from '../ids.ts';
import type { FrontMatter } from '../markdown/index.ts';
import { foldName, lastSegment } from '../names.ts';
import type { ContentFields, Lifecycle } from '../world.ts';
import { lifecycleAfterPart, sourceNumber } from '../write/act.ts';
import { aliasesOf, tagsOfProperties } from '../write/properties.ts';
import type { UnitOfWork } from '../write/unit-of-work.ts';
import { reindexBlock } from './block-rows.ts';
import { indexFront, renderFront } from './link-rows.ts';
import { blocksOf, type PageRow, pageOf, titleOf } from './rows.ts';

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
  const source = sourceNumber(db, act);
  const n = db.insert(sql, id, path, front.raw, properties, origin, lifecycle, source, writer, now, now);
  const pageRow: PageRow = {
    n,
    id,
    path,
    title: titleOf(path, front.properties),
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

/** Writes the names by which links and listings find the page. */
export function indexPage(db: Database, page: PageRow): void {
  unindexPage(db, page.n);
  insertNamesAndTags(db, page);
}

function insertNamesAndTags(db: Database, page: PageRow): void {
  const name = 'INSERT INTO world_names (key, alias, page, whole) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
  const whole = foldName(page.path);
  db.run(name, lastSegment(whole), 0, page.n, whole);
  for (const alias of aliasesOf(page.properties)) {
    db.run(name, lastSegment(foldName(alias)), 1, page.n, foldName(alias));
  }
  for (const tag of tagsOfProperties(page.properties)) {
    db.run('INSERT INTO world_tags (tag, page, block) VALUES (?, ?, 0) ON CONFLICT DO NOTHING', tag, page.n);
  }
}

export function unindexPage(db: Database, page: number): void {
  db.run('DELETE FROM world_names WHERE page = ?', page);
  db.run('DELETE FROM world_tags WHERE page = ? AND block = 0', page);
}

export function setFront({ db, trace }: UnitOfWork, page: PageRow, front: FrontMatter): void {
  // The front matter is unchanged if it equals the stored text, or that text with the present names of linked pages.
  if (front.raw === page.front || front.raw === renderFront(db, page)) return;
  const properties = JSON.stringify(front.properties);
  db.run('UPDATE world_pages SET front = ?, properties = ? WHERE n = ?', front.raw, properties, page.n);
  indexPage(db, pageOf(db, page.n));
  indexFront(db, page.n, front.raw);
  trace.note(page.id, { front: page.front }, { front: front.raw });
}

/**
 * Marks a page as changed: it gets a new revision, and content that derives from it gets flags. `part`: the lifecycle
 * of the changed part, before (`was`) and after (`is`); a changed candidate in a page of the author does not change
 * that page. `own`: the part is the front matter. `whole`: the author wrote the whole text.
 */
export function markPageChanged(
  unit: UnitOfWork,
  page: PageRow,
  part: { readonly was: Lifecycle; readonly is: Lifecycle; readonly own?: boolean; readonly whole?: boolean },
): void {
  const { db, act, trace } = unit;
  trace.touch(page.n);
  const hidden = part.was === 'Candidate' && part.is === 'Candidate' && page.lifecycle !== 'Candidate';
  if (hidden) return;
  const lifecycle = lifecycleAfterPart(act, page.lifecycle, part.is);
  // When the author accepts the first block of a candidate page, its path and properties become the author's as well.
  if (page.lifecycle === 'Candidate' && lifecycle !== 'Candidate' && part.whole !== true)
    requireShown(unit, headAsShown(page));
  const writer = part.own === true ? act.writer : page.writer;
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

/** Restores the fields of a page after an undo; its front matter is restored elsewhere. */
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
    indexPage(db, pageOf(db, n));
    for (const block of blocksOf(db, n)) reindexBlock(db, block);
  }
  trace.note(
    id,
    { lifecycle: page.lifecycle, ...(deleted !== page.deleted && { deleted: page.deleted }) },
    { lifecycle, ...(deleted !== page.deleted && { deleted }) },
  );
  trace.markChanged(id);
}

export function sameValue(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
