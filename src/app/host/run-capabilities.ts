/** What runs may do for the person who starts them. */
import type { Capability } from '../../core/index.ts';

/** The person at the machine lets a run read everything. What it writes (PagesWrite) waits in the inbox as a proposal. */
export const runCapabilities: ReadonlySet<Capability> = new Set<Capability>([
  'PagesRead',
  'PagesWrite',
  'SearchUse',
  'MemoryRead',
  'SandboxRun',
  'CodeRead',
  'SignalsRead',
]);
