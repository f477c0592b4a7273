/** Finds evidence that the problem is over, or that there was none: an object is healthy, and no bad record follows. */
import { type Facts, serviceOf } from './facts.ts';
import { classifyMetric, isSymptom, type Movement } from './movement.ts';
import type { StateSeen } from './state/condition.ts';
import { isAmong } from './subject.ts';
import { isBad, isWorse } from './symptoms.ts';
import { distinctiveWords } from './words.ts';

export interface Healthy {
  readonly why: string;
  readonly object: string;
  readonly evidence: readonly string[];
}

/** How long, in milliseconds, no bad record may have occurred while other records continue. */
const quietMs = 3 * 60_000;

/** The metric of an alert, as far as the alert names it. */
export interface AlertMetric {
  readonly metric: string | null;
  readonly text: string;
}

/**
 * The series that the alert is about: found by its name, otherwise the one of the subject that shares most words with
 * the alert.
 */
export function findAlertedSeries(
  facts: Facts,
  names: ReadonlySet<string>,
  { metric, text }: AlertMetric,
): Facts['series'][number] | undefined {
  const series = facts.series.filter((item) => serviceOf(item) === null || isAmong(names, serviceOf(item)));
  const named = series.find(({ name }) => name === metric);
  if (named !== undefined) return named;
  const alertWords = new Set(distinctiveWords(text));
  const countShared = (name: string): number =>
    new Set(distinctiveWords(name).filter((word) => alertWords.has(word) && ![...names].includes(word))).size;
  return series
    .map((item) => ({ item, words: countShared(item.name) }))
    .filter(({ words }) => words > 0)
    .toSorted((a, b) => b.words - a.words)[0]?.item;
}

/** How often a series must cross its threshold before the alert, and how far it may be from it, as a share of it. */
const minCrossings = 3;
const maxStray = 0.05;

/**
 * Finds a series that swings around the threshold before the alert as it does after it: only the threshold is wrong.
 */
export function findFlapping(
  facts: Facts,
  movements: readonly Movement[],
  names: ReadonlySet<string>,
  alert: AlertMetric,
  at: number,
): Healthy | null {
  const series = findAlertedSeries(facts, names, alert);
  const threshold = (alert.text.match(/(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)/g) ?? [])
    .map(Number)
    .find(
      (value) =>
        value > 0 && series?.points.every(([, point]) => Math.abs(point - value) <= maxStray * value),
    );
  if (series === undefined || threshold === undefined) return null;
  const countCrossings = (points: typeof series.points): number =>
    points.filter(([, value], k) => k > 0 && value > threshold !== points[k - 1]![1] > threshold).length;
  const crossingsBefore = countCrossings(series.points.filter(([time]) => time < at));
  if (
    crossingsBefore < minCrossings ||
    movements.some((movement) => isSymptom(movement) && movement.ended === null)
  )
    return null;
  if (listTroubleTimes(facts).length > 0) return null;
  return {
    why: `${series.name} swings around ${threshold}, ${crossingsBefore} times over it before the alert`,
    object: serviceOf(series) ?? series.name,
    evidence: [series.evidence],
  };
}

/** Whether users were affected, even for a short time: errors, waiting, or less work done than before. */
export function hasAffectedUsers(facts: Facts, around: ReadonlySet<string>): boolean {
  const isNear = (name: string | null): boolean => name === null || isAmong(around, name);
  return (
    facts.series.some(({ name, points, ...rest }) => {
      if (points.length < 6 || !isNear(serviceOf(rest))) return false;
      const sorted = points.map(([, value]) => value).toSorted((a, b) => a - b);
      const middle = sorted[sorted.length >> 1]!;
      const kind = classifyMetric(name);
      if (kind === 'errors' || kind === 'latency') {
        const spread = Math.max(sorted[Math.floor(sorted.length * 0.75)]! - middle, middle * 0.25, 1e-9);
        return sorted.at(-1)! - middle > 8 * spread;
      }
      return (
        (kind === 'demand' || kind === 'work' || /conn/i.test(name)) &&
        !/lag|delay|free|avail/i.test(name) &&
        middle > 0 &&
        sorted[0]! <= 0.1 * middle
      );
    }) ||
    facts.lines.some(({ level, service }) => /err|fatal|crit/i.test(level ?? '') && isNear(service)) ||
    facts.patterns.some(
      (logPattern) =>
        isWorse(logPattern) && /err|fatal|crit/i.test(logPattern.level ?? '') && isNear(logPattern.service),
    )
  );
}

