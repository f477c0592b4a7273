import type { Clock } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { listCandidates } from '../decide/content-as-shown.ts';
import { everybody, recordShown, toShownBlock } from '../decide/shown-rows.ts';
import { newId } from '../ids.ts';
import {
  type ContentRow,
  derivedByWriting,
  insertDerivation,
  raiseFlag,
  raiseFlags,
  requireSource,
} from '../rows/derivations.ts';
import { findBlock, findPage } from '../rows/rows.ts';
import type { ContentId } from '../world.ts';
import type { AcceptedWrite, RefusedWrite, SubmitResult, WorldWrite } from '../world-write.ts';
import { createAct, type SourceNumbers } from './act.ts';
import { applyOperation } from './apply-operation.ts';
import { insertEvent } from './events.ts';
import { findProblem, hashWrite } from './make-write.ts';
import { refuse, toRefused, WriteRefused } from './refusal.ts';
import { openTrace } from './trace.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export interface Submitter {
  submit(write: WorldWrite): SubmitResult;
  submitAll(writes: readonly WorldWrite[]): readonly SubmitResult[] | RefusedWrite;
}

/**
 * Creates the only functions that change a world. Each write is a transaction of its own, or part of the caller's
 * transaction.
 */
export function createSubmitter(db: Database, clock: Clock): Submitter {
  /** Runs `work`, and undoes all of it if a write is refused. An outer transaction continues. */
  function runAtomic<Value>(work: (sources: SourceNumbers) => Value): Value | RefusedWrite {
    try {
      return db.undoable(() => work(new Map()));
    } catch (error) {
      if (error instanceof WriteRefused) return error.refused;
      throw error;
    }
  }

  return {
    submit: (write) =>
      checkWrite(write) ?? runAtomic((sources) => acceptWrite(db, write, clock.now(), sources)),
    submitAll(writes) {
      const all = [...writes];
      const firstRefusal = all.map(checkWrite).find((found) => found !== null);
      return (
        firstRefusal ??
        runAtomic((sources) => all.map((write) => acceptWrite(db, write, clock.now(), sources)))
      );
    },
  };
}

function checkWrite(write: WorldWrite): RefusedWrite | null {
  const problem = typeof write === 'object' && write !== null ? findProblem(write) : undefined;
  if (problem !== undefined) return problem;
  return toRefused('not_a_write', 'The object was not made by worldWrite.', 'Make it by worldWrite.');
}

function acceptWrite(
  db: Database,
  write: WorldWrite,
  now: number,
  sourceNumbers: SourceNumbers,
): AcceptedWrite {
  const { idempotency_key: key } = write;
  const hash = key === null ? '' : hashWrite(write);
  if (key !== null) {
    const firstResult = findFirstResult(db, key, hash);
    if (firstResult !== null) return firstResult;
  }
  const trace = openTrace();
  const write_id = newId('wr', now);
  const unit: UnitOfWork = { db, write, write_id, act: createAct(write, now, sourceNumbers), trace };
  const sources = write.derivation_sources.map((id) => requireSource(db, id));
  const { applied, deviations } = applyOperation(unit);

  if (applied) linkSources(unit, sources);
  if (applied) markOwnAsShown(unit);
  const seq = insertEvent(unit, write_id);
  const event = { seq, now, written: (id: ContentId) => trace.after.has(id) };
  const flags = [...trace.sourcesChanged].flatMap((id) => raiseFlags(db, id, event));
  for (const { id, deleted } of sources) {
    if (!deleted || !applied) continue;
    for (const derived of trace.derivedContent.keys()) flags.push(...raiseFlag(db, derived, id, event));
  }

  const result: AcceptedWrite = Object.freeze({
    kind: 'accepted',
    write_id,
    applied,
    content_ids: Object.freeze([...trace.results]),
    deviation_ids: Object.freeze([...deviations]),
    flag_ids: Object.freeze(flags),
    repeated: false,
  });
  if (key !== null) {
    const sql = 'INSERT INTO world_keys (key, hash, result) VALUES (?, ?, ?)';
    db.run(sql, key, hash, JSON.stringify(result));
  }
  return result;
}

/** Records candidates as shown: to the person who wrote them, or to everybody if an import created them. */
function markOwnAsShown({ db, act, trace, write: { caller, operation, lifecycle } }: UnitOfWork): void {
  if (caller.kind !== 'user' && caller.kind !== 'import') return;
  if (lifecycle !== 'Candidate') return;
  const person = caller.kind === 'user' ? caller.name : everybody;
  const [id = ''] = trace.results;
  const block = findBlock(db, id);
  const page = findPage(db, block?.page_id ?? id);
  if (page === null) return;
  if (operation.op === 'create_page' || operation.op === 'update_page')
    for (const content of listCandidates(db, page)) recordShown(db, person, content, act.now);
  else if (operation.op === 'update_block' || operation.op === 'add_block')
    for (const blockRow of trace.results.map((made) => findBlock(db, made)))
      if (blockRow?.lifecycle === 'Candidate')
        recordShown(db, person, toShownBlock(db, blockRow, page), act.now);
}

/** Adds derivation links from all written content to all sources of the write. */
function linkSources({ db, act, trace }: UnitOfWork, sources: readonly ContentRow[]): void {
  const { now, writer: created_by } = act;
  const link_type = derivedByWriting;
  for (const [derived_id, fresh] of trace.derivedContent) {
    for (const { id: source_id } of sources) {
      // Content that was read and then edited does not derive from itself.
      if (source_id === derived_id) continue;
      const isNewLink = insertDerivation(db, { derived_id, source_id, link_type, created_by, now, fresh });
      if (isNewLink) trace.note(derived_id, fresh ? null : {}, { derived_from: [[source_id, link_type]] });
    }
  }
}

function findFirstResult(db: Database, key: string, hash: string): AcceptedWrite | null {
  const row = db.get('SELECT hash, result FROM world_keys WHERE key = ?', key);
  if (row === undefined) return null;
  if (row['hash'] !== hash) {
    refuse(
      'key_reused',
      // The key is not named, since callers don't know the stored form.
      'The idempotency key of this write was used for another one.',
      'Give each write a key of its own.',
    );
  }
  return Object.freeze({ ...(JSON.parse(String(row['result'])) as AcceptedWrite), repeated: true });
}
