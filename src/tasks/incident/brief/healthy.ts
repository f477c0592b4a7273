/** Whether it is over, or was never trouble: what is well now, without anything bad since. */
import { type Facts, serviceOf } from './facts.ts';
import { isSymptom, type Movement } from './movement.ts';
import type { StateSeen } from './state/condition.ts';
import { isAmong } from './subject.ts';
import { isBad, isWorse } from './symptoms.ts';

export interface Healthy {
  readonly why: string;
  readonly object: string;
  readonly evidence: readonly string[];
}

/** Time without anything bad, where the records go on. Milliseconds. */
const quiet = 3 * 60_000;

/** What the alert measures left its course for a while and came back, and nothing else is out of order. Of no use where
 * a cause is known: an outage that is over was one. */
export function findReturned(
  facts: Facts,
  movements: readonly Movement[],
  states: readonly StateSeen[],
  names: ReadonlySet<string>,
  metric: string | null,
): Healthy | null {
  const series = facts.series.find(
    (one) => one.name === metric && (serviceOf(one) === null || isAmong(names, serviceOf(one))),
  );
  const left = series === undefined ? null : excursionOf(series.points);
  if (series === undefined || left === null) return null;
  const end = series.points.at(-1)![0];
  if (end - left.last < quiet || Math.max(-Infinity, ...lastTrouble(facts)) > left.last + quiet) return null;
  if (states.some(({ condition, isNow }) => isNow && condition.role !== 'good')) return null;
  if (movements.some((one) => isSymptom(one) && one.direction === 'up' && one.ended === null)) return null;
  return {
    why: `${series.name}${names.size === 0 ? '' : ` of ${[...names][0]}`} is back since ${new Date(left.last).toISOString()}`,
    object: serviceOf(series) ?? series.name,
    evidence: [series.evidence],
  };
}

/** The stretch where points were far from the median, for less than a third of the time; null where none were. */
function excursionOf(
  points: readonly (readonly [at: number, value: number])[],
): { readonly last: number } | null {
  if (points.length < 12) return null;
  const sorted = points.map(([, value]) => value).toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1]!;
  const spread = Math.max(sorted[Math.floor(sorted.length * 0.65)]! - middle, Math.abs(middle) * 0.1, 1e-9);
  const far = points.filter(([, value]) => value - middle > 8 * spread);
  return far.length === 0 || far.length > points.length / 3 ? null : { last: far.at(-1)![0] };
}

export function healthyOf(
  facts: Facts,
  movements: readonly Movement[],
  states: readonly StateSeen[],
): Healthy | null {
  const good = states.filter(({ condition }) => condition.role === 'good');
  const bad = states.filter(({ condition }) => condition.role !== 'good');
  if (good.length === 0 || bad.some(({ isNow }) => isNow)) return null;
  const lastGood = Math.max(...good.map(({ last, isNow }) => last ?? (isNow ? lastOf(facts) : -Infinity)));
  const lastBad = Math.max(-Infinity, ...bad.map(({ last }) => last ?? -Infinity), ...lastTrouble(facts));
  if (lastBad >= lastGood || lastOf(facts) - lastBad < quiet) return null;
  // What left its course came back to it.
  if (movements.some((one) => isSymptom(one) && one.direction === 'up' && one.ended === null)) return null;
  const [said] = good.toSorted((a, b) => Number(b.isNow) - Number(a.isNow) || (b.last ?? 0) - (a.last ?? 0));
  return {
    why: `${said!.object} is well again (${said!.said})`,
    object: said!.object,
    evidence: [...new Set(good.slice(0, 3).map(({ evidence }) => evidence))],
  };
}

const lastTrouble = ({ lines, patterns }: Facts): readonly number[] => [
  ...lines.filter(({ level }) => /err|fatal|crit/i.test(level ?? '')).map(({ at }) => at ?? -Infinity),
  ...patterns.filter((one) => isWorse(one) && isBad(one.level)).map(({ last }) => last ?? -Infinity),
];

/** When the last was recorded of anything. */
const lastOf = ({ lines, patterns, series, spans }: Facts): number =>
  [
    ...lines.map(({ at }) => at ?? -Infinity),
    ...patterns.map(({ last }) => last ?? -Infinity),
    ...series.map(({ points }) => points.at(-1)?.[0] ?? -Infinity),
    ...spans.map(({ at }) => at),
  ].reduce((a, b) => Math.max(a, b), -Infinity);
