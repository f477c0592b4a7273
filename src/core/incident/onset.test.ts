import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findEarlyJump, findOnset, type SeriesPoint } from './onset.ts';

/** The same numbers every time; even, between -1 and 1. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state / 2 ** 31) % 2) - 1;
  };
}

const minute = 60_000;
const series = (count: number, value: (k: number, noisy: number) => number, seed = 7): SeriesPoint[] => {
  const next = noise(seed);
  return Array.from({ length: count }, (_, k) => [k * minute, value(k, next())] as const);
};

const shapes: [
  string,
  SeriesPoint[],
  { at: number; direction: 'up' | 'down'; shape?: string; within?: number } | null,
][] = [
  ['noise', series(120, (_, n) => 100 + 10 * n), null],
  ['a constant', series(60, () => 5), null],
  ['nothing at all', series(60, () => 0), null],
  ['one odd point', series(60, (k, n) => (k === 30 ? 900 : 100 + 5 * n)), null],
  ['single events around nothing', series(60, (k) => (k % 17 === 3 ? 1 : 0)), null],
  ['too short', series(5, (k) => k * 100), null],
  ['what grows all the time', series(120, (k, n) => 50 + 2 * k + n), null],
  ['a step', series(80, (k, n) => (k < 50 ? 100 : 400) + 8 * n), { at: 50, direction: 'up', shape: 'step' }],
  [
    'a step down',
    series(80, (k, n) => (k < 50 ? 100 : 0) + 8 * n),
    { at: 50, direction: 'down', shape: 'step' },
  ],
  [
    'a small step',
    series(120, (k, n) => (k < 70 ? 100 : 118) + 5 * n),
    { at: 70, direction: 'up', within: 1 },
  ],
  ['a step from a constant', series(60, (k) => (k < 40 ? 320 : 360)), { at: 40, direction: 'up' }],
  ['a step at the very end', series(60, (k, n) => (k < 58 ? 100 : 900) + 5 * n), { at: 58, direction: 'up' }],
  [
    'a steep ramp',
    series(90, (k, n) => 100 + 3 * n + Math.max(0, k - 45) * 40),
    { at: 46, direction: 'up', shape: 'ramp', within: 1 },
  ],
  [
    'a slow bleed',
    series(240, (k, n) => 100 + 6 * n + Math.max(0, k - 100) * 0.5),
    // It takes 12 points to rise by as much as the noise is wide to either side.
    { at: 101, direction: 'up', shape: 'ramp', within: 15 },
  ],
  [
    'what is over again',
    series(120, (k, n) => (k >= 60 && k < 90 ? 500 : 100) + 8 * n),
    { at: 60, direction: 'up', shape: 'step' },
  ],
  [
    'a spike',
    series(120, (k, n) => (k >= 60 && k < 64 ? 500 : 100) + 8 * n),
    { at: 60, direction: 'up', shape: 'spike' },
  ],
  [
    'the larger of two',
    series(150, (k, n) => (k >= 60 && k < 65 ? 140 : k >= 110 ? 900 : 100) + 5 * n),
    { at: 110, direction: 'up' },
  ],
  [
    'a sharp rise behind a little lean',
    series(
      115,
      (k, n) => (k < 35 ? 92 : k < 58 ? 97 + k / 8 : 104 + 5000 * (1 - Math.exp(-(k - 57) / 3))) + 4 * n,
    ),
    { at: 58, direction: 'up', within: 1 },
  ],
  [
    'a queue of one at a time before it grows',
    series(115, (k) => (k < 30 ? 0 : k < 58 ? 1 : 150 * (k - 57))),
    { at: 58, direction: 'up', within: 1 },
  ],
  ['errors after none', series(60, (k) => (k < 40 ? 0 : k - 39)), { at: 40, direction: 'up', within: 1 }],
];

describe('onset', () => {
  test.each(shapes)('%s', (_, points, expected) => {
    const onset = findOnset(points);
    if (expected === null) {
      expect(onset).toBeNull();
      return;
    }
    expect(onset?.direction).toBe(expected.direction);
    if (expected.shape !== undefined) expect(onset?.shape).toBe(expected.shape);
    expect(Math.abs(onset!.at / minute - expected.at)).toBeLessThanOrEqual(expected.within ?? 0);
  });

  test('says when it was over, and how far it went', () => {
    const onset = findOnset(series(120, (k) => (k >= 60 && k < 90 ? (k === 70 ? 700 : 500) : 100)));
    expect(onset).toMatchObject({
      before: 100,
      after: 500,
      extreme: 700,
      extremeAt: 70 * minute,
      endedAt: 90 * minute,
    });
  });

  test.each<[string, SeriesPoint[]]>([
    ['what fills up, ever more slowly', series(15, (k) => 500 - 190 * Math.exp(-k / 5))],
    ['what drains, ever more slowly', series(20, (k) => 100 + 400 * Math.exp(-k / 6))],
    ['a steady rise that goes flat', series(60, (k) => 10 * Math.min(k, 35))],
    ['a steady fall that goes flat', series(60, (k) => 900 - 10 * Math.min(k, 35))],
    [
      'a steady rise that jumps, and goes on',
      series(90, (k, n) => 10 * k + (k > 40 && k < 70 ? 400 : 0) + n),
    ],
    ['a steady fall that jumps, and goes on', series(90, (k, n) => 900 - 10 * k + (k > 40 ? 100 : 0) + n)],
    ...Array.from({ length: 300 }, (_, seed): [string, SeriesPoint[]] => {
      const next = noise(seed * 6_151 + 1);
      let at = 100;
      const lean = 3 * next();
      return [`a walk of seed ${seed}`, series(8 + (seed % 70), () => (at += lean + 4 * next()))];
    }),
  ])('goes the way of its own values: %s', (_, points) => {
    const onset = findOnset(points);
    if (onset === null) return;
    const { before, after, extreme, direction, endedAt } = onset;
    const way = direction === 'up' ? 1 : -1;
    expect(way * (after - before)).toBeGreaterThanOrEqual(0);
    expect(way * (extreme - after)).toBeGreaterThanOrEqual(0);
    const ended = points.find(([at]) => at === endedAt);
    if (ended !== undefined && after !== before) expect(way * (ended[1] - after)).toBeLessThan(0);
  });

  test('what fills up, ever more slowly, goes up', () => {
    const onset = findOnset(series(15, (k) => 500 - 190 * Math.exp(-k / 5)));
    expect(onset).toMatchObject({ direction: 'up', endedAt: null });
    expect(onset!.after).toBeGreaterThan(onset!.before);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('noise of seed %d stays calm', (seed) => {
    expect(findOnset(series(300, (_, n) => 50 + 20 * n, seed * 7_919))).toBeNull();
  });
});

/** On frozen incidents: the alert's own metric changed, and did so before the alert. */
const data = join(
  process.env['SONDE_DATA'] ?? join(import.meta.dirname, '..', '../../../shared/data'),
  'incidents',
);
describe.skipIf(!existsSync(data))('onset on frozen incidents', () => {
  const incidents = existsSync(data)
    ? readdirSync(data).filter((name) => existsSync(join(data, name, 'data/metrics.csv')))
    : [];
  test.each(incidents)('%s', (name) => {
    const folder = join(data, name, 'data');
    const alert = JSON.parse(readFileSync(join(folder, 'alert.json'), 'utf8'));
    const points = readFileSync(join(folder, 'metrics.csv'), 'utf8')
      .split('\n')
      .map((line) => line.split(','))
      .filter(([, service, metric]) => service === alert.service && metric === alert.metric)
      .map(([time, , , value]) => [Date.parse(time!), Number(value)] as const);
    const onset = findOnset(points);
    expect(onset).not.toBeNull();
    expect(onset!.at).toBeLessThanOrEqual(Date.parse(alert.fired_at));
    expect(onset!.confidence).toBeGreaterThan(0.9);
  });
});

