/**
 * Load that came from outside, told by what is counted, and what looks like it and was asked for by a change inside.
 */
import { expect, it } from 'vitest';
import type { Change, Series, Span } from '../../../../core/index.ts';
import { collectFacts, type Facts, type WithEvidence } from '../facts.ts';
import { findMovements } from '../movement.ts';
import { buildCallGraph } from './call-graph.ts';
import { findOutsideCauses } from './outside.ts';

const start = Date.parse('2026-03-02T10:00:00Z');
const minute = 60_000;
const series = (service: string, name: string, before: number, after: number): WithEvidence<Series> => ({
  name,
  labels: { service },
  points: Array.from({ length: 90 }, (_, k) => [
    start + k * minute,
    (k < 60 ? before : after) * (1 + 0.02 * Math.sin(k * 7)),
  ]),
  evidence: `ev-${service}`,
});
const call = (from: string, to: string): WithEvidence<Span>[] =>
  [from, to].map((service, k) => ({
    trace: from,
    id: `${k}`,
    parent: k === 0 ? null : '0',
    service,
    name: 'request',
    at: start + 70 * minute,
    duration_ms: 9,
    failed: false,
    attributes: {},
    evidence: 'ev-spans',
  }));
const deploy = (service: string, at: number): WithEvidence<Change> => ({
  kind: 'deploy',
  id: 'r7',
  at: start + at * minute,
  service,
  author: null,
  title: 'r7',
  commits: [],
  paths: [],
  diff: null,
  evidence: 'ev-deploy',
});
const traffic = (alerted: string, some: Pick<Facts, 'series'> & Partial<Facts>) => {
  const facts = { ...collectFacts([]), spans: call('front', 'codes'), ...some };
  return findOutsideCauses(
    facts,
    findMovements(facts.series),
    buildCallGraph(facts.spans),
    alerted,
    start + 61 * minute,
  ).flatMap(({ kind, id }) => (kind === 'traffic' ? [id] : []));
};

it('rates of any name that rise where requests come in, and by as much in what is called', () => {
  const told = (own: number, codes: number) =>
    traffic('codes', {
      series: [series('front', 'parcels_per_min', 40, own), series('codes', 'labels_per_min', 60, codes)],
    });
  expect(told(240, 360)).toEqual(['codes']);
  // What is called rises alone, or far more than what comes in: somebody inside asks for it.
  expect(told(40, 360)).toEqual([]);
  expect(told(80, 900)).toEqual([]);
  // Where requests come in is not measured: what rises may be what one inside asks of another.
  const inside = [series('codes', 'labels_per_min', 60, 360), series('stock', 'lookups_per_min', 40, 240)];
  expect(
    traffic('codes', { series: inside, spans: [...call('front', 'codes'), ...call('codes', 'stock')] }),
  ).toEqual([]);
});
it('figures that rise alike and are no rates are no load', () => {
  const told = (name: string) =>
    traffic('codes', { series: [series('front', name, 40, 240), series('codes', name, 60, 360)] });
  expect(told('ParcelsPerSecond')).toEqual(['codes']);
  expect(told('parcel_bytes')).toEqual([]);
  expect(told('active_shoppers')).toEqual([]);
});
it('requests that an unmeasured caller passes on, unless something of it was changed just before', () => {
  const told = (...changes: WithEvidence<Change>[]) =>
    traffic('store', { series: [series('codes', 'requests_per_sec', 40, 240)], changes });
  expect(told()).toEqual(['codes']);
  expect(told(deploy('codes', 58))).toEqual(['codes']);
  expect(told(deploy('front', 58))).toEqual([]);
  // Nobody is known to call it: it may ask itself.
  const alone = { series: [series('codes', 'requests_per_sec', 40, 240)], spans: [] };
  expect(traffic('store', alone)).toEqual([]);
});
