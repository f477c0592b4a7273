/** Actions that only the author may take: promote, reject, resolve. */
import type { Database } from '../../store/index.ts';
import { removeBlock, setText } from '../rows/block-rows.ts';
import { derive, derivedByWriting, derivesFrom, findContent } from '../rows/derivations.ts';
import { markPageChanged } from '../rows/page-rows.ts';
import { type BlockRow, blocksOf, findPage, type PageRow } from '../rows/rows.ts';
import type { ContentId, Deviation, Origin } from '../world.ts';
import type { WorldOperation } from '../world-write.ts';
import { writePromoted } from '../write/edit-block.ts';
import { deletePage, keepOneBlock } from '../write/edit-page.ts';
import { perform } from '../write/perform.ts';
import { refuse } from '../write/refusal.ts';
import { type EditOperation, requireBlock, requirePage, targetsOf } from '../write/targets.ts';
import { actingAs, type UnitOfWork } from '../write/unit-of-work.ts';
import { candidatesOf, deviationAsShown } from './content-as-shown.ts';
import { closeDeviation } from './deviations.ts';
import { rebase } from './rebase.ts';
import {
  blockAsShown,
  forgetShown,
  headAsShown,
  pageAsShown,
  refuseStale,
  requireShown,
  type ShownContent,
} from './shown-rows.ts';

/**
 * The content to decide on. `seen`: the content was already shown as part of another item, such as a candidate with its
 * deviation.
 */
interface DecisionItem {
  readonly content: ContentId;
  readonly revision?: number | undefined;
  readonly seen?: boolean;
}

/** Promotes a page with all its blocks, or one block; the page of a promoted block becomes the author's too. */
export function promote(unit: UnitOfWork, { content, revision, seen = false }: DecisionItem): void {
  const { db, act, trace } = unit;
  if (content.startsWith('bl-')) {
    const block = requireBlock(db, content);
    if (block.lifecycle === 'Canonical') refuseCanonical(content);
    const page = findPage(db, block.page_id)!;
    if (!seen) requireBlockShown(unit, block, page, revision);
    promoteBlock(unit, block, page);
    trace.result(block.id);
    markPageChanged(unit, page, { was: block.lifecycle, is: 'Canonical' });
    return;
  }
  const page = requirePage(db, content);
  const blocks = blocksOf(db, page.n).filter(({ lifecycle }) => lifecycle !== 'Canonical');
  if (page.lifecycle === 'Canonical' && blocks.length === 0) refuseCanonical(content);
  if (!seen) requirePageShown(unit, page, revision);
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
  const now = blockAsShown(db, block, page);
  if (block.lifecycle === 'Candidate') requireShown(unit, now, revision);
  else requireSameRevision(now, revision);
}

/** An author's page is promoted with the candidates in it: each of them must have been shown. */
function requirePageShown(unit: UnitOfWork, page: PageRow, revision: number | undefined): void {
  const { db } = unit;
  const now = pageAsShown(db, page);
  if (page.lifecycle === 'Candidate') {
    requireShown(unit, now, revision);
    return;
  }
  requireSameRevision(now, revision);
  for (const content of candidatesOf(db, page)) requireShown(unit, content);
}

/**
 * Checks only the revision. Imported text and the author's own text need not have been shown first, since they are the
 * author's own file.
 */
