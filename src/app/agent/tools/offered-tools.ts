/** The tools of a conversation, chosen from the catalogue that all clients share. */
import type { Capability } from '../../../core/index.ts';
import type { ToolClient, ToolListing } from '../../../tools/index.ts';
import { capabilitiesOver } from './scopes.ts';

/**
 * Lists the tools that the caller may use, in few words, since the list is sent with every call of the planner. It does
 * not protect anything: the host itself refuses all other tools.
 */
export function listOfferedTools(
  listed: readonly ToolListing[],
  capabilities: ReadonlySet<Capability>,
): readonly ToolListing[] {
  const said = new Set<string>();
  return listed
    .filter(
      ({ capability, authorOnly, forPrograms }) =>
        authorOnly !== true && forPrograms !== true && (capability === null || capabilities.has(capability)),
    )
    .map(({ forPrograms, ...tool }) => {
      const hidden = forPrograms === true ? [] : (forPrograms ?? []);
      return { ...tool, parameters: brief(tool.parameters, { hidden, said }) };
    });
}

type Parameters = ToolListing['parameters'];

interface OfferMemory {
  readonly hidden: readonly string[];
  /** Descriptions that are in the list already. */
  readonly said: Set<string>;
}

/** Leaves out parameters that programs set, descriptions given before, and defaults. */
function brief({ required = [], ...schema }: Parameters, { hidden, said }: OfferMemory): Parameters {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Parameters>>);
  const shown = properties.filter(([name]) => !hidden.includes(name));
  const briefly = shown.map(([name, { description, minimum, default: usual, ...rest }]) => {
    const known = description === undefined || said.has(String(description));
    said.add(String(description));
    const bounded = typeof minimum === 'number' && minimum > 1;
    const told = usual !== undefined && typeof usual !== 'number';
    return [
      name,
      {
        ...(!known && { description }),
        ...rest,
        ...(told && { default: usual }),
        ...(bounded && { minimum }),
      },
    ];
  });
  return {
    ...schema,
    properties: Object.fromEntries(briefly) as Parameters,
    ...((required as readonly string[]).length > 0 && { required }),
  };
}

/** The connection fixes what the caller may do, so the list is fetched once. */
export function offering(tools: Pick<ToolClient, 'list' | 'call'>): ToolClient['list'] {
  let held: ReadonlySet<Capability> | undefined;
  return async () => {
    const listed = await tools.list();
    held ??= await capabilitiesOver(tools);
    return listOfferedTools(listed, held);
  };
}
