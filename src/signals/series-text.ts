/** Series as text: in the order in which they changed, each with its onset and some values. */
import { findOnset, formatShortNumber } from '../core/incidents.ts';
import { type Onset, plainLine, type Series } from '../core/index.ts';

/** Replies with more points than this are not sorted. */
const maxPoints = 400_000;
/** Values shown of each series. */
const shownValues = 14;

/** Sorts by the time of the change, then by its strength, strongest first; unchanged series last. */
export function orderSeries(series: readonly Series[]): readonly Series[] {
  if (series.reduce((sum, { points }) => sum + points.length, 0) > maxPoints) return series;
  const onsets = new Map(series.map((series) => [series, findOnset(series.points)]));
  const rank = (series: Series): number => onsets.get(series)?.at ?? Number.POSITIVE_INFINITY;
  const strength = (series: Series): number => onsets.get(series)?.magnitude ?? 0;
  return series.toSorted((a, b) => (rank(a) === rank(b) ? strength(b) - strength(a) : rank(a) - rank(b)));
}

export function seriesLines(series: Series): readonly string[] {
  const labels = Object.entries(series.labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
  const onset = findOnset(series.points);
  const values = series.points.map(([, value]) => value);
  const courseText =
    onset === null
      ? `no change found; ${formatShortNumber(Math.min(...values))} to ${formatShortNumber(Math.max(...values))}`
      : onsetText(onset);
  return [
    `${plainLine(series.name)}${labels === '' ? '' : `{${plainLine(labels)}}`}: ${courseText}; ${series.points.length} points`,
    `  ${samplePoints(series, onset)
      .map(([at, value]) => `${timeOfDay(at)} ${formatShortNumber(value)}`)
      .join(' | ')}`,
  ];
}

export function onsetText(onset: Onset): string {
  const end = onset.endedAt === null ? '' : `, calm again ${time(onset.endedAt)}`;
  return (
    `${onset.direction} since ${time(onset.at)} (${onset.shape}), ${formatShortNumber(onset.before)} -> ${formatShortNumber(onset.after)}, ` +
    `farthest ${formatShortNumber(onset.extreme)} at ${time(onset.extremeAt)}${end}, confidence ${onset.confidence}`
  );
}

/** The first point, the last, some evenly between, and the three around the onset. */
function samplePoints(series: Series, onset: Onset | null): Series['points'] {
  const { points } = series;
  const step = Math.max(1, Math.ceil(points.length / shownValues));
  const onsetIndex = onset === null ? -1 : points.findIndex(([at]) => at >= onset.at);
  return points.filter(
    (_, k) => k % step === 0 || k === points.length - 1 || (onsetIndex >= 0 && Math.abs(k - onsetIndex) <= 1),
  );
}

/** UTC, to the second. */
export function time(at: number): string {
  const isoTime = Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : 'no time';
  return isoTime.replace(/\.000Z$/, 'Z');
}

/** In UTC, in the format that systems accept. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function timeOfDay(at: number): string {
  return time(at).slice(11, 19);
}
