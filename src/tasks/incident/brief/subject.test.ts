/** What is abnormal about the subject of an alert, and what left its course and is no trouble. */
import { expect, it } from 'vitest';
import type { Change, Series } from '../../../core/index.ts';
import { collectFacts, type WithEvidence } from './facts.ts';
import { judge } from './judge.ts';
import { findMovements } from './movement.ts';
import { isTroubled } from './subject.ts';

const start = Date.parse('2026-03-02T10:00:00Z');
const minute = 60_000;
const sha = 'a1b2c3d4e5'.repeat(4);
const series = (name: string, before: number, after: number): WithEvidence<Series> => ({
  name,
  labels: { service: 'cart' },
  points: Array.from({ length: 90 }, (_, k) => [
    start + k * minute,
    (k < 60 ? before : after) * (1 + 0.02 * Math.sin(k * 7)),
  ]),
  evidence: `ev-${name}`,
});
const isTrouble = (name: string, before: number, after: number) => {
  const facts = { ...collectFacts([]), series: [series(name, before, after)] };
  const subject = { names: new Set(['cart']), around: new Set(['cart']), searchedNames: ['cart'] };
  return isTroubled(subject, facts, findMovements(facts.series), []);
};

it.each([
  ['errors that rise', 'errors_per_sec', 4, 30, true],
  ['errors that fall', 'errors_per_sec', 30, 4, false],
  ['a wait that is longer', 'p95_ms', 40, 900, true],
  ['a wait that is shorter', 'p95_ms', 900, 40, false],
  ['work that is no longer done', 'parcels_per_min', 40, 2, true],
  ['more that is asked for', 'requests_per_sec', 40, 200, false],
])('%s', (_, name, before, after, trouble) => {
  expect(isTrouble(name, before, after)).toBe(trouble);
});

it('an alert whose metric nobody measures, beside errors that a change has ended, blames nothing', () => {
  const changes: WithEvidence<Change>[] = ['commit', 'deploy'].map((kind) => ({
    kind: kind as 'commit' | 'deploy',
    id: kind === 'commit' ? sha : 'r7',
    at: start + 58 * minute,
    service: 'cart',
    author: null,
    title: 'cart lock',
    commits: [sha],
    paths: ['cart/lock.yaml'],
    diff: kind === 'deploy' ? null : '-  cart_lock_errors_max: 400\n+  cart_lock_errors_max: 20',
    evidence: `ev-${kind}`,
  }));
  const blamed = (before: number, after: number) =>
    judge(
      { ...collectFacts([]), changes, series: [series('cart_lock_errors', before, after)] },
      {
        text: 'basket_sync_gap is high',
        service: 'cart',
        metric: 'basket_sync_gap',
        at: start + 65 * minute,
      },
    ).verdict;
  expect(blamed(4, 90)).toBe('config_change');
  expect(blamed(90, 4)).toBe('inconclusive');
});
