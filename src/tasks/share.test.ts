import { expect, it } from 'vitest';
import { memoryLedger, openPool } from '../core/pools.ts';
import { shareOf, wallClockLimit } from './share.ts';

const usual = 120_000;

it.each([
  ['a day', 86_400_000, 64_800_000],
  ['ten minutes', 600_000, 450_000],
  ['a minute', 60_000, 45_000],
  ['no end', undefined, usual],
] as const)('work has its part of a caller who has %s', (_what, wall_ms, expected) => {
  const limits = wall_ms === undefined ? {} : { wall_ms };
  const pool = openPool(memoryLedger(), {
    account: 'run',
    run: 'run',
    fence: 1,
    limits,
    clock: { now: () => 0 },
  });
  expect(wallClockLimit(shareOf(pool), usual)).toBe(expected);
});
