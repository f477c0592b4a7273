import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { memoryLedger, openPool } from '../../core/pools.ts';
import { limitToPool } from './pool-bounds.ts';

function pools() {
  const clock = manualClock(1_000);
  const limits = { tokens: 100, wall_ms: 600 };
  const pool = openPool(memoryLedger(), {
    account: 'run',
    run: 'run',
    fence: 1,
    limits,
    reserve: { tokens: 40, wall_ms: 100 },
    clock,
  });
  return { clock, pool };
}

it.each([
  ['the pool', false, 9_000, { timeoutMs: 500, deadline: 1_500 }],
  ['the pool with what is kept back', true, 9_000, { timeoutMs: 600, deadline: 1_600 }],
  ['the call itself', false, 50, { timeoutMs: 50, deadline: 1_500 }],
])('a call has the time that %s allows', (_, final, maxLength, expected) => {
  expect(limitToPool(pools().pool, { final, maxSilenceMs: maxLength })).toMatchObject(expected);
});

it('a pool without a ceiling of time sets no deadline', () => {
  const pool = openPool(memoryLedger(), { account: 'run', run: 'run', fence: 1 });
  const within = limitToPool(pool, { final: false, maxSilenceMs: 50 });
  expect(within.timeoutMs).toBe(50);
  expect('deadline' in within).toBe(false);
});

it('time is over for the ordinary before it is for the final call', () => {
  const { clock, pool } = pools();
  const within = (final: boolean) => limitToPool(pool, { final, maxSilenceMs: 50 });
  expect(within(false).timeRefusal()).toBeNull();
  clock.advance(550);
  expect(within(false).timeRefusal()).toMatchObject({ kind: 'exhausted', resource: 'wall_ms' });
  expect(within(true).timeRefusal()).toBeNull();
  clock.advance(50);
  expect(within(true).timeRefusal()).toMatchObject({ kind: 'exhausted', resource: 'wall_ms' });
});
