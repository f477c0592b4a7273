/** Actions that only the author may take: promote, reject, resolve. */
import type { Database } from '../../store/index.ts';
import { removeBlock, setText } from '../rows/block-rows.ts';
import { derivedByWriting, derivesFrom, findContent, insertDerivation } from '../rows/derivations.ts';
import { markPageChanged } from '../rows/page-rows.ts';
import { type BlockRow, findPage, listBlocks, type PageRow } from '../rows/rows.ts';
import type { ContentId, Deviation, Origin } from '../world.ts';
import type { WorldOperation } from '../world-write.ts';
import { fitPromotedText } from '../write/edit-block.ts';
import { deletePage, keepOneBlock } from '../write/edit-page.ts';
import { perform } from '../write/perform.ts';
import { refuse } from '../write/refusal.ts';
import { type EditOperation, findTargets, requireBlock, requirePage } from '../write/targets.ts';
import { type UnitOfWork, withAct } from '../write/unit-of-work.ts';
import { listCandidates, toShownDeviation } from './content-as-shown.ts';
import { closeDeviation } from './deviations.ts';
import { rebaseEdit } from './rebase.ts';
import {
  forgetShown,
  refuseStale,
  requireShown,
  type ShownContent,
  toShownBlock,
  toShownHead,
  toShownPage,
} from './shown-rows.ts';

/**
 * The content to decide on. `isShown`: true if it was shown as part of another item, such as a candidate with its
 * deviation.
 */
interface DecisionItem {
  readonly content: ContentId;
  readonly revision?: number | undefined;
  readonly isShown?: boolean;
}

/** Promotes a page with all its blocks, or one block. A promoted block also promotes its page. */
export function promote(unit: UnitOfWork, { content, revision, isShown = false }: DecisionItem): void {
  const { db, act, trace } = unit;
  if (content.startsWith('bl-')) {
    const block = requireBlock(db, content);
    if (block.lifecycle === 'Canonical') refuseCanonical(content);
    const page = findPage(db, block.page_id)!;
    if (!isShown) requireBlockShown(unit, block, page, revision);
    promoteBlock(unit, block, page);
    trace.result(block.id);
    markPageChanged(unit, page, { was: block.lifecycle, is: 'Canonical' });
    return;
  }
  const page = requirePage(db, content);
  const blocks = listBlocks(db, page.n).filter(({ lifecycle }) => lifecycle !== 'Canonical');
  if (page.lifecycle === 'Canonical' && blocks.length === 0) refuseCanonical(content);
  if (!isShown) requirePageShown(unit, page, revision);
  for (const block of blocks) promoteBlock(unit, block, page);
  trace.result(page.id);
  const showsNewBlocks =
    page.lifecycle !== 'Candidate' && blocks.some(({ lifecycle }) => lifecycle === 'Candidate');
  if (showsNewBlocks) trace.markChanged(page.id);
  db.run(
    "UPDATE world_pages SET lifecycle = 'Canonical', revision = revision + 1, updated = ? WHERE n = ?",
    act.now,
    page.n,
  );
  trace.touch(page.n);
  trace.note(page.id, { lifecycle: page.lifecycle }, { lifecycle: 'Canonical' });
  forgetShown(db, page.id);
}

function requireBlockShown(
  unit: UnitOfWork,
  block: BlockRow,
  page: PageRow,
  revision: number | undefined,
): void {
  const { db } = unit;
  const present = toShownBlock(db, block, page);
  if (block.lifecycle === 'Candidate') requireShown(unit, present, revision);
  else requireSameRevision(present, revision);
}

/** Requires that the page was shown. If it is no candidate, only its candidate blocks must have been shown. */
function requirePageShown(unit: UnitOfWork, page: PageRow, revision: number | undefined): void {
  const { db } = unit;
  const present = toShownPage(db, page);
  if (page.lifecycle === 'Candidate') {
    requireShown(unit, present, revision);
    return;
  }
  requireSameRevision(present, revision);
  for (const content of listCandidates(db, page)) requireShown(unit, content);
}

/** Checks only the revision: imported text and the author's own text need not have been shown. */
function requireSameRevision(present: ShownContent, revision: number | undefined): void {
  if (revision !== undefined && revision !== present.revision)
    refuseStale(present, { revision, whole: present.whole });
}

function refuseCanonical(content: ContentId): never {
  return refuse(
    'lifecycle',
    `${content} is Canonical already and cannot be promoted.`,
    'There is nothing to do.',
    {
      content_id: content,
      from: 'Canonical',
    },
  );
}

/**
 * Promotes the block with the text that was shown. Blank lines are added if the block needs them beside its present
 * neighbours.
 */
function promoteBlock(unit: UnitOfWork, block: BlockRow, page: PageRow): void {
  const { db, act, trace } = unit;
  forgetShown(db, block.id);
  const text = fitPromotedText(db, page, block);
  if (text !== block.text) {
    setText(withAct(unit, { asked: null }), block, text);
    return;
  }
  db.run(
    "UPDATE world_blocks SET lifecycle = 'Canonical', revision = revision + 1, updated = ? WHERE n = ?",
    act.now,
    block.n,
  );
  trace.note(block.id, { lifecycle: block.lifecycle }, { lifecycle: 'Canonical' });
}

