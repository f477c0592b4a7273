/** All trials of overspend.test.ts, which by itself makes some of each kind. */
import { vi } from 'vitest';

vi.stubEnv('TRIALS', 'all');
await import('./overspend.test.ts');
