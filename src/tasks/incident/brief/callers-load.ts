/**
 * Finds the sender of extra load: a server gets more requests, and at the same time the machines of another service do
 * more work.
 */
import { shortNumber } from '../../../core/incidents.ts';
import type { Series } from '../../../core/index.ts';
import { type Seen, serviceOf } from './facts.ts';
import type { Outside } from './outside-cause.ts';
import { isAmong } from './subject.ts';

/** A rise as a factor, how closely both must go together, and points that show it. */
const surge = 1.6;
const inStep = 0.9;
const minPoints = 6;

/** Told by what is open or asked at the server, since its own processor may be busy for other reasons. */
const isAsked = (name: string): boolean =>
  /conn|quer|request|iops|session/i.test(name) && !/error|fail|refus|reject|abort|wait/i.test(name);
const isBusy = (name: string): boolean => /cpu|request|rps|load/i.test(name);

export function callersLoad(all: readonly Seen<Series>[], names: ReadonlySet<string>): readonly Outside[] {
  const asked = all.find((one) => isAmong(names, serviceOf(one)) && isAsked(one.name) && hasRisen(one));
  if (asked === undefined) return [];
  const busy = all.filter((one) => {
    const service = serviceOf(one);
    return (
      service !== null &&
      !isAmong(names, service) &&
      isBusy(one.name) &&
      hasRisen(one) &&
      likeness(asked, one) >= inStep
    );
  });
  const [one] = busy;
  // If the load of all services rises, none of them can be named as the sender.
  if (one === undefined || new Set(busy.map(serviceOf)).size !== 1) return [];
  const service = serviceOf(one)!;
  const ends = (series: Seen<Series>): string =>
    `from ${shortNumber(series.points[0]![1])} to ${shortNumber(highest(series))}`;
  return [
    {
      kind: 'traffic',
      id: service,
      service,
      score: 0.55,
      evidence: [one.evidence, asked.evidence],
      why: `${one.name} of ${service} rose ${ends(one)} in step with ${asked.name} of ${serviceOf(asked)}, ${ends(asked)}`,
    },
  ];
}

const highest = ({ points }: Series): number => points.reduce((max, [, value]) => Math.max(max, value), 0);
const hasRisen = (one: Series): boolean =>
  one.points.length >= minPoints && one.points[0]![1] > 0 && highest(one) >= surge * one.points[0]![1];

/** Their correlation over the times that both have. */
function likeness(one: Series, other: Series): number {
  const held = new Map(other.points);
  const pairs = one.points.flatMap(([at, value]) => {
    const same = held.get(at);
    return same === undefined ? [] : [[value, same] as const];
  });
  if (pairs.length < minPoints) return 0;
  const mean = (k: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[k], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number): number =>
    pairs.reduce((total, [x, y]) => total + of(x - a, y - b), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y) || 1);
}
