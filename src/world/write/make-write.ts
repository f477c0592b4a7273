import { hash } from 'node:crypto';
import { type Caller, canonicalJson } from '../../core/index.ts';
import type { Lifecycle, Origin } from '../world.ts';
import type { RefusedWrite, WorldOperation, WorldWrite, WriteRequest } from '../world-write.ts';
import { copyFrozen, NotPlain } from './frozen-copy.ts';
import { findOperationProblem } from './operation-fields.ts';
import { toRefused } from './refusal.ts';

/** All writes that `worldWrite` has made. The value is the refusal of an invalid write; null for a valid one. */
const madeWrites = new WeakMap<WorldWrite, RefusedWrite | null>();
const askedLifecycles = new WeakMap<WorldWrite, Lifecycle | null>();

const callerKinds: readonly Caller['kind'][] = ['user', 'agent', 'schedule', 'external', 'import'];

const defaults: Readonly<Record<Caller['kind'], readonly [Origin, Lifecycle]>> = {
  user: ['Authored', 'Canonical'],
  agent: ['AgentProduced', 'Candidate'],
  schedule: ['AgentProduced', 'Candidate'],
  external: ['AgentProduced', 'Candidate'],
  import: ['Imported', 'Draft'],
};

/**
 * The lifecycles that each kind of caller may request. Agents may not request Draft, which the canonical view shows.
 */
const allowedLifecycles: Readonly<Record<Caller['kind'], readonly Lifecycle[]>> = {
  user: ['Canonical', 'Draft', 'Candidate'],
  agent: ['Candidate'],
  schedule: ['Candidate'],
  external: ['Candidate'],
  import: ['Draft', 'Candidate'],
};

/**
 * Makes a write: a frozen copy of the request, with the origin and lifecycle for this kind of caller. For an invalid
 * request it also returns a write, which `submit` refuses.
 */
export function worldWrite(request: WriteRequest): WorldWrite {
  let copy: Partial<WriteRequest> = {};
  let problem: RefusedWrite | null = null;
  try {
    copy = copyFrozen(request) as Partial<WriteRequest>;
    const requestProblem = findRequestProblem(copy);
    if (requestProblem !== null) problem = toBadRequest(requestProblem);
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
    problem = toBadRequest(error.message);
  }
  const caller = problem === null ? copy.caller! : nobody;
  const [origin, lifecycle] = defaults[caller.kind];
  const write = Object.freeze({
    operation: (problem === null ? copy.operation : noOperation) as WorldOperation,
    caller,
    origin: copy.observed === true && caller.kind === 'import' ? 'Observed' : origin,
    lifecycle:
      copy.lifecycle !== undefined && allowedLifecycles[caller.kind].includes(copy.lifecycle)
        ? copy.lifecycle
        : lifecycle,
    origin_source_id: problem === null ? copy.source! : '',
    derivation_sources: problem === null ? toUnique(copy.derivedFrom) : [],
    contradicts: problem === null ? toUnique(copy.contradicts) : [],
    base_revision: copy.baseRevision ?? null,
    diverged_from: copy.divergedFrom,
    replaces: copy.replaces ?? null,
    idempotency_key: copy.idempotencyKey ?? null,
  }) as unknown as WorldWrite;
  madeWrites.set(write, problem ?? findGrantProblem(copy, caller));
  askedLifecycles.set(write, copy.lifecycle ?? null);
  return write;
}

/** The refusal of an invalid write; null if it is valid; undefined if `worldWrite` did not make it. */
export function findProblem(write: WorldWrite): RefusedWrite | null | undefined {
  return madeWrites.get(write);
}

/** The lifecycle that a write requests; null if it requests none. */
export function readAskedLifecycle(write: WorldWrite): Lifecycle | null {
  return askedLifecycles.get(write) ?? null;
}

