/** All trials of pool.test.ts, which by itself makes a fourth of them. */
import { vi } from 'vitest';

vi.stubEnv('POOL_TRIALS', 'all');
await import('./pool.test.ts');
