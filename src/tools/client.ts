/**
 * The contract of a client of tools, the only way in which an agent reaches the world. The host fixed the caller and
 * its capabilities when the connection was made.
 *
 * An implementer must not: throw for a failed call (a lost host gives a result, too), change a result, or send an
 * identity.
 */
import type { ToolResult } from '../core/index.ts';
import type { ToolListing } from './tools.ts';

export interface ToolRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The same key again applies nothing twice and returns the first result. */
  readonly idempotencyKey?: string;
  /** Ids of content that was really read. The host takes them only from its own agents. */
  readonly readTrail?: readonly string[];
  /** Ids of content that was read or made earlier in the conversation. The host takes them only from its own agents. */
  readonly known?: readonly string[];
  /** The sources of the material that the caller has seen. The host takes them only from its own agents. */
  readonly origins?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface ToolClient {
  /** Throws `tool_failed` if the host is gone. */
  list(): Promise<readonly ToolListing[]>;
  call(request: ToolRequest): Promise<ToolResult>;
  /** May be called again. Calls in flight end as failed. */
  close(): Promise<void>;
}
