import type { Clock } from '../core/index.ts';
import type { Database } from '../store/index.ts';
import { type Act, actOf } from './act.ts';
import { admit, standing } from './admit.ts';
import { promote, reject, resolve } from './author-acts.ts';
import { derive, derivedByWriting, findContent, raiseFlag, raiseFlags, sourceOf } from './derivations.ts';
import { insertDeviation, insertProposal, openDeviation } from './deviations.ts';
import { insertEvent } from './events.ts';
import { newId } from './ids.ts';
import { problemOf, writeHash } from './make-write.ts';
import { perform } from './perform.ts';
import { refuse, refused, WriteRefused } from './refusal.ts';
import { type EditOperation, liveBlock, livePage, targetsOf, unknown } from './targets.ts';
import { openTrace, type Trace } from './trace.ts';
import type { ContentId } from './world.ts';
import type { Accepted, Refused, SubmitResult, WorldOperation, WorldWrite } from './world-write.ts';

type Operation<Op extends WorldOperation['op']> = Extract<WorldOperation, { op: Op }>;

export interface Submitter {
  submit(write: WorldWrite): SubmitResult;
  submitAll(writes: readonly WorldWrite[]): readonly SubmitResult[] | Refused;
}

/** The one way in. Everything that a write does is one transaction, within the caller's own where there is one. */
export function submitter(db: Database, clock: Clock): Submitter {
  /** Undone whole also within another transaction, which goes on. */
  function whole<Value>(work: () => Value): Value | Refused {
    return db.atomic(() => {
      db.run('SAVEPOINT world_write');
      try {
        const value = work();
        db.run('RELEASE world_write');
        return value;
      } catch (error) {
        db.run('ROLLBACK TO world_write');
        db.run('RELEASE world_write');
        if (error instanceof WriteRefused) return error.refused;
        throw error;
      }
    });
  }

  return {
    submit: (write) => problem(write) ?? whole(() => written(db, write, clock.now())),
    submitAll(writes) {
      const all = [...writes];
      const first = all.map(problem).find((found) => found !== null);
      return first ?? whole(() => all.map((write) => written(db, write, clock.now())));
    },
  };
}

function problem(write: WorldWrite): Refused | null {
  const found = typeof write === 'object' && write !== null ? problemOf(write) : undefined;
  if (found !== undefined) return found;
  return refused('not_a_write', 'The object was not made by worldWrite.', 'Make it by worldWrite.');
}

/** What came of a write, beside its id. */
interface Outcome {
  readonly applied: boolean;
  readonly deviations: readonly string[];
}

