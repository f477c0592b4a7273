/** What runs may do for who starts them. */
import type { Capability } from '../core/index.ts';

/** Who sits at the machine lets a run read everything, and propose: nothing is written by it. */
export const grantedToRuns: ReadonlySet<Capability> = new Set<Capability>([
  'PagesRead',
  'PagesWrite',
  'SearchUse',
  'MemoryRead',
  'SandboxRun',
  'CodeRead',
  'SignalsRead',
]);
