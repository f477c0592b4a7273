/**
 * Finds alerts without a problem: the metric is at its usual level, was not measured for a while, or counts routine
 * events, and all other observations of the subject are normal. Without other observations, nothing is concluded.
 */
import { type Facts, serviceOf } from './facts.ts';
import { type AlertMetric, findAlertedSeries, type Healthy } from './healthy.ts';
import { classifyMetric, isRelief, type Movement } from './movement.ts';
import type { StateSeen } from './state/condition.ts';
import { isAmong } from './subject.ts';
import { isBad, isWorse } from './symptoms.ts';

type Series = Facts['series'][number];

const minute = 60_000;
/** Minimum points before the alert that show the usual level. */
const minPoints = 20;
/** A missing sample or two are not a gap. */
const minGap = 5 * minute;
/** Minimum lines during a gap that show that the service kept working. */
const minLines = 5;

export interface HarmContext {
  readonly facts: Facts;
  readonly movements: readonly Movement[];
  readonly states: readonly StateSeen[];
  readonly names: ReadonlySet<string>;
  readonly alert: AlertMetric & { readonly at: number };
}

export function findUnharmed(known: HarmContext): Healthy | null {
  const { facts, names, alert } = known;
  const series = findAlertedSeries(facts, names, alert);
  if (series === undefined || !isQuiet(known, series)) return null;
  const why = findUsualLevel(known, series) ?? findGap(known, series) ?? findRoutine(known, series);
  return why === null ? null : { why, object: serviceOf(series) ?? series.name, evidence: [series.evidence] };
}

/** Whether there is no new error, no lasting bad state, and no other series of the subject that got worse. */
function isQuiet({ facts, movements, states, names }: HarmContext, series: Series): boolean {
  const isNear = (service: string | null): boolean => service === null || isAmong(names, service);
  return (
    !facts.patterns.some((pattern) => isWorse(pattern) && isBad(pattern.level) && isNear(pattern.service)) &&
    !facts.lines.some(({ level, service }) => /err|fatal|crit/i.test(level ?? '') && isNear(service)) &&
    !states.some(({ condition, isCurrent }) => isCurrent && condition.role === 'root') &&
    !movements.some(
      (movement) =>
        movement.metric !== series.name &&
        isNear(movement.service) &&
        movement.ended === null &&
        !isRelief(movement),
    )
  );
}

/** Metrics whose change users would notice: errors, latency, ready replicas. */
const isNoticeable = (name: string): boolean =>
  classifyMetric(name) === 'errors' ||
  classifyMetric(name) === 'latency' ||
  /ready|available_replicas|success/i.test(name);

/** Whether a text is about a countdown, such as days until expiry: its level differs on each day, so none is usual. */
const isCountdown = (text: string): boolean => /left|remain|until|expir/i.test(text);

/** Finds an alert that fires although its series stays at its usual level: its rule has changed. */
function findUsualLevel({ facts, movements, names, alert }: HarmContext, series: Series): string | null {
  if (movements.some(({ metric, service }) => metric === series.name && service === serviceOf(series)))
    return null;
  if (isCountdown(`${series.name} ${alert.text}`)) return null;
  const valuesBefore = series.points.filter(([at]) => at < alert.at - 15 * minute).map(([, value]) => value);
  const valuesSince = series.points.filter(([at]) => at >= alert.at - 15 * minute).map(([, value]) => value);
  const alertNumbers = parseNumbers(alert.text);
  const [low, high] = [Math.min(...valuesBefore), Math.max(...valuesBefore)];
  if (valuesBefore.length < minPoints || valuesSince.length < 5 || high <= 0) return null;
  // The alert names a value that was also normal before, or a threshold that all of its values were beyond.
  const isUsual =
    alertNumbers.some((value) => value >= low && value <= high) || isBeyond(alert.text, low, high);
  if (!isUsual || Math.max(...valuesSince) > high * 1.5) return null;
  const otherSeries = facts.series.filter((item) => item !== series && isMeasureOf(item, names));
  return otherSeries.length === 0
    ? null
    : `${series.name} is between ${formatNumber(low)} and ${formatNumber(high)}, as it was all the time before the alert`;
}

