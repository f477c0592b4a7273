/** All trials of used-up.test.ts, which by itself makes some of each kind. */
import { vi } from 'vitest';

vi.stubEnv('TRIALS', 'all');
await import('./used-up.test.ts');
