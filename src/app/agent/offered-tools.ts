/** The tools of a conversation, out of the catalogue that every client is listed. */
import type { Capability } from '../../core/index.ts';
import type { ToolClient, ToolListing } from '../../tools/index.ts';
import { capabilitiesOver } from './scopes.ts';

/** They tell what a conversation is told anyway: which tools it has, and where it is. */
const aboutHost: ReadonlySet<string> = new Set(['list_tools', 'list_scopes', 'current_workspace']);

/** Those that the caller would not be refused. A listing alone: whoever calls another is refused by the host. */
export const offeredTools = (
  listed: readonly ToolListing[],
  capabilities: ReadonlySet<Capability>,
): readonly ToolListing[] =>
  listed.filter(
    ({ name, capability, authorOnly }) =>
      authorOnly !== true && (capability === null || capabilities.has(capability)) && !aboutHost.has(name),
  );

/** What the caller may do is fixed by his connection, and asked once. */
export function offering(tools: Pick<ToolClient, 'list' | 'call'>): Pick<ToolClient, 'list'>['list'] {
  let held: ReadonlySet<Capability> | undefined;
  return async () => {
    const listed = await tools.list();
    held ??= await capabilitiesOver(tools);
    return offeredTools(listed, held);
  };
}
