/** What runs may do for the person who starts them. */
import type { Capability } from '../core/index.ts';

/** The person at the machine lets a run read everything and propose changes. A run writes nothing by itself. */
export const grantedToRuns: ReadonlySet<Capability> = new Set<Capability>([
  'PagesRead',
  'PagesWrite',
  'SearchUse',
  'MemoryRead',
  'SandboxRun',
  'CodeRead',
  'SignalsRead',
]);
