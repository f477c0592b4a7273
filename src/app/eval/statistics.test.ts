import { expect, it } from 'vitest';
import { estimate, estimateDifference } from './statistics.ts';

it('a share has the interval of Wilson', () => {
  const found = estimate([1, 1, 1, 1, 1, 1, 1, 1, 1, 0], { yesOrNo: true });
  // Newcombe 1998, method 3, of 9 in 10.
  expect(found?.mean).toBe(0.9);
  expect(found?.low).toBeCloseTo(0.5958, 3);
  expect(found?.high).toBeCloseTo(0.9821, 3);
});

it('other means are drawn again, always the same, around the mean', () => {
  const values = Array.from({ length: 60 }, (_, n) => (n * 37) % 11);
  const found = estimate(values)!;
  expect(estimate(values)).toEqual(found);
  const half = 1.96 * Math.sqrt(values.reduce((sum, value) => sum + (value - found.mean) ** 2, 0) / 60 / 60);
  expect(found.low).toBeCloseTo(found.mean - half, 0);
  expect(found.high).toBeCloseTo(found.mean + half, 0);
});

it('equal differences leave no doubt, and nothing has no figure', () => {
  expect(estimateDifference([0, 0, 0])).toMatchObject({ mean: 0, low: 0, high: 0 });
  expect(estimate([])).toBeNull();
});
