/**
 * The contract of the host of tools: one catalogue for all callers, inside and outside. Callers differ only in identity
 * and capabilities.
 *
 * An implementer must not: run a handler before the arguments and the capability were checked, let an exception of a
 * handler reach the caller, take an identity from arguments, change the catalogue after the start, or list `task` or
 * anything else that dispatches work.
 */
import type { Capability, DerivationSource, Tool, ToolCall, ToolResult } from '../core/index.ts';

/** A tool as it is listed: the same for every caller. */
export interface ToolListing {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly capability: Capability | null;
  readonly effect: Tool['effect'];
  readonly derivation: DerivationSource;
  readonly cost: string;
  /** Only the author in person may call it. */
  readonly authorOnly?: true;
  /** Hidden from a planner: the whole tool, or these of its parameters. Any client may use them. */
  readonly forPrograms?: true | readonly string[];
}

export interface ToolHost {
  /** Null if the host presents no workspace. */
  readonly workspace: { readonly id: string; readonly name: string } | null;
  /** In the order of the catalogue, which never changes. */
  list(): readonly ToolListing[];
  /**
   * Always returns a result. Unknown names, invalid arguments and refused writes are `validation`; a missing capability
   * is `capability`, an exceeded limit `budget`, an aborted signal `cancelled`, and everything else `tool`. Results
   * over `resultBytes` are cut; the rest can be read with `read_result`.
   */
  callTool(name: string, args: unknown, call: ToolCall): Promise<ToolResult>;
}

/** Bytes of text, data and evidence of one result, as UTF-8 and JSON. */
export const resultBytes = 100 * 1024;
