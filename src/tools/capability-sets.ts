/**
 * The sets of capabilities that callers get. Capabilities decide what a caller may call. The kind of caller decides
 * whether a write is applied or waits.
 */
import { type Capability, capabilities, SondeError } from '../core/index.ts';

/**
 * owner: everything. agent: what the World Agent may do by default; it may not delete or import unless the owner adds
 * that. external: another program; it reads, searches, computes and writes candidates. read-only: reads, and changes
 * nothing. operator: the same tools as read-only; over HTTP it may also see the settings. Memory belongs to its owner,
 * so only the owner and the agent see it.
 */
export const capabilitySets = {
  owner: capabilities,
  agent: [
    'PagesRead',
    'PagesWrite',
    'PagesOrganize',
    'SearchUse',
    'MemoryRead',
    'MemoryWrite',
    'SandboxRun',
    'CodeRead',
    'SignalsRead',
  ],
  external: ['PagesRead', 'PagesWrite', 'SearchUse', 'SandboxRun', 'CodeRead'],
  'read-only': ['PagesRead', 'SearchUse', 'CodeRead', 'SignalsRead'],
  operator: ['PagesRead', 'SearchUse', 'CodeRead', 'SignalsRead'],
} as const satisfies Readonly<Record<string, readonly Capability[]>>;

export type CapabilitySetName = keyof typeof capabilitySets;

/** Throws `bad_argument` for an unknown name. */
export function parseSetName(name: string): CapabilitySetName {
  if (Object.hasOwn(capabilitySets, name)) return name as CapabilitySetName;
  throw new SondeError('bad_argument', {
    message: `there is no set of capabilities named ${JSON.stringify(name)}`,
    remedy: `Allowed: ${Object.keys(capabilitySets).join(', ')}.`,
  });
}

/** Throws `bad_argument` for an unknown name. */
export const capabilitySet = (name: string): ReadonlySet<Capability> =>
  new Set(capabilitySets[parseSetName(name)]);

/** The capabilities of delegated work: the wanted ones that its parent has. */
export function intersectCapabilities(
  parent: ReadonlySet<Capability>,
  wanted: Iterable<Capability> = parent,
): ReadonlySet<Capability> {
  return new Set([...wanted].filter((capability) => parent.has(capability)));
}
