/** Series for a reader: those that changed first, each with its onset and a few of its values. */
import { findOnset, formatShortNumber } from '../core/incidents.ts';
import { type Onset, plainLine, type Series } from '../core/index.ts';

/** If one reply has more points than this, its order is not changed. */
const maxPoints = 400_000;
/** Values shown of each series. */
const shownValues = 14;

/** Those that changed first come first, among them strong changes before weak ones; unchanged series last. */
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
  const course =
    onset === null
      ? `no change found; ${formatShortNumber(Math.min(...values))} to ${formatShortNumber(Math.max(...values))}`
      : onsetText(onset);
  return [
    `${plainLine(series.name)}${labels === '' ? '' : `{${plainLine(labels)}}`}: ${course}; ${series.points.length} points`,
    `  ${someOf(series, onset)
      .map(([at, value]) => `${clock(at)} ${formatShortNumber(value)}`)
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

/** First, last, and evenly between; all of the points around the onset. */
function someOf(series: Series, onset: Onset | null): Series['points'] {
  const { points } = series;
  const step = Math.max(1, Math.ceil(points.length / shownValues));
  const turn = onset === null ? -1 : points.findIndex(([at]) => at >= onset.at);
  return points.filter(
    (_, k) => k % step === 0 || k === points.length - 1 || (turn >= 0 && Math.abs(k - turn) <= 1),
  );
}

/** UTC, to the second. */
export function time(at: number): string {
  const iso = Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : 'no time';
  return iso.replace(/\.000Z$/, 'Z');
}

/** In the format that systems accept. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

function clock(at: number): string {
  return time(at).slice(11, 19);
}
