/**
 * The caller of a connection: the host fixes it when the connection is made, and nothing that is sent later changes it.
 * Data of a call other than its arguments is in `_meta`, which no model can write.
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
  /** The program is known only by the name that it reports, which becomes a part of the caller's name. */
  readonly saysItsName?: true;
}

/** A program from outside. `name` is the name of its token. */
export const externalConnection = (
  name: string,
  device: string,
  capabilities: ReadonlySet<Capability>,
): Connection => ({
  caller: { kind: 'external', name, device, thread: null, channel: null },
  capabilities,
  reads: new Set(),
  origins: new Set(),
});

/** A program at this process's standard streams. Its own name follows `stdio:`, so it can't pose as a token's name. */
export const stdioConnection = (device: string, capabilities: ReadonlySet<Capability>): Connection => ({
  ...externalConnection('stdio', device, capabilities),
  saysItsName: true,
});

const maxNameLength = 64;

/** The caller of one call. `clientName`: the name by which the client introduces itself. */
export function toCaller({ caller, saysItsName }: Connection, clientName: string | undefined): Caller {
  const name = (clientName ?? '').replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, maxNameLength);
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
function toCallerKey({ kind, name }: Caller, reported: unknown): string | null {
  if (typeof reported !== 'string' || reported === '' || reported.length > maxKeyLength) return null;
  return JSON.stringify([kind, name, reported]);
}

/** For agents of this host, the ids that they report; for others, the ids that this host has shown them. */
function chooseIds(
  { kind }: Caller,
  shown: ReadonlySet<string> | undefined,
  reported: unknown,
): readonly string[] {
  if (kind !== 'agent' && kind !== 'schedule') return [...(shown ?? [])];
  if (!Array.isArray(reported) || reported.length > maxTrailLength) return [];
  return reported.filter((id) => typeof id === 'string');
}

export interface SentRequest {
  readonly meta: Readonly<Record<string, unknown>>;
  /** The name that the client reports. */
  readonly client: string | undefined;
  readonly signal: AbortSignal;
}

export function toCall(connection: Connection, { meta, client, signal }: SentRequest): ToolCall {
  const caller = toCaller(connection, client);
  return {
    caller,
    capabilities: connection.capabilities,
    idempotencyKey: toCallerKey(caller, meta[metaKeys.idempotencyKey]),
    readTrail: chooseIds(caller, connection.reads, meta[metaKeys.readTrail]),
    known: chooseIds(caller, undefined, meta[metaKeys.known]),
    origins: chooseIds(caller, connection.origins, meta[metaKeys.origins]),
    signal,
  };
}

/** Records what the client has read and seen. */
export function recordShown({ reads, origins }: Connection, result: ToolResult): void {
  if (!result.ok) return;
  addNewest(reads, result.reads);
  addNewest(origins, result.origins);
}

function addNewest(known: Set<string> | undefined, ids: readonly string[]): void {
  if (known === undefined) return;
  for (const id of ids) {
    known.delete(id);
    known.add(id);
  }
  for (const oldest of known) {
    if (known.size <= maxTrailLength) break;
    known.delete(oldest);
  }
}