/** Removes a candidate, and closes the open deviations that it caused. */
export function reject(unit: UnitOfWork, { content, revision, isShown = false }: DecisionItem): void {
  const { db, act, trace } = unit;
  const isBlock = content.startsWith('bl-');
  const target = isBlock ? requireBlock(db, content) : requirePage(db, content);
  if (target.lifecycle !== 'Candidate') {
    refuse(
      'lifecycle',
      `${content} is ${target.lifecycle}: only a candidate is rejected.`,
      'Delete it to remove it.',
      { content_id: content, from: target.lifecycle },
    );
  }
  if (!isShown) {
    const shownContent = isBlock
      ? toShownBlock(db, target as BlockRow, findPage(db, (target as BlockRow).page_id)!)
      : toShownPage(db, target as PageRow);
    requireShown(unit, shownContent, revision);
  }
  const removed = [content];
  forgetShown(db, content);
  if (isBlock) {
    const block = target as BlockRow;
    const page = findPage(db, block.page_id)!;
    removeBlock(unit, block);
    trace.result(block.id);
    markPageChanged(withAct(unit, { author: false }), page, { was: 'Candidate', is: 'Candidate' });
    keepOneBlock(unit, page.n);
  } else {
    removed.push(...listBlocks(db, (target as PageRow).n).map(({ id }) => id));
    deletePage(unit, target as PageRow);
  }
  const contradictions = `SELECT id FROM world_deviations WHERE candidate = ? AND status = 'open'`;
  for (const id of removed) {
    for (const row of db.all(contradictions, id)) {
      const { write_id } = unit;
      const resolution = 'its candidate was rejected';
      const closing = { status: 'dismissed', resolution, now: act.now, write_id } as const;
      closeDeviation(db, String(row['id']), closing);
    }
  }
}

/** The fields of the held write that are needed to perform it. */
interface SubmittedWrite {
  readonly caller: { readonly kind: string; readonly name: string };
  readonly origin: Origin;
  readonly origin_source_id: string;
  readonly derivation_sources: readonly ContentId[];
}

export function resolve(
  unit: UnitOfWork,
  deviation: Deviation,
  { decision, note, revision }: Extract<WorldOperation, { op: 'resolve_deviation' }>,
): void {
  const { db, act } = unit;
  const { candidate } = deviation;
  // Only accepting requires that the candidate was shown; keeping the present text or writing a new one does not.
  if (decision === 'accept' || revision !== undefined)
    requireShown(unit, toShownDeviation(db, deviation), revision);
  if (decision === 'accept') {
    if (candidate === null) performHeldWrite(unit, deviation);
    else if (isCandidate(db, candidate)) promote(unit, { content: candidate, isShown: true });
  } else {
    if (candidate !== null && isCandidate(db, candidate)) reject(unit, { content: candidate, isShown: true });
    if (decision !== 'keep') writeDecidedText(unit, deviation, decision.text);
  }
  const decisionText = typeof decision === 'string' ? decision : 'text';
  closeDeviation(db, deviation.id, {
    status: decision === 'keep' ? 'dismissed' : 'resolved',
    resolution: note === undefined ? decisionText : `${decisionText}: ${note}`,
    now: act.now,
    write_id: unit.write_id,
  });
}

function isCandidate(db: Database, content: ContentId): boolean {
  const row = findContent(db, content);
  if (row === null || row.deleted) return false;
  return (
    (content.startsWith('bl-') ? requireBlock(db, content) : requirePage(db, content)).lifecycle ===
    'Candidate'
  );
}

/** Performs a held write. New content becomes Canonical, with the origin of the held write. */
function performHeldWrite(unit: UnitOfWork, deviation: Deviation): void {
  const { db, act, trace } = unit;
  const { caller, origin, origin_source_id, derivation_sources } =
    deviation.submitted as unknown as SubmittedWrite;
  const { operation, conflicts } = rebaseEdit(db, deviation);
  if (conflicts.length > 0) {
    refuse(
      'conflict',
      `${deviation.id} conflicts with later changes: nothing was changed.`,
      'Keep the present text, or give a new one.',
      { id: deviation.id, conflicts },
    );
  }
  const created_by = `${caller.kind}:${caller.name}`;
  const actingOptions = { origin, source: origin_source_id, lifecycle: 'Canonical', asked: null } as const;
  const isLink = operation.op === 'add_derivation_link';
  perform(
    withAct(unit, isLink ? { ...actingOptions, writer: created_by } : actingOptions),
    operation,
    findTargets(db, operation),
  );
  for (const [derived_id, isNew] of trace.derivedContent) {
    for (const source_id of derivation_sources) {
      // The author has accepted the write, so a source that was deleted or would now make a cycle is left out, not
      // refused.
      if (source_id === derived_id || findContent(db, source_id)?.deleted !== false) continue;
      if (derivesFrom(db, source_id, derived_id)) continue;
      insertDerivation(db, {
        derived_id,
        source_id,
        link_type: derivedByWriting,
        created_by,
        now: act.now,
        fresh: isNew,
      });
      trace.note(derived_id, {}, { derived_from: [[source_id, derivedByWriting]] });
    }
  }
}

/** Writes a text that the author gave instead of the present and the proposed text. */
function writeDecidedText(unit: UnitOfWork, deviation: Deviation, text: string): void {
  const { db } = unit;
  const [target] = deviation.canonical_refs;
  if (target === undefined) {
    refuse(
      'bad_value',
      `${deviation.id} names no page or block whose text could be replaced.`,
      'Accept or keep.',
      {
        id: deviation.id,
      },
    );
  }
  const page = findPage(db, target);
  // Writing a candidate page accepts its path and properties, so these must have been shown.
  if (page?.lifecycle === 'Candidate') requireShown(unit, toShownHead(page));
  const operation: EditOperation = target.startsWith('bl-')
    ? { op: 'update_block', block: target, text }
    : { op: 'update_page', page: target, text };
  perform(withAct(unit, { lifecycle: 'Canonical', asked: null }), operation, findTargets(db, operation));
}
