/** All trials of killed-at-each-record.test.ts, which by itself makes some of each kind. */
import { vi } from 'vitest';

vi.stubEnv('TRIALS', 'all');
await import('./killed-at-each-record.test.ts');
