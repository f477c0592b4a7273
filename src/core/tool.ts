/**
 * The contract of a tool: one named function that an agent, a person's client or an investigation may call through
 * the host. Tools of every room have this shape; the host (room `tools`) checks arguments and capability, runs the
 * tool, and cuts a result that is too long.
 *
 * An implementer must not: have an effect before its arguments and the capability were checked (the host does
 * both), throw for an expected failure, take an identity, an origin or a lifecycle from its arguments, or
 * return a secret.
 */
import type { z } from 'zod';
import type { Evidence } from './evidence.ts';
import type { Completeness } from './material.ts';

/** The permissions of a caller. A child's set is never larger than its parent's. */
export const capabilities = [
  'PagesRead',
  'PagesWrite',
  'PagesOrganize',
  'PagesDelete',
  'SearchUse',
  'MemoryRead',
  'MemoryWrite',
  'SandboxRun',
  'CodeRead',
  'SignalsRead',
  'ImportExecute',
] as const;
export type Capability = (typeof capabilities)[number];

/**
 * The caller, which decides the origin of written content. `user` is the author in person, and nobody else: an agent, a
 * schedule or an outside client writes AgentProduced content, an import Imported content.
 */
export interface Caller {
  readonly kind: 'user' | 'agent' | 'schedule' | 'external' | 'import';
  /** For people: a name of the user, the agent, the client. */
  readonly name: string;
  /** The machine or process that acted, for the event log. */
  readonly device: string;
  /** The conversation, if there is one. */
  readonly thread: string | null;
  /** The channel of that conversation, if it is in one. */
  readonly channel: string | null;
}

/** The input of a handler besides its arguments. The host provides all of it, the model nothing. */
export interface ToolCall {
  readonly caller: Caller;
  readonly capabilities: ReadonlySet<Capability>;
  /** The same key again applies nothing twice and returns the first result. Null: every call is its own. */
  readonly idempotencyKey: string | null;
  /** Ids of content that the run of this call has read. Content that the call writes derives from it. */
  readonly readTrail: readonly string[];
  /**
   * Ids of content that was read or made earlier in this conversation. A write may name them as sources, but they do
   * not become sources by themselves. Absent: none.
   */
  readonly known?: readonly string[];
  /**
   * Origins of the material that the caller has read in this conversation (from `ToolResult.origins`): a memory may
   * repeat that material. Absent: none.
   */
  readonly origins?: readonly string[];
  /** The origin of a write that came through no tool: the run that proposed it. Never set by a connection. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

export const toolErrorCodes = ['tool', 'validation', 'capability', 'budget', 'cancelled'] as const;
export type ToolErrorCode = (typeof toolErrorCodes)[number];

export interface ToolError {
  readonly code: ToolErrorCode;
  /** One line, naming the thing. */
  readonly message: string;
  readonly remedy?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Identifies the content that a write changed. */
export interface AppliedWrite {
  readonly write_id: string;
  /** False if the write is held (it would overwrite canonical content) and waits for the author. */
  readonly applied: boolean;
  /** Ids of content that was created or changed. The first is the target. */
  readonly content_ids: readonly string[];
}

/** The result of every tool; a failure is one too. */
export type ToolResult =
  | {
      readonly ok: true;
      /** The text for a reader. It is untrusted if it contains text of the material. */
      readonly text: string;
      /** The value for programs, which JSON can hold. */
      readonly data: unknown;
      readonly write: AppliedWrite | null;
      readonly deviation_ids: readonly string[];
      /**
       * Ids of content that the result shows completely, or of the run that made it. Later writes may cite these as
       * sources. A separate field, since a text could be made to name anything.
       */
      readonly reads: readonly string[];
      /** The sources of the material in `text`: ids of content, runs, or `tool:NAME`. Empty: it contains none. */
      readonly origins: readonly string[];
      readonly evidence: readonly Evidence[];
      readonly completeness: Completeness;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly error: ToolError };

/** Where the derivation sources of a write come from; `none` if it writes no content. */
export type DerivationSource = 'none' | 'arguments' | 'read_trail';

/**
 * Marks a parameter that only programs set (`z.int().meta(forPrograms)`): every client may set it, but no planner is
 * shown it.
 */
export const forPrograms = Object.freeze({ forPrograms: true });

export interface Tool<Arguments = unknown> {
  /** The name that agents use: lower case with underscores. */
  readonly name: string;
  /** For a model: what it does and when to use it. Two or three sentences. */
  readonly description: string;
  readonly parameters: z.ZodType<Arguments>;
  readonly capability: Capability | null;
  readonly effect: 'read' | 'write';
  readonly derivation: DerivationSource;
  /** One line: the cost of a call in time and size. */
  readonly cost: string;
  /** Whether only the author in person may call it. */
  readonly authorOnly?: true;
  /** Not offered to a planner, which has other tools for this or gets the information anyway. */
  readonly forPrograms?: true;
  run(args: Arguments, call: ToolCall): Promise<ToolResult>;
}

/** The successful result of a reading tool. */
export function toolReply(
  text: string,
  data: unknown,
  more: Partial<Omit<Extract<ToolResult, { ok: true }>, 'ok' | 'text' | 'data'>> = {},
): ToolResult {
  return Object.freeze({
    ok: true,
    text,
    data,
    write: null,
    deviation_ids: [],
    reads: [],
    origins: [],
    evidence: [],
    completeness: 'complete',
    notes: [],
    ...more,
  });
}

export function toolFailure(
  code: ToolErrorCode,
  message: string,
  more: { readonly remedy?: string; readonly details?: Readonly<Record<string, unknown>> } = {},
): ToolResult {
  const { remedy, details = {} } = more;
  return Object.freeze({
    ok: false,
    error: Object.freeze({ code, message, ...(remedy !== undefined && { remedy }), details }),
  });
}