/**
 * Whether the incident is over: error messages stopped a while ago, other records continue, and nothing is abnormal
 * now.
 */
export function isOver(states: readonly StateSeen[], facts: Facts, movements: readonly Movement[]): boolean {
  const lastBadTime = Math.max(
    -Infinity,
    ...states.map(({ last: at, isCurrent }) => (isCurrent ? Infinity : (at ?? Infinity))),
  );
  return (
    findLastTime(facts) - lastBadTime >= quietMs &&
    findLastTime(facts) - Math.max(-Infinity, ...listTroubleTimes(facts)) >= quietMs &&
    !movements.some(
      (movement) => isSymptom(movement) && movement.direction === 'up' && movement.ended === null,
    )
  );
}

/**
 * Finds the alerted metric if it left its usual range for a while, returned, and nothing else is abnormal. Not used if
 * a cause is known, since an outage that has ended had one.
 */
export function findReturned(
  facts: Facts,
  movements: readonly Movement[],
  states: readonly StateSeen[],
  names: ReadonlySet<string>,
  alert: AlertMetric,
): Healthy | null {
  const series = findAlertedSeries(facts, names, alert);
  const excursion = series === undefined ? null : findExcursion(series.points);
  if (series === undefined || excursion === null) return null;
  const endTime = series.points.at(-1)![0];
  // The longer the peak lasted, the longer the series must have been normal since.
  const requiredMs = Math.min(
    quietMs,
    Math.max(2 * excursion.step, excursion.last - excursion.first + excursion.step),
  );
  if (
    endTime - excursion.last < requiredMs ||
    Math.max(-Infinity, ...listTroubleTimes(facts)) > excursion.last + requiredMs
  )
    return null;
  if (states.some(({ condition, isCurrent }) => isCurrent && condition.role !== 'good')) return null;
  if (
    movements.some(
      (movement) => isSymptom(movement) && movement.direction === 'up' && movement.ended === null,
    )
  )
    return null;
  return {
    why: `${series.name}${names.size === 0 ? '' : ` of ${[...names][0]}`} is back since ${new Date(excursion.last).toISOString()}, ${Math.round((endTime - excursion.last) / 1_000)} s before its last point`,
    object: serviceOf(series) ?? series.name,
    evidence: [series.evidence],
  };
}

/** Names of series that repeat the values of a day or a week ago, in recording rules and dashboards. */
const formerSeries =
  /[_.-](offset_?\w*|last_?(week|day)|prev(ious)?(_?\w+)?|(1w|7d|1d|24h)_?ago|(week|day)_?ago|baseline)$/i;
const maxDifference = 0.2;

/** Finds a series as high as at the same time a day or a week before: the alert is about its ordinary behaviour. */
export function findSameAsBefore(
  facts: Facts,
  movements: readonly Movement[],
  names: ReadonlySet<string>,
  alert: AlertMetric,
): Healthy | null {
  const series = findAlertedSeries(facts, names, alert);
  const formerTwin = facts.series.find(
    (item) =>
      series !== undefined &&
      item !== series &&
      formerSeries.test(item.name) &&
      item.name.replace(formerSeries, '') === series.name &&
      serviceOf(item) === serviceOf(series),
  );
  if (series === undefined || formerTwin === undefined) return null;
  const maxValue = (points: typeof series.points): number =>
    points.reduce((max, [, value]) => Math.max(max, value), 0);
  const [currentMax, formerMax] = [maxValue(series.points), maxValue(formerTwin.points)];
  if (currentMax > formerMax * (1 + maxDifference)) return null;
  if (
    movements.some(
      (movement) => movement.kind === 'errors' && movement.direction === 'up' && movement.ended === null,
    )
  )
    return null;
  if (listTroubleTimes(facts).length > 0) return null;
  return {
    why: `${series.name} is as high as ${formerTwin.name} was`,
    object: serviceOf(series) ?? series.name,
    evidence: [series.evidence, formerTwin.evidence],
  };
}

