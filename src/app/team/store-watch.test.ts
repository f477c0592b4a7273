import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchStore } from './store-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each(['refuses', 'is silent'])(
  'a store that %s is told once, and once when it is there again',
  async (how) => {
    const told: string[] = [];
    let isThere = true;
    const silent: (() => void)[] = [];
    const watch = watchStore(
      () =>
        isThere
          ? Promise.resolve()
          : how === 'refuses'
            ? Promise.reject(new Error('connect ECONNREFUSED'))
            : new Promise<void>((done) => silent.push(done)),
      (line) => told.push(line),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect([watch.reasonAway(), told]).toEqual([null, []]);
    isThere = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(watch.reasonAway()).toBe('the store does not answer');
    expect(told).toHaveLength(1);
    // Nobody is asked again while he has not answered.
    expect(silent.length).toBeLessThanOrEqual(1);
    isThere = true;
    for (const done of silent) done();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watch.reasonAway()).toBeNull();
    expect(told[1]).toMatch(/^the store is there again, after \d+ s$/);
    watch.close();
    isThere = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toHaveLength(2);
  },
);
