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
  const addedTags = tags.map(checkTag);
  const frontTags = readTags({ ...source.frontMatter.properties, ...properties });
  const propertiesToSet =
    addedTags.length === 0 ? properties : { ...properties, tags: [...new Set([...frontTags, ...addedTags])] };
  const front = requireWritable(
    changeProperties(source.frontMatter, propertiesToSet, detectNewline(text)),
    propertiesToSet,
    path,
  );
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
  pagePath: string,
): Front {
  if (front.problem !== null && Object.keys(set).length > 0) {
    refuse(
      'bad_value',
      `The front matter of ${pagePath} cannot be changed: ${front.problem}.`,
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
  const newLifecycle = lifecycleAfterMove(act, page);
  setFront(unit, page, front);
  trace.result(page.id);
  trace.markDerived(page.id, false);
  markPageChanged(unit, page, { was: page.lifecycle, is: newLifecycle, own: true });
}

/**
 * Replaces the text of a page. Similar blocks keep their ids. Candidate blocks stay, unless the page itself is a
 * candidate.
 */
export function updatePage(unit: UnitOfWork, page: PageRow, text: string): void {
  const { db, act, trace } = unit;
  const source = readPage(text);
  const blocks = source.blocks.length === 0 ? [{ text: '', kind: 'blank' as const }] : source.blocks;
  const oldBlocks = listBlocks(db, page.n);
  const isCandidatePage = page.lifecycle === 'Candidate';
  const isStaying = (block: BlockRow) => !isCandidatePage && block.lifecycle === 'Candidate';
  const shownTexts = oldBlocks.map((block) => renderText(db, block, page.path));
  // Texts of other callers never match a candidate block, since a match accepts it: the id stands for its text.
  const comparableBlocks = oldBlocks.map((block, at) => ({
    text: isStaying(block) && !act.author ? block.id : shownTexts[at]!,
    kind: block.kind,
    fixed: isStaying(block),
  }));
  const matches = alignBlocks(comparableBlocks, blocks);

  const sequence = placeStaying(
    matches.map((at, index) => ({ at, index })),
    oldBlocks.flatMap((block, at) => (isStaying(block) && !matches.includes(at) ? [at] : [])),
  );
  const keptIndexes = new Set(sequence.map(({ at }) => at));
  oldBlocks.forEach((block, at) => {
    if (!keptIndexes.has(at)) removeBlock(unit, block);
  });

  const newLifecycle = lifecycleAfterEdit(act, page.lifecycle, page.id);
  const places = assignPlaces(sequence.map(({ at }) => (at === null ? null : oldBlocks[at]!.place)));
  sequence.forEach(({ at, index }, position) => {
    const place = places[position]!;
    if (at === null) {
      insertBlocks(unit, page, [{ ...blocks[index!]!, place }], newLifecycle);
      return;
    }
    const block = oldBlocks[at]!;
    setPlace(unit, block, place);
    const newBlock = index === null ? null : blocks[index]!;
    if (newBlock === null) return;
    // A save by the author accepts matching candidate blocks.
    const isAccepted = block.lifecycle === 'Candidate' && newLifecycle !== 'Candidate';
    if (newBlock.text !== shownTexts[at]) setText(unit, block, newBlock.text);
    else if (isAccepted) setText(unit, block, newBlock.text);
  });

  const oldFront = renderFront(db, page);
  setFront(unit, page, source.frontMatter);
  trace.result(page.id);
  trace.markDerived(page.id, false);
  markPageChanged(unit, page, {
    was: page.lifecycle,
    is: newLifecycle,
    own: source.frontMatter.raw !== oldFront,
    whole: true,
  });
}

/** A place in the new sequence of blocks. */
interface Slot {
  /** Index among the old blocks; null if the block is new. */
  readonly at: number | null;
  /** Index in the new text; null if the old block is not in it and stays. */
  readonly index: number | null;
}

/** Inserts each staying block after the block that it followed, or else before the block that followed it. */
function placeStaying(slots: readonly Slot[], stayingIndexes: readonly number[]): readonly Slot[] {
  const sequence = [...slots];
  for (const at of stayingIndexes) {
    const previousPosition = sequence.findIndex((slot) => slot.at === at - 1);
    const nextPosition = sequence.findIndex((slot) => slot.at !== null && slot.at > at);
    const position =
      previousPosition >= 0 ? previousPosition + 1 : nextPosition >= 0 ? nextPosition : sequence.length;
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
  const pageRow = readPageRow(db, page);
  const blocks = listBlocks(db, page);
  const visibleBlocks = blocks.filter(
    ({ lifecycle }) => lifecycle !== 'Candidate' || pageRow.lifecycle === 'Candidate',
  );
  if (visibleBlocks.length > 0) return;
  const place = (blocks[0]?.place ?? 2 * placeGap) - placeGap;
  const lifecycle = act.author || pageRow.lifecycle === 'Candidate' ? pageRow.lifecycle : 'Draft';
  insertBlocks(unit, pageRow, [{ text: '', kind: 'blank', place }], lifecycle);
}
