/** The tools of a conversation, chosen from the catalogue that all clients share. */
import type { Capability } from '../../../core/index.ts';
import type { ToolClient, ToolListing } from '../../../tools/index.ts';
import { readCapabilities } from './scopes.ts';

/**
 * Lists the tools that the caller may use, with short descriptions, since the list is sent with every call of the
 * planner. The list is no protection: the host itself refuses all other tools.
 */
export function listOfferedTools(
  listings: readonly ToolListing[],
  capabilities: ReadonlySet<Capability>,
): readonly ToolListing[] {
  const described = new Set<string>();
  return listings
    .filter(
      ({ capability, authorOnly, forPrograms }) =>
        authorOnly !== true && forPrograms !== true && (capability === null || capabilities.has(capability)),
    )
    .map(({ forPrograms, ...tool }) => {
      const hidden = forPrograms === true ? [] : (forPrograms ?? []);
      return { ...tool, parameters: shortenParameters(tool.parameters, { hidden, described: described }) };
    });
}

type Parameters = ToolListing['parameters'];

interface ShortenOptions {
  readonly hidden: readonly string[];
  /** Parameter descriptions that an earlier tool of the list has already given. */
  readonly described: Set<string>;
}

/** Leaves out parameters that programs set, descriptions that an earlier tool has, and numeric defaults. */
function shortenParameters(
  { required = [], ...schema }: Parameters,
  { hidden, described }: ShortenOptions,
): Parameters {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Parameters>>);
  const shownProperties = properties.filter(([name]) => !hidden.includes(name));
  const shortenedProperties = shownProperties.map(
    ([name, { description, minimum, default: defaultValue, ...rest }]) => {
      const isDescribed = description === undefined || described.has(String(description));
      described.add(String(description));
      const hasMinimum = typeof minimum === 'number' && minimum > 1;
      const keepsDefault = defaultValue !== undefined && typeof defaultValue !== 'number';
      return [
        name,
        {
          ...(!isDescribed && { description }),
          ...rest,
          ...(keepsDefault && { default: defaultValue }),
          ...(hasMinimum && { minimum }),
        },
      ];
    },
  );
  return {
    ...schema,
    properties: Object.fromEntries(shortenedProperties) as Parameters,
    ...((required as readonly string[]).length > 0 && { required }),
  };
}

/** Returns `list` for one caller. Capabilities are fixed for a connection, so they are requested once. */
export function createOfferedList(tools: Pick<ToolClient, 'list' | 'call'>): ToolClient['list'] {
  let capabilities: ReadonlySet<Capability> | undefined;
  return async () => {
    const listings = await tools.list();
    capabilities ??= await readCapabilities(tools);
    return listOfferedTools(listings, capabilities);
  };
}