function requireSameRevision(now: ShownContent, revision: number | undefined): void {
  if (revision !== undefined && revision !== now.revision) refuseStale(now, { revision, whole: now.whole });
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
 * Promotes the block as it was shown, with its links. If its neighbours changed, the block gets the blank lines that it
 * needs among them.
 */
function promoteBlock(unit: UnitOfWork, block: BlockRow, page: PageRow): void {
  const { db, act, trace } = unit;
  forgetShown(db, block.id);
  const text = writePromoted(db, page, block);
  if (text !== block.text) {
    setText(actingAs(unit, { asked: null }), block, text);
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
export function reject(unit: UnitOfWork, { content, revision, seen = false }: DecisionItem): void {
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
  if (!seen) {
    const shownContent = isBlock
      ? blockAsShown(db, target as BlockRow, findPage(db, (target as BlockRow).page_id)!)
      : pageAsShown(db, target as PageRow);
    requireShown(unit, shownContent, revision);
  }
  const removed = [content];
  forgetShown(db, content);
  if (isBlock) {
    const block = target as BlockRow;
    const page = findPage(db, block.page_id)!;
    removeBlock(unit, block);
    trace.result(block.id);
    markPageChanged(actingAs(unit, { author: false }), page, { was: 'Candidate', is: 'Candidate' });
    keepOneBlock(unit, page.n);
  } else {
    removed.push(...blocksOf(db, (target as PageRow).n).map(({ id }) => id));
    deletePage(unit, target as PageRow);
  }
  const contradictions = `SELECT id FROM world_deviations WHERE candidate = ? AND status = 'open'`;
  for (const id of removed) {
    for (const row of db.all(contradictions, id)) {
      const { write_id } = unit;
      const resolution = 'its candidate was rejected';
      const end = { status: 'dismissed', resolution, now: act.now, write_id } as const;
      closeDeviation(db, String(row['id']), end);
    }
  }
}

/** The submitted write, as the deviation keeps it. */
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
  // Only accepting requires that the author was shown the candidate; keeping the present text or writing a new one does
  // not.
  if (decision === 'accept' || revision !== undefined)
    requireShown(unit, deviationAsShown(db, deviation), revision);
  if (decision === 'accept') {
    if (candidate === null) accept(unit, deviation);
    else if (isCandidate(db, candidate)) promote(unit, { content: candidate, seen: true });
  } else {
    if (candidate !== null && isCandidate(db, candidate)) reject(unit, { content: candidate, seen: true });
    if (decision !== 'keep') write(unit, deviation, decision.text);
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
  const found = findContent(db, content);
  if (found === null || found.deleted) return false;
  return (
    (content.startsWith('bl-') ? requireBlock(db, content) : requirePage(db, content)).lifecycle ===
    'Candidate'
  );
}

/** Performs a held write. New content in it keeps the origin of its submitter, and becomes Canonical. */
function accept(unit: UnitOfWork, deviation: Deviation): void {
  const { db, act, trace } = unit;
  const { caller, origin, origin_source_id, derivation_sources } =
    deviation.submitted as unknown as SubmittedWrite;
  const { operation, conflicts } = rebase(db, deviation);
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
    actingAs(unit, isLink ? { ...actingOptions, writer: created_by } : actingOptions),
    operation,
    targetsOf(db, operation),
  );
  for (const [derived_id, fresh] of trace.derivedContent) {
    for (const source_id of derivation_sources) {
      // The author has decided. A source that is deleted, or that would now make a cycle, is left out.
      if (source_id === derived_id || findContent(db, source_id)?.deleted !== false) continue;
      if (derivesFrom(db, source_id, derived_id)) continue;
      derive(db, { derived_id, source_id, link_type: derivedByWriting, created_by, now: act.now, fresh });
      trace.note(derived_id, {}, { derived_from: [[source_id, derivedByWriting]] });
    }
  }
}

/** Writes the author's text in place of the present and the proposed text. */
function write(unit: UnitOfWork, deviation: Deviation, text: string): void {
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
  // The decision names only the deviation, so the page that holds the text must have been shown.
  if (page?.lifecycle === 'Candidate') requireShown(unit, headAsShown(page));
  const operation: EditOperation = target.startsWith('bl-')
    ? { op: 'update_block', block: target, text }
    : { op: 'update_page', page: target, text };
  perform(actingAs(unit, { lifecycle: 'Canonical', asked: null }), operation, targetsOf(db, operation));
}