function written(db: Database, write: WorldWrite, now: number): Accepted {
  const { idempotency_key: key } = write;
  const hash = key === null ? '' : writeHash(write);
  if (key !== null) {
    const first = firstResult(db, key, hash);
    if (first !== null) return first;
  }
  const trace = openTrace();
  const act = actOf(write, now);
  const write_id = newId('wr', now);
  const sources = write.derivation_sources.map((id) => sourceOf(db, id));
  const against = write.contradicts.map((id) => ({ id, page: liveContent(db, id) }));
  const { applied, deviations } = done(db, write, act, against, trace);

  if (applied) {
    for (const [derived_id, fresh] of trace.derivedContent) {
      for (const { id: source_id } of sources) {
        // What an agent read of the very thing that it edits is no source of it.
        if (source_id === derived_id) continue;
        const link = {
          derived_id,
          source_id,
          link_type: derivedByWriting,
          created_by: act.writer,
          now,
          fresh,
        };
        if (derive(db, link))
          trace.note(derived_id, fresh ? null : {}, { derived_from: [[source_id, derivedByWriting]] });
      }
    }
  }
  const seq = insertEvent(db, { write, write_id, now, trace });
  const event = { seq, now, written: (id: ContentId) => trace.after.has(id) };
  const flags = [...trace.sourcesChanged].flatMap((id) => raiseFlags(db, id, event));
  for (const { id, deleted } of sources) {
    if (!deleted || !applied) continue;
    for (const derived of trace.derivedContent.keys()) flags.push(...raiseFlag(db, derived, id, event));
  }

  const result: Accepted = Object.freeze({
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

function firstResult(db: Database, key: string, hash: string): Accepted | null {
  const row = db.get('SELECT hash, result FROM world_keys WHERE key = ?', key);
  if (row === undefined) return null;
  if (row['hash'] !== hash) {
    refuse(
      'key_reused',
      `The key ${JSON.stringify(key.slice(0, 200))} was used for another write.`,
      'Give each write a key of its own.',
      {
        idempotency_key: key,
      },
    );
  }
  return Object.freeze({ ...(JSON.parse(String(row['result'])) as Accepted), repeated: true });
}

function liveContent(db: Database, id: ContentId): number {
  const found = findContent(db, id) ?? unknown(id);
  return id.startsWith('bl-') ? liveBlock(db, id).page : livePage(db, id).n || found.page;
}

function done(
  db: Database,
  write: WorldWrite,
  act: Act,
  against: readonly { readonly id: ContentId; readonly page: number }[],
  trace: Trace,
): Outcome {
  const { operation } = write;
  switch (operation.op) {
    case 'promote':
      authorOnly(write, 'promotes');
      promote(db, act, operation.content, trace);
      return { applied: true, deviations: [] };
    case 'reject':
      authorOnly(write, 'rejects');
      reject(db, act, operation.content, trace);
      return { applied: true, deviations: [] };
    case 'clear_flag':
      authorOnly(write, 'clears a flag');
      clearFlag(db, act, operation.flag, trace);
      return { applied: true, deviations: [] };
    case 'resolve_deviation':
      return resolved(db, write, operation, act, trace);
    case 'add_derivation_link':
      addDerivation(db, act, operation, trace);
      return { applied: true, deviations: contradictions(db, write, act, against, null, trace) };
    default:
      return editedOrHeld(db, write, operation, act, against, trace);
  }
}

function authorOnly({ caller }: WorldWrite, what: string): void {
  if (caller.kind === 'user') return;
  refuse(
    'forbidden',
    `Only the author ${what}; ${caller.name} is of kind ${caller.kind}.`,
    'Leave it in the inbox: the author decides.',
    { caller_kind: caller.kind },
  );
}

function editedOrHeld(
  db: Database,
  write: WorldWrite,
  operation: EditOperation,
  act: Act,
  against: readonly { readonly id: ContentId; readonly page: number }[],
  trace: Trace,
): Outcome {
  const targets = targetsOf(db, operation, write.caller.kind === 'import' ? ['canonical'] : undefined);
  const admission = admit(db, write, operation, targets, act.writer);
  if (admission.kind === 'apply') {
    perform(db, act, operation, targets, trace);
    const deviations = contradictions(db, write, act, against, admission.conflict, trace);
    return { applied: true, deviations };
  }
  const stands = standing(targets).map((row) => ({
    id: row.id,
    page: typeof (row as { page?: unknown }).page === 'number' ? (row as { page: number }).page : row.n,
  }));
  const conflict = { type: 'overwrite', write, candidate: null, note: admission.why, now: act.now } as const;
  const id = insertDeviation(db, { ...conflict, against: [...stands, ...against] });
  for (const { page } of stands.slice(0, 1)) trace.touch(page);
  if (stands[0] !== undefined) trace.result(stands[0].id);
  return { applied: false, deviations: [id] };
}

/** What was written stands as a candidate beside what it contradicts. */
function contradictions(
  db: Database,
  write: WorldWrite,
  act: Act,
  declared: readonly { readonly id: ContentId; readonly page: number }[],
  conflict: string | null,
  trace: Trace,
): readonly string[] {
  const [made] = trace.results;
  const candidate = made === undefined ? null : findContent(db, made);
  const stands = declared.filter(({ id }) => id !== made);
  const { operation } = write;
  if (conflict !== null && operation.op === 'add_block') {
    stands.push({ id: operation.page, page: livePage(db, operation.page).n });
  }
  if (stands.length === 0) return [];
  const note = conflict ?? `${write.caller.kind} ${write.caller.name} says that it contradicts this`;
  const id = insertDeviation(db, {
    type: 'contradiction',
    write,
    against: stands,
    candidate,
    note,
    now: act.now,
  });
  return [id];
}

function resolved(
  db: Database,
  write: WorldWrite,
  operation: Operation<'resolve_deviation'>,
  act: Act,
  trace: Trace,
): Outcome {
  const deviation = openDeviation(db, operation.deviation);
  const { caller } = write;
  if (caller.kind === 'import') authorOnly(write, 'resolves a deviation');
  for (const content of deviation.canonical_refs) trace.touch(findContent(db, content)!.page);
  if (caller.kind === 'user') {
    resolve(db, act, deviation, operation, trace);
    if (trace.results.length === 0)
      for (const content of deviation.canonical_refs.slice(0, 1)) trace.result(content);
    return { applied: true, deviations: [deviation.id] };
  }
  const { decision, note } = operation;
  const word = typeof decision === 'string' ? decision : `text: ${decision.text}`;
  const text = note === undefined ? word : `${word} (${note})`;
  insertProposal(db, deviation.id, { by: act.writer, at: act.now, text });
  for (const content of deviation.canonical_refs.slice(0, 1)) trace.result(content);
  return { applied: false, deviations: [deviation.id] };
}

function clearFlag(db: Database, act: Act, id: string, trace: Trace): void {
  const row = db.get('SELECT content, page, cleared FROM world_flags WHERE id = ?', id);
  if (row === undefined) {
    refuse('unknown_content', `There is no flag ${JSON.stringify(id.slice(0, 200))}.`, 'List the flags.', {
      id,
    });
  }
  if (row['cleared'] !== null)
    refuse('not_open', `${id} is cleared already.`, 'List the open flags.', { id });
  db.run('UPDATE world_flags SET cleared = ? WHERE id = ?', act.now, id);
  trace.touch(Number(row['page']));
  trace.result(String(row['content']));
}

function addDerivation(
  db: Database,
  act: Act,
  { derived, source, link_type }: Operation<'add_derivation_link'>,
  trace: Trace,
): void {
  const page = liveContent(db, derived);
  sourceOf(db, source);
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(link_type)) {
    refuse(
      'bad_value',
      `${JSON.stringify(link_type.slice(0, 200))} cannot be a type of link.`,
      'Give small letters, digits and _, such as summarizes.',
      { link_type },
    );
  }
  const link = { derived_id: derived, source_id: source, link_type, created_by: act.writer };
  const fresh = derive(db, { ...link, now: act.now, fresh: false });
  trace.touch(page);
  trace.result(derived);
  if (fresh) trace.note(derived, {}, { derived_from: [[source, link_type]] });
}
