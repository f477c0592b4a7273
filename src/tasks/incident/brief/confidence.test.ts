/** How sure a blame is of itself: what many changes share, and what came long before, is no sure one. */
import { describe, expect, it } from 'vitest';
import type { Change, LogPattern, Series } from '../../../core/index.ts';
import { bias, weights } from './confidence.ts';
import type { Facts, WithEvidence } from './facts.ts';
import { before, biasBefore, fitWeights, likely, looks } from './first-looks.contract.ts';
import { judge } from './judge.ts';

const start = Date.parse('2026-05-04T06:00:00Z');
const minute = 60_000;
const felt: WithEvidence<Series> = {
  name: 'errors_per_sec',
  labels: { service: 'gateway' },
  points: Array.from(
    { length: 90 },
    (_, k) => [start + k * minute, (k < 60 ? 0.1 : 30) * (1 + 0.02 * Math.sin(k * 7))] as const,
  ),
  evidence: 'ev-series',
};
const quote = 'quote refused by rate_table';
const message: WithEvidence<LogPattern> = {
  template: quote,
  example: quote,
  service: 'gateway',
  level: 'ERROR',
  count: 300,
  baseline: 0,
  first: start + 60 * minute,
  last: start + 89 * minute,
  evidence: 'ev-log',
};
/** Deployed so many minutes before the trouble. */
const change = (letter: string, before: number, diff: string): WithEvidence<Change>[] => {
  const sha = letter.repeat(40);
  const at = start + (60 - before) * minute;
  const base = { author: null, title: 'change it', evidence: `ev-${letter}`, commits: [sha] };
  return [
    { ...base, kind: 'commit', id: sha, at, service: null, paths: [`gateway/${letter}.py`], diff },
    { ...base, kind: 'deploy', id: `r${letter}`, at, service: 'gateway', paths: [], diff: null },
  ];
};
const named = '@@\n-  old(rate_table)\n+  other(one)';
const judged = (...changes: readonly WithEvidence<Change>[][]) => {
  const facts: Facts = {
    series: [felt],
    patterns: [message],
    changes: changes.flat(),
    lines: [],
    spans: [],
    alerts: [],
    texts: [],
    tables: [],
  };
  return judge(facts, { text: 'errors are high', service: 'gateway', at: start + 65 * minute });
};

it('a name that no innocent change holds, in the last change before the trouble: sure', () => {
  const { cause, confidence } = judged(change('b', 2, named), change('c', 300, '@@\n-  x(1)\n+  x(2)'));
  expect(cause).toMatchObject({ kind: 'change', of: { id: 'b'.repeat(40) } });
  expect(confidence).toBeGreaterThan(0.5);
});

it('a bare name that innocent changes hold, too: not sure', () => {
  const innocent = change('c', 400, '@@\n-  x(rate_table)\n+  y(rate_table)');
  const { cause, confidence } = judged(change('b', 2, named), innocent);
  expect(cause).toMatchObject({ kind: 'change', of: { id: 'b'.repeat(40) } });
  expect(confidence).toBeLessThan(0.5);
});

it('less sure where it came long before, and less where another came after it', () => {
  const other = '@@\n-  greet(name)\n+  greet(name, title)';
  const at = (before: number, ...more: WithEvidence<Change>[][]) =>
    judged(change('b', before, named), change('d', 300, other), ...more).confidence!;
  expect(at(40)).toBeLessThan(at(2));
  expect(at(40, change('c', 3, other))).toBeLessThan(at(40));
});

describe('the weights', () => {
  it('are those that the looks give', () => {
    expect({ weights, bias }).toEqual(fitWeights(looks));
  });
  it('are as good on the first look at a set that they were not fitted on as those before', () => {
    const first = looks.filter(([, look]) => look === 'first');
    const brierOf = (modelFor: (set: string) => ReturnType<typeof fitWeights>): number =>
      first.reduce(
        (sum, [set, , isExact, stated]) => sum + (likely(modelFor(set), stated) - Number(isExact)) ** 2,
        0,
      ) / first.length;
    const apart = new Map(
      ['A', 'B', 'C'].map((set) => [set, fitWeights(looks.filter(([other]) => other !== set))]),
    );
    const now = brierOf((set) => apart.get(set)!);
    expect(now).toBeLessThan(0.2);
    expect(now).toBeLessThan(brierOf(() => ({ weights: before, bias: biasBefore })) + 0.005);
  });
});
