import type { Database } from '../../store/index.ts';
import { newId } from '../ids.ts';
import { type BlockText, findLinks, findTags, readPage } from '../markdown/index.ts';
import type { ContentFields, ContentId, Lifecycle } from '../world.ts';
import { ensureSourceNumber, lifecycleAfterEdit } from '../write/act.ts';
import type { UnitOfWork } from '../write/unit-of-work.ts';
import { linkKey } from './resolve-link.ts';
import type { BlockRow, PageRow } from './rows.ts';

/** The initial distance between the `place` values of adjacent blocks, so that others fit between them. */
export const placeGap = 1024;

export interface NewBlock extends BlockText {
  readonly place: number;
}

export function insertBlocks(
  unit: UnitOfWork,
  page: PageRow,
  blocks: readonly NewBlock[],
  lifecycle: Lifecycle = unit.act.lifecycle,
): readonly ContentId[] {
  const { db, act, trace } = unit;
  const { now, origin } = act;
  const source = ensureSourceNumber(db, act);
  trace.touch(page.n);
  const ids: ContentId[] = [];
  for (let from = 0; from < blocks.length; from += maxAtOnce) {
    const rows = blocks.slice(from, from + maxAtOnce);
    const values: (string | number)[] = [];
    for (const { text, kind, place } of rows) {
      const id = newId('bl', now);
      ids.push(id);
      values.push(id, page.n, place, text, kind, origin, lifecycle, source, now, now);
      trace.note(id, null, { page: page.id, place, text, lifecycle, origin });
    }
    // The row numbers that one statement inserts are consecutive.
    const firstNumber = db.insert(getInsertSql(rows.length), ...values) - rows.length + 1;
    rows.forEach(({ text }, index) => {
      indexBlock(db, page.n, firstNumber + index, text);
    });
  }
  return ids;
}

/** Maximum rows of one INSERT, which limits the number of prepared statements. */
const maxAtOnce = 16;

const insertSqls = Array.from({ length: maxAtOnce }, (_, index) => {
  const columns = 'id, page, place, text, kind, origin, lifecycle, source, revision, created, updated';
  const row = '(?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)';
  return `INSERT INTO world_blocks (${columns}) VALUES ${Array(index + 1)
    .fill(row)
    .join(', ')}`;
});

function getInsertSql(rows: number): string {
  return insertSqls[rows - 1]!;
}

/** Writes a new text of a block. Returns the lifecycle of the block after the write. */
export function setText({ db, act, trace }: UnitOfWork, block: BlockRow, text: string): Lifecycle {
  const lifecycle = lifecycleAfterEdit(act, block.lifecycle, block.id);
  db.run(
    `UPDATE world_blocks SET text = ?, kind = ?, lifecycle = ?, revision = revision + 1, updated = ?, pinned = 0
     WHERE n = ?`,
    text,
    parseKind(text),
    lifecycle,
    act.now,
    block.n,
  );
  unindexBlock(db, block);
  indexBlock(db, block.page, block.n, text);
  const changedLifecycle = lifecycle !== block.lifecycle;
  trace.note(
    block.id,
    { text: block.text, ...(changedLifecycle && { lifecycle: block.lifecycle }) },
    { text, ...(changedLifecycle && { lifecycle }) },
  );
  trace.markChanged(block.id);
  return lifecycle;
}

export function removeBlock({ db, act, trace }: UnitOfWork, block: BlockRow): void {
  db.run(
    'UPDATE world_blocks SET deleted = 1, revision = revision + 1, updated = ? WHERE n = ?',
    act.now,
    block.n,
  );
  unindexBlock(db, block);
  const { text, place, page_id: page } = block;
  trace.note(block.id, { text, place, page, deleted: false }, { deleted: true });
  trace.markChanged(block.id);
}

/** Restores the fields that a block had before an undone write. */
export function restoreBlock(
  { db, act, trace }: UnitOfWork,
  block: BlockRow,
  fieldsBefore: ContentFields,
): void {
  const {
    text = block.text,
    lifecycle = block.lifecycle,
    place = block.place,
    deleted = block.deleted,
  } = fieldsBefore;
  db.run(
    `UPDATE world_blocks SET text = ?, kind = ?, lifecycle = ?, place = ?, deleted = ?, revision = revision + 1,
       updated = ?, pinned = CASE WHEN text = ?1 THEN pinned ELSE 0 END WHERE n = ?`,
    text,
    parseKind(text),
    lifecycle,
    place,
    deleted ? 1 : 0,
    act.now,
    block.n,
  );
  unindexBlock(db, block);
  if (!deleted) indexBlock(db, block.page, block.n, text);
  const { derived_from: _, ...fields } = fieldsBefore;
  const present = {
    text: block.text,
    lifecycle: block.lifecycle,
    place: block.place,
    deleted: block.deleted,
  };
  const changed = Object.keys(fields).filter((name) =>
    Object.hasOwn(present, name),
  ) as (keyof typeof present)[];
  trace.note(block.id, Object.fromEntries(changed.map((name) => [name, present[name]])), fields);
  trace.markChanged(block.id);
}

export function setPlace({ db, trace }: UnitOfWork, block: BlockRow, place: number): void {
  if (place === block.place) return;
  db.run('UPDATE world_blocks SET place = ? WHERE n = ?', place, block.n);
  trace.note(block.id, { place: block.place }, { place });
}

/** The kind of a text that is stored as one block. */
export function parseKind(text: string): BlockText['kind'] {
  const { frontMatter, blocks } = readPage(text);
  // Three dashes at the beginning of a block are a rule, not front matter.
  return frontMatter.raw === '' ? (blocks[0]?.kind ?? 'blank') : 'rule';
}

export function indexBlock(db: Database, page: number, block: number, text: string): void {
  findLinks(text).forEach(({ kind, target, fragment }, ordinal) => {
    const sql =
      'INSERT INTO world_links (block, ordinal, kind, target, fragment, key) VALUES (?, ?, ?, ?, ?, ?)';
    db.run(sql, block, ordinal, kind, target, fragment, linkKey(target));
  });
  for (const tag of findTags(text)) {
    db.run('INSERT INTO world_tags (tag, page, block) VALUES (?, ?, ?)', tag, page, block);
  }
}

/** Rebuilds the links and tags of a block, after its page was restored. */
export function reindexBlock(db: Database, block: BlockRow): void {
  unindexBlock(db, block);
  indexBlock(db, block.page, block.n, block.text);
}

function unindexBlock(db: Database, { n, page }: BlockRow): void {
  db.run('DELETE FROM world_links WHERE block = ?', n);
  db.run('DELETE FROM world_tags WHERE page = ? AND block = ?', page, n);
}
