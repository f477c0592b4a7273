/** The onset is that of what is alerted. */
import { expect, it } from 'vitest';
import type { Facts } from './facts.ts';
import { findMovement, type Movement } from './movement.ts';
import { findAlertOnset } from './onset.ts';

const noon = Date.parse('2026-05-04T12:00:00Z');
const minute = 60_000;
const none = { patterns: [] } as unknown as Facts;
const moved = (service: string, metric: string, at: number): Movement =>
  ({ service, metric, kind: 'errors', direction: 'up', onset: noon + at * minute }) as Movement;
const alert = { at: noon, metric: 'error_ratio' };
const names = new Set(['basket']);

it('of the alerted series, whatever moved before it elsewhere', () => {
  const all = [
    moved('resizer', 'p95', -40),
    moved('basket', 'queue', -9),
    moved('basket', 'error_ratio', -4),
  ];
  expect(findAlertOnset(alert, names, all, none)).toEqual({ at: noon - 4 * minute, from: 'series' });
});

it('else of the first symptom of what is alerted, else of its first new message, else of the alert', () => {
  expect(findAlertOnset(alert, names, [moved('basket', 'queue', -9)], none).at).toBe(noon - 9 * minute);
  const patterns = [
    { service: 'basket', level: 'ERROR', count: 9, baseline: 0, template: 'no', first: noon - 3 * minute },
  ] as unknown as Facts['patterns'];
  expect(findAlertOnset(alert, names, [], { ...none, patterns }).at).toBe(noon - 3 * minute);
  expect(findAlertOnset(alert, names, [], none)).toEqual({ at: noon, from: 'alert' });
});

it('a little less work before the first complaint is no beginning, and much less is', () => {
  const patterns = [
    { service: 'basket', level: 'ERROR', count: 9, baseline: 0, template: 'no', first: noon - minute },
  ] as unknown as Facts['patterns'];
  const dip = (factor: number): Movement => ({
    ...moved('basket', 'saved_per_second', -5),
    ...{ kind: 'work', direction: 'down', factor },
  });
  const at = (...all: Movement[]) => findAlertOnset(alert, names, all, { ...none, patterns }).at;
  expect(at(dip(1.2))).toBe(noon - minute);
  expect(at(dip(4))).toBe(noon - 5 * minute);
  // The alerted series and symptoms count however little they moved, and so does a dip that nobody complains about.
  expect(at({ ...dip(1.2), metric: 'error_ratio' })).toBe(noon - 5 * minute);
  expect(at({ ...dip(1.2), kind: 'errors' })).toBe(noon - 5 * minute);
  expect(findAlertOnset(alert, names, [dip(1.2)], none).at).toBe(noon - 5 * minute);
});

it('fewer requests before the first complaint are no beginning, more of them are', () => {
  const patterns = [
    { service: 'basket', level: 'ERROR', count: 9, baseline: 0, template: 'no', first: noon - minute },
  ] as unknown as Facts['patterns'];
  const orders = (direction: Movement['direction']): Movement => ({
    ...moved('basket', 'orders_per_second', -5),
    ...{ kind: 'demand', direction, factor: 3 },
  });
  const at = (...all: Movement[]) => findAlertOnset(alert, names, all, { ...none, patterns }).at;
  expect(at(orders('down'))).toBe(noon - minute);
  expect(at(orders('up'))).toBe(noon - 5 * minute);
  // The alerted series counts, whichever way it went, and so do fewer requests that nobody complains about.
  expect(at({ ...orders('down'), metric: 'error_ratio' })).toBe(noon - 5 * minute);
  expect(findAlertOnset(alert, names, [orders('down')], none).at).toBe(noon - 5 * minute);
});

it('what failed of the requests is no demand, by the label that says so', () => {
  const kindOf = (labels: Readonly<Record<string, string>>) =>
    findMovement({
      name: 'orders_per_second',
      labels: { service: 'basket', ...labels },
      points: Array.from({ length: 60 }, (_, k) => [noon + k * minute, k < 40 ? 1 : 30]),
      evidence: 'ev-series',
    })?.kind;
  expect([{ code: '500' }, { status_code: '503' }, { result: 'failed' }].map(kindOf)).toEqual(
    Array(3).fill('errors'),
  );
  expect([{ code: '200' }, { result: 'ok' }, { shelf: '503' }].map(kindOf)).toEqual(Array(3).fill('demand'));
});
