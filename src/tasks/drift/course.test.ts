import { expect, it } from 'vitest';
import type { IncidentWindow } from '../../core/index.ts';
import { baselineShift, type Course, computeCourse } from './course.ts';

const hour = 3_600_000;
const day = 24 * hour;
const to = Date.UTC(2026, 10, 23, 7);
const windowOf = (length: number): IncidentWindow => {
  const from = to - length;
  return { from, to, baseline_from: from - baselineShift({ from, to }), derivation: 'a test' };
};
const today = windowOf(day);

/** The same numbers every time; even, between -1 and 1. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32) * 2 - 1;
  };
}

const half = 30 * 60_000;
const pointsOf = (
  value: (at: number, noisy: number) => number | null,
  { baseline_from: first, to: last }: IncidentWindow = today,
  seed = 7,
) => {
  const next = noise(seed);
  const points: [number, number][] = [];
  for (let at = first; at < last; at += half) {
    const found = value(at, next());
    if (found !== null) points.push([at, found]);
  }
  return points;
};
const daily = (at: number): number => 100 + 60 * Math.sin((2 * Math.PI * (at % day)) / day);
const ago = (hours: number): number => to - hours * hour;

const cases: readonly [string, ReturnType<typeof pointsOf>, Partial<Course>][] = [
  ['a day like the day before', pointsOf((at, n) => daily(at) + 5 * n), { kind: 'steady' }],
  ['nothing at all', pointsOf(() => 0), { kind: 'steady' }],
  ['by less than a tenth', pointsOf((at) => (at > ago(6) ? 105 : 100)), { kind: 'steady' }],
  ['one odd point', pointsOf((at, n) => (at === ago(6) ? 900 : 100 + 5 * n)), { kind: 'steady' }],
  ['single events around nothing', pointsOf((at) => ((at / half) % 17 === 3 ? 1 : 0)), { kind: 'steady' }],
  [
    'a step on a daily rhythm',
    pointsOf((at, n) => daily(at) * (at >= ago(6) ? 2 : 1) + 3 * n),
    { kind: 'moved', direction: 'up', since: ago(6), until: null },
  ],
  [
    'errors after none',
    pointsOf((at) => (at >= ago(4) ? 5 : 0)),
    { kind: 'moved', direction: 'up', before: 0, after: 5 },
  ],
  [
    'over again',
    pointsOf((at, n) => (at >= ago(10) && at < ago(5) ? 300 : 100) + 3 * n),
    { kind: 'moved', direction: 'up', since: ago(10), until: ago(5) },
  ],
  [
    'a level of the whole day',
    pointsOf((at, n) => (at >= today.from ? 60 : 100) + 3 * n),
    { kind: 'moved', direction: 'down', since: null },
  ],
  ['gone', pointsOf((at) => (at < ago(9) ? 1 : null)), { kind: 'gone', at: ago(9) - half }],
  ['new', pointsOf((at) => (at >= ago(9) ? 1 : null)), { kind: 'appeared', at: ago(9) }],
  ['no day before', pointsOf((at) => (at >= today.from ? 1 : null)), { kind: 'unknown' }],
];

it.each(cases)('%s', (_, points, expected) => {
  const course = computeCourse({ points }, today);
  if (expected.kind !== 'moved' || course.kind !== 'moved' || expected.since == null)
    return expect(course).toMatchObject(expected);
  const { since, ...rest } = expected;
  expect(course).toMatchObject(rest);
  // Noise may date it by one point.
  expect(Math.abs(course.since! - since)).toBeLessThanOrEqual(half);
});

it.each(Array.from({ length: 40 }, (_, seed) => seed))('noise of seed %d has not moved', (seed) => {
  const points = pointsOf((at, n) => daily(at) + 10 * n, today, seed * 7_919 + 1);
  expect(computeCourse({ points }, today)).toEqual({ kind: 'steady' });
});

it('a few hours are held against those hours of the day before', () => {
  const morning = windowOf(6 * hour);
  expect(morning.baseline_from).toBe(morning.from - day);
  expect(computeCourse({ points: pointsOf(daily, morning) }, morning)).toEqual({ kind: 'steady' });
});
