/**
 * The contract of a client of tools: what an agent, and nothing else in its process, reaches the world with. Who
 * is calling, and with which capabilities, was fixed by the host when the connection was made.
 *
 * An implementer must not: throw for a failed call (also a host that is gone is a result), change a result on its
 * way, or send an identity.
 */
import type { ToolResult } from '../core/index.ts';
import type { ToolListing } from './tools.ts';

export interface ToolRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The same key again applies nothing twice and returns the first result. */
  readonly idempotencyKey?: string;
  /** Ids of content that was really read; taken from agents of this host only. */
  readonly readTrail?: readonly string[];
  /** Ids of content that was read or made earlier in the conversation; likewise. */
  readonly known?: readonly string[];
  /** Where the material is from that the caller has seen; taken from agents of this host only. */
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