const thresholdPattern =
  /(?<over>\babove|\bover|\bexceeds?|\bexceeded|\b(?:more|higher|greater|longer|larger) than|>=?)?(?<under>\bbelow|\bunder|\b(?:less|lower|fewer|shorter|smaller) than|<=?)?\s*(?<value>\d+(?:\.\d+)?)(?![\w-]|\.\d)/gi;

/** Whether the text names a threshold, and all values were beyond it. */
const isBeyond = (text: string, low: number, high: number): boolean =>
  [...text.matchAll(thresholdPattern)].some(
    ({ groups = {} }) =>
      (groups['over'] !== undefined && low > Number(groups['value'])) ||
      (groups['under'] !== undefined && high < Number(groups['value'])),
  );

/** Numbers that stand alone, not parts of names. */
const parseNumbers = (text: string): readonly number[] =>
  (text.match(/(?<![\w.-])\d+(?:\.\d+)?(?![\w-]|\.\d)/g) ?? []).map(Number).filter((value) => value > 0);

/** Whether the series measures the subject. */
const isMeasureOf = (item: Series, names: ReadonlySet<string>): boolean => isAmong(names, serviceOf(item));

/** Finds a gap in the series around the alert while the service kept logging: it was not measured. */
function findGap({ facts, names, alert }: HarmContext, series: Series): string | null {
  const times = series.points.map(([at]) => at);
  const intervals = times.slice(1).map((at, k) => at - times[k]!);
  const usualInterval = intervals.toSorted((a, b) => a - b)[intervals.length >> 1] ?? minute;
  const at = intervals.findIndex((step) => step >= Math.max(minGap, 4 * usualInterval));
  if (at < 0 || times.length < minPoints) return null;
  const [from, to] = [times[at]!, times[at + 1]!];
  if (alert.at < from || alert.at > to + 5 * minute) return null;
  const ownTimes = facts.lines.flatMap(({ at: time, service }) =>
    time !== null && isAmong(names, service) ? [time] : [],
  );
  const linesInGap = ownTimes.filter((time) => time > from && time < to).length;
  const span = Math.max(...ownTimes) - Math.min(...ownTimes);
  const rate = ownTimes.length / Math.max(1, span);
  return linesInGap >= minLines && linesInGap >= 0.5 * rate * (to - from)
    ? `${series.name} was not measured from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}, while its lines went on`
    : null;
}

/** Finds a routine replacement of pods: as many are ready as before, and no series of latency or errors changed. */
function findRoutine({ facts, names, alert }: HarmContext, series: Series): string | null {
  if (!/restart|recreat|replac|evict|churn|reschedul|interrupt/i.test(`${series.name} ${alert.text}`))
    return null;
  const noticeable = facts.series.filter(
    (item) => item !== series && isMeasureOf(item, names) && isNoticeable(item.name),
  );
  const steadySeries = noticeable.filter(({ points }) => isSteady(points.map(([, value]) => value)));
  return noticeable.length >= 2 && steadySeries.length === noticeable.length
    ? `${series.name} rose, and ${noticeable
        .map(({ name }) => name)
        .slice(0, 3)
        .join(', ')} kept their course`
    : null;
}

/** Whether the values stayed at their level for at least nine tenths of the time. */
function isSteady(values: readonly number[]): boolean {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  const typical = values.map((value) => Math.abs(value - middle)).toSorted((a, b) => a - b);
  const spread = Math.max(typical[Math.floor(values.length * 0.75)] ?? 0, Math.abs(middle) * 0.05, 1e-9);
  const isFar = (value: number): boolean => Math.abs(value - middle) > 4 * spread;
  return (
    values.length >= minPoints && values.filter(isFar).length <= 0.1 * values.length && !isFar(values.at(-1)!)
  );
}

const formatNumber = (value: number): string => String(Math.round(value * 100) / 100);
