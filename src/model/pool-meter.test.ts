import { expect, it } from 'vitest';
import { manualClock, memoryLedger, openPool } from '../core/index.ts';
import { timeOver, withinPool } from './pool-meter.ts';

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
])('a call has the time that %s allows', (_, final, longest, expected) => {
  expect(withinPool(pools().pool, { final, longest })).toMatchObject(expected);
});

it('a pool without a ceiling of time sets no deadline', () => {
  const pool = openPool(memoryLedger(), { account: 'run', run: 'run', fence: 1 });
  const within = withinPool(pool, { final: false, longest: 50 });
  expect(within.timeoutMs).toBe(50);
  expect('deadline' in within).toBe(false);
});

it('what is reserved by the meter is held, settled and released in the pool', () => {
  const { pool } = pools();
  const { meter } = withinPool(pool, { final: false, longest: 50 });
  const reserved = (attempt: string, tokens: number) => {
    const answer = meter.reserve(attempt, { tokens });
    if (answer.kind === 'exhausted') throw new Error(`${attempt} was refused`);
    return answer;
  };
  meter.settle(reserved('a', 30), { amounts: { tokens: 10 }, unknown: [] });
  expect(pool.spent().tokens).toBe(10);
  meter.settle(reserved('b', 20), { amounts: { tokens: 1 }, unknown: ['tokens', 'usd'] });
  expect(pool.spent().tokens).toBe(30);
  // What only the price of is unknown is settled at what is known.
  meter.settle(reserved('c', 20), { amounts: { tokens: 2 }, unknown: ['usd'] });
  expect(pool.spent().tokens).toBe(32);
  const held = reserved('d', 28);
  expect(meter.reserve('e', { tokens: 1 })).toMatchObject({ kind: 'exhausted', resource: 'tokens' });
  meter.release(held);
  expect(pool.remaining().tokens).toBe(28);
  expect(() => meter.release(held)).toThrow(expect.objectContaining({ code: 'internal' }));
  expect(() => meter.settle(held, { amounts: {}, unknown: [] })).toThrow(
    'ends a reservation it does not hold',
  );
  const last = withinPool(pool, { final: true, longest: 50 }).meter.reserve('f', { tokens: 60 });
  expect(last.kind).toBe('reserved');
});

it('time is over for the ordinary before it is for the final call, and asking costs nothing', () => {
  const { clock, pool } = pools();
  expect(timeOver(pool, 'a/time', false)).toBeNull();
  clock.advance(550);
  expect(timeOver(pool, 'a/time', false)).toMatchObject({ kind: 'exhausted', resource: 'wall_ms' });
  expect(timeOver(pool, 'a/time', true)).toBeNull();
  clock.advance(50);
  expect(timeOver(pool, 'a/time', true)).toMatchObject({ kind: 'exhausted', resource: 'wall_ms' });
  expect(pool.spent()).toMatchObject({ tokens: 0, wall_ms: 600 });
});