/** Finds the time in which the points were far above the median; null if there is none, or if it is over a third. */
function findExcursion(
  points: readonly (readonly [at: number, value: number])[],
): { readonly first: number; readonly last: number; readonly step: number; readonly isOne: boolean } | null {
  if (points.length < 12) return null;
  const sorted = points.map(([, value]) => value).toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1]!;
  const spread = Math.max(sorted[Math.floor(sorted.length * 0.65)]! - middle, Math.abs(middle) * 0.1, 1e-9);
  const isFar = (value: number): boolean => value - middle > 8 * spread;
  const farPoints = points.filter(([, value]) => isFar(value));
  if (farPoints.length === 0 || farPoints.length > points.length / 3) return null;
  const step = (points.at(-1)![0] - points[0]![0]) / (points.length - 1);
  const excursionStarts = points.filter(
    ([, value], k) => isFar(value) && (k === 0 || !isFar(points[k - 1]![1])),
  );
  return { first: farPoints[0]![0], last: farPoints.at(-1)![0], step, isOne: excursionStarts.length === 1 };
}

/**
 * Whether the alerted series changed once and returned by itself. The effect of a change lasts as long as the change,
 * or recurs.
 */
export function hasPassed(
  facts: Facts,
  names: ReadonlySet<string>,
  alert: AlertMetric,
  returned: Healthy | null,
): boolean {
  const series = findAlertedSeries(facts, names, alert);
  const excursion = returned === null || series === undefined ? null : findExcursion(series.points);
  if (excursion === null || !excursion.isOne) return false;
  // A deploy, a flag or a setting in between may have ended it.
  return !facts.changes.some(
    ({ kind, at }) => kind !== 'commit' && at > excursion.first && at <= excursion.last + quietMs,
  );
}

export function findRecovered(
  facts: Facts,
  movements: readonly Movement[],
  states: readonly StateSeen[],
): Healthy | null {
  const goodStates = states.filter(({ condition }) => condition.role === 'good');
  const badStates = states.filter(({ condition }) => condition.role !== 'good');
  if (goodStates.length === 0 || badStates.some(({ isCurrent }) => isCurrent)) return null;
  const lastGood = Math.max(
    ...goodStates.map(({ last, isCurrent }) => last ?? (isCurrent ? findLastTime(facts) : -Infinity)),
  );
  const lastBad = Math.max(
    -Infinity,
    ...badStates.map(({ last }) => last ?? -Infinity),
    ...listTroubleTimes(facts),
  );
  if (lastBad >= lastGood || findLastTime(facts) - lastBad < quietMs) return null;
  // A metric that is still abnormal outweighs a good state.
  if (
    movements.some(
      (movement) => isSymptom(movement) && movement.direction === 'up' && movement.ended === null,
    )
  )
    return null;
  const [bestState] = goodStates.toSorted(
    (a, b) => Number(b.isCurrent) - Number(a.isCurrent) || (b.last ?? 0) - (a.last ?? 0),
  );
  return {
    why: `${bestState!.object} is well again (${bestState!.quote})`,
    object: bestState!.object,
    evidence: [...new Set(goodStates.slice(0, 3).map(({ evidence }) => evidence))],
  };
}

const listTroubleTimes = ({ lines, patterns }: Facts): readonly number[] => [
  ...lines.filter(({ level }) => /err|fatal|crit/i.test(level ?? '')).map(({ at }) => at ?? -Infinity),
  ...patterns
    .filter((logPattern) => isWorse(logPattern) && isBad(logPattern.level))
    .map(({ last }) => last ?? -Infinity),
];

/** The time of the latest record of any kind. */
const findLastTime = ({ lines, patterns, series, spans }: Facts): number =>
  [
    ...lines.map(({ at }) => at ?? -Infinity),
    ...patterns.map(({ last }) => last ?? -Infinity),
    ...series.map(({ points }) => points.at(-1)?.[0] ?? -Infinity),
    ...spans.map(({ at }) => at),
  ].reduce((a, b) => Math.max(a, b), -Infinity);
