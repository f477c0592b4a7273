/** All trials of random-walk.test.ts, which by itself makes some of each kind. */
import { vi } from 'vitest';

vi.stubEnv('TRIALS', 'all');
await import('./random-walk.test.ts');
