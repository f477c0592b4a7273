/** Whether it is over, or was never trouble: what is well now, and nothing bad since. */
import type { Facts } from './facts.ts';
import { isSymptom, type Movement } from './movement.ts';
import type { StateSeen } from './state/condition.ts';
import { isBad, isWorse } from './symptoms.ts';

export interface Healthy {
  readonly why: string;
  readonly object: string;
  readonly evidence: readonly string[];
}

/** Nothing bad for so long, where the records go on. Milliseconds. */
const quiet = 3 * 60_000;

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
