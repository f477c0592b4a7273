/** All trials of keep-workspace.test.ts, which by itself makes some of each kind. */
import { vi } from 'vitest';

vi.stubEnv('TRIALS', 'all');
await import('./maintain-workspace.test.ts');