describe('a jump with too little before it', () => {
  const zeros = (count: number) => Array.from({ length: count }, () => 0);
  const check = (values: readonly number[], expected: number | null) =>
    expect(findEarlyJump(values.map((value, k) => [k * minute, value] as const))?.knownMs ?? null).toBe(
      expected === null ? null : expected * minute,
    );
  test.each<[string, readonly number[], number | null]>([
    ['a step', [2, 2, 2, 140, 141, 139, 140, 142, 140], 3],
    ['a step down', [90, 91, 90, 4, 4, 5, 4, 4, 4], 3],
    ['a counter that leaves zero', [0, 0, 3, 9, 15, 40, 300, 1_040], 2],
    ['one point before', [2, 140, 141, 140, 139, 140, 140], 1],
    ['few points in all', [2, 2, 140, 140], 2],
    ['a constant', zeros(20), null],
    ['noise', [8, 9, 8, 9, 9, 8, 8, 9, 8, 9], null],
    ['what grows all the time', [5, 10, 15, 21, 25, 30, 36, 40, 45, 50], null],
    ['one odd point', [2, 2, 140, 2, 2, 2, 2, 2, 2], null],
    ['one point', [7], null],
    ['nothing', [], null],
    ['a step that comes late', [...zeros(20), ...zeros(10).map(() => 50)], null],
    ['a step of a few parts in a hundred', [100, 100, 100, 104, 104, 104, 104, 104, 104], null],
  ])('%s', (_, values, expected) => check(values, expected));
  test('noise of many seeds, and what grows with noise, jump nowhere', () => {
    for (let seed = 1; seed <= 400; seed++) {
      expect(findEarlyJump(series(60, (_, n) => 100 + 20 * n, seed))).toBeNull();
      expect(findEarlyJump(series(60, (k, n) => 50 + 2 * k + n, seed))).toBeNull();
    }
  });
});
