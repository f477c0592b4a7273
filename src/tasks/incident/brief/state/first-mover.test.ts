/** The place that left its course first, and one that is unlike the others. */
import { expect, it } from 'vitest';
import type { Series } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import type { Movement } from '../movement.ts';
import type { Reach } from '../reach/reach.ts';
import { findFirstMovers, findUnlikeOthers } from './first-mover.ts';

const noon = Date.parse('2026-05-04T12:00:00Z');
const minute = 60_000;
const moved = (service: string, at: number, more: Partial<Movement> = {}): Movement => ({
  service,
  metric: 'servers_in_service',
  kind: 'work',
  onset: noon + at * minute,
  direction: 'down',
  before: 96,
  after: 19,
  factor: 5,
  shape: 'step',
  ended: null,
  evidence: `ev-${service}`,
  ...more,
});
const reach = (near: number): Reach => ({ of: () => near, path: () => [], names: new Set() });
const names = new Set(['blob-api']);
const first = (all: readonly Movement[], near = 0.9) =>
  findFirstMovers(all, reach(near), names, noon).map(({ object }) => object);

it('within reach, before what is alerted, and by much', () => {
  expect(first([moved('blob-index', -2), moved('blob-api', 0)])).toEqual(['blob-index']);
});
it.each([
  ['a stranger', [moved('blob-index', -2)], 0],
  ['after it', [moved('blob-index', 1)], 0.9],
  ['by little', [moved('blob-index', -2, { factor: 1.3 })], 0.9],
  ['two at once', [moved('blob-index', -2), moved('blob-cache', -2)], 0.9],
  ['itself', [moved('blob-api', -2)], 0.9],
])('not %s', (_, all, near) => {
  expect(first(all, near)).toEqual([]);
});

const series = (service: string, before: number, after: number): WithEvidence<Series> => ({
  name: 'orders_per_second',
  labels: { service },
  points: Array.from({ length: 60 }, (__, k) => [noon + (k - 30) * minute, k < 30 ? before : after]),
  evidence: `ev-${service}`,
});
const odd = (all: readonly WithEvidence<Series>[]) =>
  findUnlikeOthers({ series: all } as unknown as Facts, noon).map(({ object }) => object);
const alike = ['smars-01', 'smars-02', 'smars-03'].map((name) => series(name, 20, 30));

it('one of several alike goes another way, up or down', () => {
  expect(odd([...alike, series('smars-08', 20, 1_800)])).toEqual(['smars-08']);
  expect(odd([...alike, series('smars-08', 20, 1)])).toEqual(['smars-08']);
});
it.each([
  ['all go', [...alike, series('smars-08', 20, 34)]],
  ['it was so before', [...alike, series('smars-08', 1_200, 1_800)]],
  ['there are too few', [...alike.slice(0, 2), series('smars-08', 20, 1_800)]],
  ['it is another kind of thing', [...alike, series('ledger', 20, 1_800)]],
])('%s: none is odd', (_, all) => {
  expect(odd(all)).toEqual([]);
});
