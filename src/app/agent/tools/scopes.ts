/** Asks the host for the identity and the capabilities of a conversation, which its connection fixes. */
import type { Capability } from '../../../core/index.ts';
import { callUntilAnswered, readData, toError } from '../../../session/index.ts';
import type { ToolClient } from '../../../tools/index.ts';

export interface Scopes {
  readonly caller: { readonly thread: string | null; readonly channel: string | null };
  readonly capabilities: readonly Capability[];
}

/** Throws `tool_failed` if the host is gone. */
export async function readScopes(tools: Pick<ToolClient, 'call'>, signal?: AbortSignal): Promise<Scopes> {
  const result = await callUntilAnswered(tools, { name: 'list_scopes', args: {}, ...(signal && { signal }) });
  if (result.ok) return readData<Scopes>(tools, result, signal);
  throw toError(result.error);
}

export async function readCapabilities(tools: Pick<ToolClient, 'call'>): Promise<ReadonlySet<Capability>> {
  return new Set((await readScopes(tools)).capabilities);
}
