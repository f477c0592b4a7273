import { checkTag } from '../limits.ts';
import { changeProperties, readPage } from '../markdown/index.ts';
import { detectNewline, renderPage } from '../read/page-text.ts';
import { insertBlocks, placeGap, removeBlock, setPlace, setText } from '../rows/block-rows.ts';
import { renderFront, renderText } from '../rows/link-rows.ts';
import { insertPage, markPageChanged, setFront, unindexPage } from '../rows/page-rows.ts';
import { type BlockRow, listBlocks, type PageRow, readPageRow } from '../rows/rows.ts';
import type { WorldOperation } from '../world-write.ts';
import { lifecycleAfterEdit, lifecycleAfterMove } from './act.ts';
import { alignBlocks } from './align-blocks.ts';
import { assignPlaces } from './places.ts';
import { readTags } from './properties.ts';
import { refuse } from './refusal.ts';
import type { UnitOfWork } from './unit-of-work.ts';

type Operation<Op extends WorldOperation['op']> = Extract<WorldOperation, { op: Op }>;

export function createPage(unit: UnitOfWork, operation: Operation<'create_page'>): void {
  const { trace } = unit;
  const { path, text, properties = {}, tags = [] } = operation;
  const source = readPage(text);
  const added = tags.map(checkTag);
  const frontTags = readTags({ ...source.frontMatter.properties, ...properties });
  const set =
    added.length === 0 ? properties : { ...properties, tags: [...new Set([...frontTags, ...added])] };
  const front = requireWritable(changeProperties(source.frontMatter, set, detectNewline(text)), set, path);
  const page = insertPage(unit, { path, front });
  trace.result(page.id);
  const blocks = source.blocks.length === 0 ? [{ text: '', kind: 'blank' as const }] : source.blocks;
  insertBlocks(
    unit,
    page,
    blocks.map((block, index) => ({ ...block, place: (index + 1) * placeGap })),
  );
  trace.markDerived(page.id, true);
}

function requireWritable<Front extends { readonly problem: string | null }>(
  front: Front,
  set: Readonly<Record<string, unknown>>,
  what: string,
): Front {
  if (front.problem !== null && Object.keys(set).length > 0) {
    refuse(
      'bad_value',
      `The front matter of ${what} cannot be changed: ${front.problem}.`,
      'Correct it in the text of the page first.',
      { problem: front.problem },
    );
  }
  return front;
}

export function setProperties(unit: UnitOfWork, page: PageRow, set: Readonly<Record<string, unknown>>): void {
  const { db, act, trace } = unit;
  const { frontMatter } = readPage(renderFront(db, page));
  const newline = detectNewline(page.front === '' ? renderPage(db, page, 'all') : page.front);
  const front = requireWritable(changeProperties(frontMatter, set, newline), set, page.path);
  const is = lifecycleAfterMove(act, page);
  setFront(unit, page, front);
  trace.result(page.id);
  trace.markDerived(page.id, false);
  markPageChanged(unit, page, { was: page.lifecycle, is, own: true });
}

/**
 * Replaces the text of a page. Similar blocks keep their ids. Candidate blocks stay, unless the page itself is a
 * candidate.
 */
export function updatePage(unit: UnitOfWork, page: PageRow, text: string): void {
  const { db, act, trace } = unit;
  const source = readPage(text);
  const blocks = source.blocks.length === 0 ? [{ text: '', kind: 'blank' as const }] : source.blocks;
  const old = listBlocks(db, page.n);
  const candidatePage = page.lifecycle === 'Candidate';
  const isStaying = (block: BlockRow) => !candidatePage && block.lifecycle === 'Candidate';
  const shown = old.map((block) => renderText(db, block, page.path));
  // Only a text of the author can match a candidate block, and so accept it.
  const standing = old.map((block, at) => ({
    text: isStaying(block) && !act.author ? block.id : shown[at]!,
    kind: block.kind,
    fixed: isStaying(block),
  }));
  const match = alignBlocks(standing, blocks);

  const sequence = placeStaying(
    match.map((at, index) => ({ at, index })),
    old.flatMap((block, at) => (isStaying(block) && !match.includes(at) ? [at] : [])),
  );
  const kept = new Set(sequence.map(({ at }) => at));
  old.forEach((block, at) => {
    if (!kept.has(at)) removeBlock(unit, block);
  });

  const is = lifecycleAfterEdit(act, page.lifecycle, page.id);
  const places = assignPlaces(sequence.map(({ at }) => (at === null ? null : old[at]!.place)));
  sequence.forEach(({ at, index }, position) => {
    const place = places[position]!;
    if (at === null) {
      insertBlocks(unit, page, [{ ...blocks[index!]!, place }], is);
      return;
    }
    const block = old[at]!;
    setPlace(unit, block, place);
    const fresh = index === null ? null : blocks[index]!;
    if (fresh === null) return;
    // A save by the author accepts matching candidate blocks.
    const isTakenOver = block.lifecycle === 'Candidate' && is !== 'Candidate';
    if (fresh.text !== shown[at]) setText(unit, block, fresh.text);
    else if (isTakenOver) setText(unit, block, fresh.text);
  });

  const front = renderFront(db, page);
  setFront(unit, page, source.frontMatter);
  trace.result(page.id);
  trace.markDerived(page.id, false);
  markPageChanged(unit, page, {
    was: page.lifecycle,
    is,
    own: source.frontMatter.raw !== front,
    whole: true,
  });
}

interface Slot {
  /** Index among the old blocks; null if the block is new. */
  readonly at: number | null;
  /** Index in the new text; null if the old block is not in it and stays. */
  readonly index: number | null;
}

/** Inserts each staying block after the block that it followed, or else before the block that followed it. */
function placeStaying(slots: readonly Slot[], isStaying: readonly number[]): readonly Slot[] {
  const sequence = [...slots];
  for (const at of isStaying) {
    const before = sequence.findIndex((slot) => slot.at === at - 1);
    const next = sequence.findIndex((slot) => slot.at !== null && slot.at > at);
    const position = before >= 0 ? before + 1 : next >= 0 ? next : sequence.length;
    sequence.splice(position, 0, { at, index: null });
  }
  return sequence;
}

export function deletePage({ db, act, trace }: UnitOfWork, page: PageRow): void {
  for (const block of listBlocks(db, page.n)) trace.markChanged(block.id);
  db.run(
    'UPDATE world_pages SET deleted = 1, revision = revision + 1, updated = ? WHERE n = ?',
    act.now,
    page.n,
  );
  unindexPage(db, page.n);
  db.run('DELETE FROM world_tags WHERE page = ?', page.n);
  trace.touch(page.n);
  trace.result(page.id);
  trace.note(page.id, { path: page.path, deleted: false }, { deleted: true });
  trace.markChanged(page.id);
}

/** Adds an empty block if the page would have no block that the author sees. */
export function keepOneBlock(unit: UnitOfWork, page: number): void {
  const { db, act } = unit;
  const row = readPageRow(db, page);
  const blocks = listBlocks(db, page);
  const blockRows = blocks.filter(
    ({ lifecycle }) => lifecycle !== 'Candidate' || row.lifecycle === 'Candidate',
  );
  if (blockRows.length > 0) return;
  const place = (blocks[0]?.place ?? 2 * placeGap) - placeGap;
  const lifecycle = act.author || row.lifecycle === 'Candidate' ? row.lifecycle : 'Draft';
  insertBlocks(unit, row, [{ text: '', kind: 'blank', place }], lifecycle);
}
