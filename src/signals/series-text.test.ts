import { describe, expect, it } from 'vitest';
import type { Series } from '../core/index.ts';
import { orderSeries } from './series-text.ts';

const minute = 60_000;

/** A value a minute: 10, with a little noise, and `to` from a minute on. */
const series = (name: string, since = 0, to = 10): Series => ({
  name,
  labels: {},
  points: Array.from({ length: 120 }, (_, n) => [
    n * minute,
    (since > 0 && n >= since ? to : 10) + Math.sin(n) / 10,
  ]),
});
const orderOf = (...given: readonly Series[]) => orderSeries(given).map(({ name }) => name);

describe('what changed first comes first', () => {
  it('and what did not change, last', () => {
    const given = [series('calm'), series('late', 100, 90), series('early', 75, 90), series('still')];
    expect(orderOf(...given)).toEqual(['early', 'late', 'calm', 'still']);
  });

  it('the stronger one where they changed together', () => {
    expect(orderOf(series('weak', 80, 30), series('strong', 80, 900))).toEqual(['strong', 'weak']);
  });
});

it('a reply of very many points stays as it came', () => {
  const { points } = series('late', 100, 90);
  const long = Array.from({ length: 400_000 }, (_, n) => points[n % points.length]!);
  expect(orderOf({ ...series('long'), points: long }, series('early', 75, 90))).toEqual(['long', 'early']);
});
