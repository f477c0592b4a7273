/**
 * Who is at the other end of a connection: fixed by the host when it is made, whatever is sent over it. What comes
 * with a call beside its arguments travels in `_meta`, where no model writes.
 */
import type { Caller, Capability, ToolCall } from '../../core/index.ts';

export interface Connection {
  readonly caller: Caller;
  readonly capabilities: ReadonlySet<Capability>;
}

export const metaKeys = {
  idempotencyKey: 'sonde/idempotency_key',
  readTrail: 'sonde/read_trail',
  listing: 'sonde/tool',
} as const;

/** Characters, and ids: more than any run has, and little enough to be looked through. */
const longestKey = 500;
const longestTrail = 10_000;

/** Keys of one caller never meet those of another. */
function keyOf({ kind, name }: Caller, given: unknown): string | null {
  if (typeof given !== 'string' || given === '' || given.length > longestKey) return null;
  return JSON.stringify([kind, name, given]);
}

/** What was read is the word of an agent that this host runs; of others it is not asked. */
function trailOf({ kind }: Caller, given: unknown): readonly string[] {
  if (kind !== 'agent' && kind !== 'schedule') return [];
  if (!Array.isArray(given) || given.length > longestTrail) return [];
  return given.filter((id) => typeof id === 'string');
}

export function callOver(
  { caller, capabilities }: Connection,
  meta: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): ToolCall {
  return {
    caller,
    capabilities,
    idempotencyKey: keyOf(caller, meta[metaKeys.idempotencyKey]),
    readTrail: trailOf(caller, meta[metaKeys.readTrail]),
    signal,
  };
}
