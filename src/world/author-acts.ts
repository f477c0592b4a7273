/** What only the author does: promote, reject, resolve, clear. */
import type { Database } from '../store/index.ts';
import type { Act } from './act.ts';
import { removeBlock } from './block-rows.ts';
import { derive, derivedByWriting, findContent, leadsTo } from './derivations.ts';
import { closeDeviation } from './deviations.ts';
import { deletePage, keepOneBlock } from './edit-page.ts';
import { pageChanged } from './page-rows.ts';
import { perform } from './perform.ts';
import { refuse } from './refusal.ts';
import { type BlockRow, blocksOf, findPage, type PageRow } from './rows.ts';
import { type EditOperation, liveBlock, livePage, targetsOf } from './targets.ts';
import type { Trace } from './trace.ts';
import type { ContentId, Deviation, Origin } from './world.ts';
import type { WorldOperation } from './world-write.ts';

/** A page with all of its blocks, or one block, and then its page is the author's as well. */
export function promote(db: Database, act: Act, content: ContentId, trace: Trace): void {
  if (content.startsWith('bl-')) {
    const block = liveBlock(db, content);
    if (block.lifecycle === 'Canonical') notBelow(content);
    const page = findPage(db, block.page_id)!;
    promoteBlock(db, act, block, trace);
    trace.result(block.id);
    pageChanged(db, act, page, { was: block.lifecycle, is: 'Canonical' }, trace);
    return;
  }
  const page = livePage(db, content);
  const blocks = blocksOf(db, page.n).filter(({ lifecycle }) => lifecycle !== 'Canonical');
  if (page.lifecycle === 'Canonical' && blocks.length === 0) notBelow(content);
  for (const block of blocks) promoteBlock(db, act, block, trace);
  trace.result(page.id);
  const appears = page.lifecycle !== 'Candidate' && blocks.some(({ lifecycle }) => lifecycle === 'Candidate');
  if (appears) trace.changed(page.id);
  db.run(
    "UPDATE world_pages SET lifecycle = 'Canonical', revision = revision + 1, updated = ? WHERE n = ?",
    act.now,
    page.n,
  );
  trace.touch(page.n);
  trace.note(page.id, { lifecycle: page.lifecycle }, { lifecycle: 'Canonical' });
}

function notBelow(content: ContentId): never {
  return refuse(
    'lifecycle',
    `${content} is Canonical already: there is no step from there.`,
    'Nothing is to be done.',
    {
      content_id: content,
      from: 'Canonical',
    },
  );
}

function promoteBlock(db: Database, act: Act, block: BlockRow, trace: Trace): void {
  db.run(
    "UPDATE world_blocks SET lifecycle = 'Canonical', revision = revision + 1, updated = ? WHERE n = ?",
    act.now,
    block.n,
  );
  trace.note(block.id, { lifecycle: block.lifecycle }, { lifecycle: 'Canonical' });
}

/** Takes a candidate away, and with it what it contradicted. */
export function reject(db: Database, act: Act, content: ContentId, trace: Trace): void {
  const isBlock = content.startsWith('bl-');
  const target = isBlock ? liveBlock(db, content) : livePage(db, content);
  if (target.lifecycle !== 'Candidate') {
    refuse(
      'lifecycle',
      `${content} is ${target.lifecycle}: only a candidate is rejected.`,
      'Delete it, if it is to go.',
      { content_id: content, from: target.lifecycle },
    );
  }
  const gone = [content];
  if (isBlock) {
    const block = target as BlockRow;
    const page = findPage(db, block.page_id)!;
    removeBlock(db, act, block, trace);
    trace.result(block.id);
    pageChanged(db, { ...act, author: false }, page, { was: 'Candidate', is: 'Candidate' }, trace);
    keepOneBlock(db, act, page.n, trace);
  } else {
    gone.push(...blocksOf(db, (target as PageRow).n).map(({ id }) => id));
    deletePage(db, act, target as PageRow, trace);
  }
  const contradictions = `SELECT id FROM world_deviations WHERE candidate = ? AND status = 'open'`;
  for (const id of gone) {
    for (const row of db.all(contradictions, id)) {
      const end = { status: 'dismissed', resolution: 'its candidate was rejected', now: act.now } as const;
      closeDeviation(db, String(row['id']), end);
    }
  }
}

/** The submitted write as it was kept. */
interface Submitted {
  readonly operation: EditOperation;
  readonly caller: { readonly kind: string; readonly name: string };
  readonly origin: Origin;
  readonly origin_source_id: string;
  readonly derivation_sources: readonly ContentId[];
}

export function resolve(
  db: Database,
  act: Act,
  deviation: Deviation,
  { decision, note }: Extract<WorldOperation, { op: 'resolve_deviation' }>,
  trace: Trace,
): void {
  const { candidate } = deviation;
  if (decision === 'accept') {
    if (candidate === null) accept(db, act, deviation, trace);
    else if (isCandidate(db, candidate)) promote(db, act, candidate, trace);
  } else {
    if (candidate !== null && isCandidate(db, candidate)) reject(db, act, candidate, trace);
    if (decision !== 'keep') write(db, act, deviation, decision.text, trace);
  }
  const word = typeof decision === 'string' ? decision : 'text';
  closeDeviation(db, deviation.id, {
    status: decision === 'keep' ? 'dismissed' : 'resolved',
    resolution: note === undefined ? word : `${word}: ${note}`,
    now: act.now,
  });
}

function isCandidate(db: Database, content: ContentId): boolean {
  const found = findContent(db, content);
  if (found === null || found.deleted) return false;
  return (
    (content.startsWith('bl-') ? liveBlock(db, content) : livePage(db, content)).lifecycle === 'Candidate'
  );
}

/** Does what was held. What is new in it came from whoever submitted it, and is Canonical by the author's word. */
function accept(db: Database, act: Act, deviation: Deviation, trace: Trace): void {
  const { operation, caller, origin, origin_source_id, derivation_sources } =
    deviation.submitted as unknown as Submitted;
  perform(
    db,
    { ...act, origin, source: origin_source_id, lifecycle: 'Canonical', asked: null },
    operation,
    targetsOf(db, operation),
    trace,
  );
  for (const [derived_id, fresh] of trace.derivedContent) {
    for (const source_id of derivation_sources) {
      // The author has decided: a source that is gone, or would close a circle by now, is left out.
      if (source_id === derived_id || findContent(db, source_id)?.deleted !== false) continue;
      if (leadsTo(db, source_id, derived_id)) continue;
      const created_by = `${caller.kind}:${caller.name}`;
      derive(db, { derived_id, source_id, link_type: derivedByWriting, created_by, now: act.now, fresh });
      trace.note(derived_id, {}, { derived_from: [[source_id, derivedByWriting]] });
    }
  }
}

/** Neither of the two, but this. */
function write(db: Database, act: Act, deviation: Deviation, text: string, trace: Trace): void {
  const [target] = deviation.canonical_refs;
  if (target === undefined) {
    refuse('bad_value', `${deviation.id} has no text that another could stand for.`, 'Accept or keep.', {
      id: deviation.id,
    });
  }
  const operation: EditOperation = target.startsWith('bl-')
    ? { op: 'update_block', block: target, text }
    : { op: 'update_page', page: target, text };
  perform(db, { ...act, lifecycle: 'Canonical', asked: null }, operation, targetsOf(db, operation), trace);
}
