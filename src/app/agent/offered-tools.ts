/** The tools of a conversation, out of the catalogue that every client is listed. */
import type { Capability } from '../../core/index.ts';
import type { ToolClient, ToolListing } from '../../tools/index.ts';
import { capabilitiesOver } from './scopes.ts';

/** They tell what a conversation is told anyway: which tools it has, and where it is. */
const aboutHost: ReadonlySet<string> = new Set(['list_tools', 'list_scopes', 'current_workspace']);

/**
 * Those that the caller would not be refused, in few words: they stand before a planner as one list in every call. A
 * listing alone: whoever calls another is refused by the host.
 */
export function offeredTools(
  listed: readonly ToolListing[],
  capabilities: ReadonlySet<Capability>,
): readonly ToolListing[] {
  const said = new Set<string>();
  return listed
    .filter(
      ({ name, capability, authorOnly }) =>
        authorOnly !== true && (capability === null || capabilities.has(capability)) && !aboutHost.has(name),
    )
    .map((tool) => ({ ...tool, parameters: brief(tool.parameters, said) }));
}

type Parameters = ToolListing['parameters'];

/** What was said of a parameter is not said again of one of the same name, nor that a number is not negative. */
function brief(parameters: Parameters, said: Set<string>): Parameters {
  const properties = Object.entries((parameters['properties'] ?? {}) as Readonly<Record<string, Parameters>>);
  const briefly = properties.map(([name, { description, minimum, ...rest }]) => {
    const saying = `${name}: ${String(description)}`;
    const known = description === undefined || said.has(saying);
    said.add(saying);
    const bounded = typeof minimum === 'number' && minimum > 1;
    return [name, { ...(!known && { description }), ...rest, ...(bounded && { minimum }) }];
  });
  return { ...parameters, properties: Object.fromEntries(briefly) as Parameters };
}

/** What the caller may do is fixed by his connection, and asked once. */
export function offering(tools: Pick<ToolClient, 'list' | 'call'>): ToolClient['list'] {
  let held: ReadonlySet<Capability> | undefined;
  return async () => {
    const listed = await tools.list();
    held ??= await capabilitiesOver(tools);
    return offeredTools(listed, held);
  };
}
