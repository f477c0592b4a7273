/** All trials of hostile.process.test.ts, which by itself makes some of each kind. */
import { vi } from 'vitest';

vi.stubEnv('TRIALS', 'all');
await import('./hostile.process.test.ts');
