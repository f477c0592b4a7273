import { expect, it } from 'vitest';
import { runParallel } from './in-window.ts';

it('one that is slow holds nobody up, and no more than so many are under way', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  let under = 0;
  let max = 0;
  let done = 0;
  const work = Array.from({ length: 40 }, (_, n) => async () => {
    under += 1;
    max = Math.max(max, under);
    if (n === 1) await slow;
    else await Promise.resolve();
    under -= 1;
    done += 1;
    // In batches of four this is never reached.
    if (done === 39) resolve();
    return n;
  });
  expect(await runParallel(work, 4)).toEqual(work.map((_, n) => n));
  expect(max).toBe(4);
});

it('where one throws, no other begins, and those under way come to their end', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = Array.from({ length: 9 }, (_, n) => async () => {
    begun.push(n);
    await Promise.resolve();
    if (n === 1) throw new Error('lost');
    await Promise.resolve();
    ended.push(n);
  });
  await expect(runParallel(work, 3)).rejects.toThrow('lost');
  expect(begun.length).toBeLessThan(9);
  expect([...ended, 1].sort()).toEqual([...begun].sort());
});

it('of nothing comes nothing', async () => {
  expect(await runParallel([], 4)).toEqual([]);
});
