/** Runs an operation: applies it, holds it as a deviation, or stores it as a proposal. */
import type { Database } from '../../store/index.ts';
import { promote, reject, resolve } from '../decide/author-acts.ts';
import {
  closeDeviation,
  findDeviation,
  findOpenDeviation,
  insertDeviation,
  insertProposal,
} from '../decide/deviations.ts';
import { restorePage, undo } from '../decide/undo.ts';
import { findContent } from '../rows/derivations.ts';
import type { ContentId } from '../world.ts';
import type { WorldOperation, WorldWrite } from '../world-write.ts';
import { admit, type ContentOnPage, listConflictingContent } from './admit.ts';
import { perform } from './perform.ts';
import { refuse } from './refusal.ts';
import { type EditOperation, findTargets, requireBlock, requirePage } from './targets.ts';
import type { UnitOfWork } from './unit-of-work.ts';

type Operation<Op extends WorldOperation['op']> = Extract<WorldOperation, { op: Op }>;

/** The result of an operation: whether it was applied, and the ids of the deviations that it opened or decided. */
export interface Outcome {
  readonly applied: boolean;
  readonly deviations: readonly string[];
}

/** The number of the page that contains a page or block. Refuses content that doesn't exist. */
function requirePageNumber(db: Database, id: ContentId): number {
  return id.startsWith('bl-') ? requireBlock(db, id).page : requirePage(db, id).n;
}

export function applyOperation(unit: UnitOfWork): Outcome {
  const { db, write } = unit;
  const { operation } = write;
  const contradicted = write.contradicts.map((id) => ({ id, page: requirePageNumber(db, id) }));
  switch (operation.op) {
    case 'promote':
      requireAuthor(write, 'promotes');
      promote(unit, operation);
      return { applied: true, deviations: [] };
    case 'reject':
      requireAuthor(write, 'rejects');
      reject(unit, operation);
      return { applied: true, deviations: [] };
    case 'clear_flag':
      requireAuthor(write, 'clears a flag');
      clearFlag(unit, operation.flag);
      return { applied: true, deviations: [] };
    case 'undo':
      requireAuthor(write, 'takes a decision back');
      undo(unit, operation.write);
      return { applied: true, deviations: [] };
    case 'restore_page':
      requireAuthor(write, 'restores a page');
      restorePage(unit, operation.page);
      return { applied: true, deviations: [] };
    case 'resolve_deviation':
      return resolveDeviation(unit, operation);
    default:
      dismissReplaced(unit);
      return editOrHold(unit, operation, contradicted);
  }
}

function requireAuthor({ caller }: WorldWrite, action: string): void {
  if (caller.kind === 'user') return;
  refuse(
    'forbidden',
    `Only the author ${action}; ${caller.name} is of kind ${caller.kind}.`,
    'Leave it in the inbox: the author decides.',
    { caller_kind: caller.kind },
  );
}

function editOrHold(
  unit: UnitOfWork,
  operation: EditOperation,
  contradicted: readonly ContentOnPage[],
): Outcome {
  const { db, act, trace, write } = unit;
  const targets = findTargets(db, operation, write.caller.kind === 'import' ? ['canonical'] : undefined);
  const admission = admit(db, write, operation, targets, act.writer);
  if (admission.kind === 'apply') {
    perform(unit, operation, targets);
    const deviations = recordContradictions(unit, contradicted, admission.conflict);
    return { applied: true, deviations };
  }
  const conflicting = listConflictingContent(targets);
  const deviationFields = {
    type: 'overwrite',
    write,
    candidate: null,
    note: admission.why,
    now: act.now,
  } as const;
  const id = insertDeviation(db, { ...deviationFields, against: [...conflicting, ...contradicted] });
  for (const { page } of conflicting.slice(0, 1)) trace.touch(page);
  if (conflicting[0] !== undefined) trace.result(conflicting[0].id);
  return { applied: false, deviations: [id] };
}

/** The id of the run in a source such as `RUN:FILE`. */
const runOfSource = (source: string): string => source.replace(/:.*$/s, '');

/** Dismisses the open deviation that this write replaces. Both must have the same source, or files of the same run. */
function dismissReplaced({ db, act, write_id, write: { replaces, origin_source_id } }: UnitOfWork): void {
  if (replaces === null) return;
  const deviation = findDeviation(db, replaces);
  const source = deviation?.submitted['origin_source_id'];
  if (deviation === null || runOfSource(String(source)) !== runOfSource(origin_source_id))
    refuse(
      'unknown_content',
      `There is no deviation ${JSON.stringify(replaces.slice(0, 200))} of this source.`,
      'Name one that came from the same source.',
    );
  if (deviation.status === 'open')
    closeDeviation(db, replaces, {
      status: 'dismissed',
      resolution: 'another edit came in its place',
      now: act.now,
      write_id,
    });
}

/** Records a contradiction between the new candidate and existing content. Returns the id of the deviation, if any. */
function recordContradictions(
  { db, act, trace, write }: UnitOfWork,
  declaredContent: readonly ContentOnPage[],
  conflict: string | null,
): readonly string[] {
  if (declaredContent.length === 0 && conflict === null) return [];
  const [createdId] = trace.results;
  const candidate = createdId === undefined ? null : findContent(db, createdId);
  const contradicted = declaredContent.filter(({ id }) => id !== createdId);
  const { operation } = write;
  if (conflict !== null && operation.op === 'add_block') {
    contradicted.push({ id: operation.page, page: requirePage(db, operation.page).n });
  }
  if (contradicted.length === 0) return [];
  const note = conflict ?? `${write.caller.kind} ${write.caller.name} says that it contradicts this`;
  const id = insertDeviation(db, {
    type: 'contradiction',
    write,
    against: contradicted,
    candidate,
    note,
    now: act.now,
  });
  return [id];
}

function resolveDeviation(unit: UnitOfWork, operation: Operation<'resolve_deviation'>): Outcome {
  const { db, act, trace, write } = unit;
  const deviation = findOpenDeviation(db, operation.deviation);
  const { caller } = write;
  if (caller.kind === 'import') requireAuthor(write, 'resolves a deviation');
  for (const content of deviation.canonical_refs) trace.touch(findContent(db, content)!.page);
  if (caller.kind === 'user') {
    resolve(unit, deviation, operation);
    if (trace.results.length === 0)
      for (const content of deviation.canonical_refs.slice(0, 1)) trace.result(content);
    return { applied: true, deviations: [deviation.id] };
  }
  const { decision, note } = operation;
  const decisionText = typeof decision === 'string' ? decision : `text: ${decision.text}`;
  const proposal = note === undefined ? decisionText : `${decisionText} (${note})`;
  insertProposal(db, deviation.id, { by: act.writer, at: act.now, text: proposal });
  for (const content of deviation.canonical_refs.slice(0, 1)) trace.result(content);
  return { applied: false, deviations: [deviation.id] };
}

function clearFlag({ db, act, trace, write_id }: UnitOfWork, id: string): void {
  const row = db.get('SELECT content, page, cleared FROM world_flags WHERE id = ?', id);
  if (row === undefined) {
    refuse('unknown_content', `There is no flag ${JSON.stringify(id.slice(0, 200))}.`, 'List the flags.', {
      id,
    });
  }
  if (row['cleared'] !== null)
    refuse('not_open', `${id} is cleared already.`, 'List the open flags.', { id });
  db.run('UPDATE world_flags SET cleared = ?, cleared_by = ? WHERE id = ?', act.now, write_id, id);
  trace.touch(Number(row['page']));
  trace.result(String(row['content']));
}
