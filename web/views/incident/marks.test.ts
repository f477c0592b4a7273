import { expect, it } from 'vitest';
import { amountOf, aroundOnset, type IncidentSeries, marksOf, placedMarks } from './marks.ts';

const chart: IncidentSeries = {
  ...{ id: 'r', kept: true, axis: { from: 0, to: 1_000 }, window: null, alert: 900 },
  ...{ series: [], left_out: { series: 0, changes: 0 } },
  onset: { at: 500, from: 'series' },
  first_failure: { service: 'checkout', at: 520, evidence: 'ev-1' },
  changes: [
    {
      ...{ kind: 'commit', id: 'a'.repeat(40), at: 400, service: 'checkout', author: 'vera' },
      ...{ title: 'Less of it', commits: [], evidence: 'ev-2', score: 0.8, blamed: true },
    },
    {
      ...{ kind: 'flag', id: 'new-cart', at: 2_000, service: null, author: null },
      ...{ title: '', commits: [], evidence: 'ev-3', score: null, blamed: false },
    },
  ],
};

it('what happened stands in the order of time, with what it was', () => {
  expect(marksOf(chart).map(({ kind, label, title }) => [kind, label, title])).toEqual([
    ['blamed', 'commit aaaaaaaaaa', 'Less of it · checkout · vera'],
    ['onset', 'onset', 'The first series leaves its course'],
    ['failure', 'checkout fails', 'The first service to fail'],
    ['alert', 'alert', 'The alert begins to fire'],
    ['change', 'flag new-cart', ''],
  ]);
});

it('labels that would cover one another stand in rows; what is outside of the axis is left out', () => {
  const placed = placedMarks(marksOf(chart), { from: 0, to: 1_000 }, 400);
  expect(placed.map(({ label, row, isLeft }) => [label, row, isLeft])).toEqual([
    ['commit aaaaaaaaaa', 0, false],
    ['onset', 1, false],
    ['checkout fails', 2, false],
    ['alert', 0, true],
  ]);
});

it('what matters has its place, however many other changes there are', () => {
  const other = chart.changes[1]!;
  const many = Array.from({ length: 40 }, (_, n) => ({ ...other, id: `f${n}`, at: 480 + n }));
  const placed = placedMarks(marksOf({ ...chart, changes: [...chart.changes, ...many] }), chart.axis!, 400);
  expect(placed).toHaveLength(44);
  expect(placed.filter(({ kind }) => kind !== 'change').map(({ row }) => row)).not.toContain(null);
  expect(placed.filter(({ row }) => row === null).length).toBeGreaterThan(30);
});

it('the chart begins a little before what was looked at, or with what is blamed', () => {
  const window = { from: 600, to: 1_000, baseline_from: 0, derivation: '' };
  expect(aroundOnset({ ...chart, window, changes: [] })).toEqual({ from: 520, to: 1_000 });
  expect(aroundOnset({ ...chart, window })).toEqual({ from: 400, to: 1_000 });
  expect(aroundOnset(chart)).toEqual({ from: 0, to: 1_000 });
});

it.each<[number, Parameters<typeof amountOf>[1], string]>([
  [0, null, '0'],
  [0.05, 'seconds', '50 ms'],
  [2.5, 'seconds', '2.5 s'],
  [1_500, 'milliseconds', '1.5 s'],
  [2_097_152, 'bytes', '2 MiB'],
  [99.5, 'percent', '99.5 %'],
  [12_340, 'per second', '12.3k/s'],
  [0.0312, 'ratio', '0.0312'],
])('%s in %s: %s', (value, unit, expected) => {
  expect(amountOf(value, unit)).toBe(expected);
});
