/**
 * The caller of a connection: the host fixes it when the connection is made, and nothing sent later changes it. Other
 * data of a call than its arguments is in `_meta`, which no model can write.
 */
import type { Caller, Capability, ToolCall, ToolResult } from '../../core/index.ts';

export interface Connection {
  readonly caller: Caller;
  readonly capabilities: ReadonlySet<Capability>;
  /**
   * Ids of the content that was shown over this connection, the newest last. Only for programs that this host did not
   * start, since it can't trust what they report; an agent of its own reports what its turn has read.
   */
  readonly reads?: Set<string>;
  /** The origins of all foreign material that was shown over this connection, for the same programs. */
  readonly origins?: Set<string>;
  /** The program is known only by the name that it gives itself, which becomes a part of the caller's name. */
  readonly saysItsName?: true;
}

/** A program from outside. `name` is the name of its token. */
export const outside = (name: string, device: string, capabilities: ReadonlySet<Capability>): Connection => ({
  caller: { kind: 'external', name, device, thread: null, channel: null },
  capabilities,
  reads: new Set(),
  origins: new Set(),
});

/** A program at this process's standard streams. Its own name follows `stdio:`, so it can't pose as a token's name. */
export const connectionFor = (device: string, capabilities: ReadonlySet<Capability>): Connection => ({
  ...outside('stdio', device, capabilities),
  saysItsName: true,
});

const maxNameLength = 64;

/** The caller of one call; `told` is the name by which the client introduces itself. */
export function callerOver({ caller, saysItsName }: Connection, told: string | undefined): Caller {
  const name = (told ?? '').replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, maxNameLength);
  return saysItsName === true && name !== '' ? { ...caller, name: `${caller.name}:${name}` } : caller;
}

export const metaKeys = {
  idempotencyKey: 'sonde/idempotency_key',
  readTrail: 'sonde/read_trail',
  known: 'sonde/known',
  origins: 'sonde/origins',
  listing: 'sonde/tool',
} as const;

/** The maximum characters of a key, and the maximum ids of a trail: more than any run has. */
const maxKeyLength = 500;
const maxTrailLength = 10_000;

/** Makes a key unique to its caller, so that callers can't repeat each other's keys. */
function keyOf({ kind, name }: Caller, given: unknown): string | null {
  if (typeof given !== 'string' || given === '' || given.length > maxKeyLength) return null;
  return JSON.stringify([kind, name, given]);
}

/** For agents that this host runs, the ids that they report; for others, those that this host has shown them. */
function idsOf({ kind }: Caller, shown: ReadonlySet<string> | undefined, given: unknown): readonly string[] {
  if (kind !== 'agent' && kind !== 'schedule') return [...(shown ?? [])];
  if (!Array.isArray(given) || given.length > maxTrailLength) return [];
  return given.filter((id) => typeof id === 'string');
}

export interface SentRequest {
  readonly meta: Readonly<Record<string, unknown>>;
  /** What the client says that it is called. */
  readonly client: string | undefined;
  readonly signal: AbortSignal;
}

export function callOver(connection: Connection, { meta, client, signal }: SentRequest): ToolCall {
  const caller = callerOver(connection, client);
  return {
    caller,
    capabilities: connection.capabilities,
    idempotencyKey: keyOf(caller, meta[metaKeys.idempotencyKey]),
    readTrail: idsOf(caller, connection.reads, meta[metaKeys.readTrail]),
    known: idsOf(caller, undefined, meta[metaKeys.known]),
    origins: idsOf(caller, connection.origins, meta[metaKeys.origins]),
    signal,
  };
}

/** Records what the client has read and seen. */
export function noteShown({ reads, origins }: Connection, result: ToolResult): void {
  if (!result.ok) return;
  addNewest(reads, result.reads);
  addNewest(origins, result.origins);
}

function addNewest(held: Set<string> | undefined, ids: readonly string[]): void {
  if (held === undefined) return;
  for (const id of ids) {
    held.delete(id);
    held.add(id);
  }
  for (const oldest of held) {
    if (held.size <= maxTrailLength) break;
    held.delete(oldest);
  }
}