/** A hash that is equal for equal writes, whatever the order of their fields. */
export function hashWrite(write: WorldWrite): string {
  const { operation, caller, origin_source_id, derivation_sources, contradicts, base_revision } = write;
  const fields = Object.entries(operation).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts: unknown[] = fields.map(([name, value]) => [
    name,
    // A string needs no canonical form.
    typeof value === 'string' ? value : canonicalJson(value),
  ]);
  parts.push(caller.kind, caller.name, caller.thread ?? null, caller.channel ?? null, origin_source_id);
  parts.push(write.origin, derivation_sources, contradicts, base_revision, readAskedLifecycle(write));
  // Added only if present, so that hashes of writes by older versions stay equal.
  if (write.diverged_from !== undefined) parts.push('diverged from', write.diverged_from);
  if (write.replaces !== null) parts.push('replaces', write.replaces);
  return hash('sha256', JSON.stringify(parts));
}

const nobody: Caller = Object.freeze({ kind: 'agent', name: '', device: '', thread: null, channel: null });
const noOperation = Object.freeze({ op: 'clear_flag', flag: '' });

function toUnique(ids: readonly string[] | undefined): readonly string[] {
  return Object.freeze([...new Set(ids)]);
}

function toBadRequest(why: string): RefusedWrite {
  return toRefused('bad_value', `The write cannot be made: ${why}.`, 'Correct that value.');
}

function isOptionalIdList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((id) => typeof id === 'string'));
}

/** The first problem of a request; null if there is none. Untyped callers may pass anything. */
function findRequestProblem(request: Readonly<Record<string, unknown>>): string | null {
  const operationProblem = findOperationProblem(request['operation']);
  if (operationProblem !== null) return operationProblem;
  const caller = request['caller'] as Partial<Caller> | undefined;
  if (!callerKinds.includes(caller?.kind as Caller['kind'])) return 'its caller is of no known kind';
  if (typeof caller?.name !== 'string' || typeof caller.device !== 'string') {
    return 'its caller has no name or no device';
  }
  if (typeof request['source'] !== 'string' || request['source'] === '') return 'it has no source';
  const key = request['idempotencyKey'] ?? null;
  if (key !== null && (typeof key !== 'string' || key === '')) return 'its idempotency key is not a text';
  if (!isOptionalIdList(request['derivedFrom'])) return 'derivedFrom is not a list of ids';
  if (!isOptionalIdList(request['contradicts'])) return 'contradicts is not a list of ids';
  const base = request['baseRevision'];
  if (base !== undefined && !(Number.isSafeInteger(base) && (base as number) >= 1)) {
    return 'baseRevision is not a whole number from 1';
  }
  const diverged = request['divergedFrom'];
  if (diverged !== undefined && diverged !== null && typeof diverged !== 'string')
    return 'divergedFrom is not a text';
  if (request['replaces'] !== undefined && typeof request['replaces'] !== 'string')
    return 'replaces is not an id';
  const lifecycle = request['lifecycle'];
  if (lifecycle !== undefined && !['Draft', 'Candidate', 'Canonical'].includes(lifecycle as string)) {
    return `there is no lifecycle ${String(lifecycle)}`;
  }
  return null;
}

function findGrantProblem(request: Partial<WriteRequest>, caller: Caller): RefusedWrite | null {
  const { lifecycle, observed } = request;
  if (lifecycle !== undefined && !allowedLifecycles[caller.kind].includes(lifecycle)) {
    return toRefused(
      'lifecycle',
      `A write of ${caller.kind} ${caller.name} cannot be ${lifecycle}.`,
      `Leave the lifecycle out: it is ${defaults[caller.kind][1]} until the author promotes it.`,
      { asked: lifecycle, caller_kind: caller.kind },
    );
  }
  if (observed === true && caller.kind !== 'import') {
    return toRefused(
      'forbidden',
      `A write of ${caller.kind} ${caller.name} is not Observed: only an import records what happened.`,
      'Leave `observed` out.',
      { caller_kind: caller.kind },
    );
  }
  return null;
}
