/** How a series changed since a moment, compared with the same hours on earlier days. Pure. */
import { findOnset, formatShortNumber } from '../../core/incidents.ts';
import { type IncidentWindow, plainLine, type Series } from '../../core/index.ts';

const day = 24 * 3_600_000;

/**
 * Milliseconds between the window and its baseline: whole days, at least the length of the window. So a morning is
 * compared with a morning.
 */
export const baselineShift = ({ from, to }: Pick<IncidentWindow, 'from' | 'to'>): number =>
  Math.max(1, Math.ceil((to - from) / day)) * day;

export type Course =
  | {
      readonly kind: 'moved';
      readonly direction: 'up' | 'down';
      readonly before: number;
      readonly after: number;
      /** Null if it differs for most of the window and its start is not known. */
      readonly since: number | null;
      /** When it returned to its earlier level; null if it did not. */
      readonly until: number | null;
    }
  | { readonly kind: 'steady' }
  | { readonly kind: 'appeared' | 'gone'; readonly at: number }
  /** Too few points to judge. */
  | { readonly kind: 'unknown' };

/** Changes of less than a tenth are ignored, even if measured reliably. */
const minChange = 0.1;
/** A change point with a lower confidence counts as noise. */
const minConfidence = 0.5;
/** A change for the whole window counts if the medians differ by at least this many spreads. */
const minSpreads = 1.5;
const minPoints = 6;

type SeriesPoint = Series['points'][number];

export function computeCourse({ points: all }: Pick<Series, 'points'>, window: IncidentWindow): Course {
  const { from, to } = window;
  const points = all.filter(([, value]) => Number.isFinite(value));
  const before = points.filter(([at]) => at < from);
  const after = points.filter(([at]) => at >= from && at < to);
  const gap = median(points.slice(1).map(([at], n) => at - points[n]![0]));
  const minQuietMs = Math.max(3 * gap, (to - from) / 8);
  const last = points.at(-1)?.[0];
  if (before.length >= minPoints && last !== undefined && last < to - minQuietMs)
    return { kind: 'gone', at: last };
  const first = points[0]?.[0];
  if (before.length === 0 && first !== undefined && after.length >= minPoints && first > from + minQuietMs)
    return { kind: 'appeared', at: first };
  if (before.length < minPoints || after.length < minPoints) return { kind: 'unknown' };

  const usual = createBaselineLookup(before, baselineShift(window), gap);
  const pairs = after.map(([at, value]) => ({ at, value, usual: usual(at) }));
  const differencePoints = pairs.map(({ at, value, usual: was }): SeriesPoint => [at, value - was]);
  const level = median(pairs.map(({ usual: was }) => was));
  const isRelevant = (was: number, is: number): boolean =>
    is !== was && Math.abs(is - was) >= minChange * Math.abs(was);

  const onset = findOnset(differencePoints);
  if (onset !== null && onset.confidence >= minConfidence && onset.shape !== 'spike') {
    const changed = pairs.filter(
      ({ at }) => at >= onset.at && (onset.endedAt === null || at < onset.endedAt),
    );
    const was = median(changed.map((pair) => pair.usual)) + onset.before;
    const is = median(changed.map(({ value }) => value));
    if (isRelevant(was, is))
      return {
        kind: 'moved',
        direction: is > was ? 'up' : 'down',
        ...{ before: was, after: is, since: onset.at, until: onset.endedAt },
      };
  }
  const differences = differencePoints.map(([, value]) => value);
  const shift = median(differences);
  const spread = 1.4826 * median(differences.map((value) => Math.abs(value - shift)));
  const is = level + shift;
  return isRelevant(level, is) && Math.abs(shift) >= minSpreads * spread
    ? {
        kind: 'moved',
        direction: shift > 0 ? 'up' : 'down',
        ...{ before: level, after: is, since: null, until: null },
      }
    : { kind: 'steady' };
}

/** Returns the value `shift` ms before a time; if there is no point nearby, the median before. */
function createBaselineLookup(
  before: readonly SeriesPoint[],
  shift: number,
  gap: number,
): (at: number) => number {
  const all = median(before.map(([, value]) => value));
  let next = 0;
  return (at) => {
    const wanted = at - shift;
    const distanceTo = (n: number): number => Math.abs((before[n]?.[0] ?? Number.POSITIVE_INFINITY) - wanted);
    while (next + 1 < before.length && distanceTo(next + 1) <= distanceTo(next)) next += 1;
    return distanceTo(next) <= 1.5 * gap ? before[next]![1] : all;
  };
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** A line about the course; null if nothing changed. */
export function formatCourse(series: Pick<Series, 'name' | 'labels'>, course: Course): string | null {
  const name = formatSeriesName(series);
  switch (course.kind) {
    case 'moved': {
      const { direction, before, after, since, until } = course;
      const when =
        since === null
          ? 'for most of the time'
          : until === null
            ? `since ${formatTime(since)}`
            : `from ${formatTime(since)} to ${formatTime(until)}, as before again`;
      return `${name}: ${direction} ${when}, from ${formatShortNumber(before)} to ${formatShortNumber(after)}`;
    }
    case 'appeared':
      return `${name}: there since ${formatTime(course.at)}, not before`;
    case 'gone':
      return `${name}: gone since ${formatTime(course.at)}`;
    default:
      return null;
  }
}

export function formatSeriesName({ name, labels }: Pick<Series, 'name' | 'labels'>): string {
  const labelTexts = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return plainLine(labelTexts.length === 0 ? name : `${name} {${labelTexts.join(', ')}}`);
}

/** The importance of a change to a reader: a larger number is more important. */
export function rateImportance(course: Course): number {
  if (course.kind !== 'moved') return course.kind === 'gone' ? 100 : course.kind === 'appeared' ? 1 : 0;
  const [low, high] = [Math.abs(course.before), Math.abs(course.after)].toSorted((a, b) => a - b);
  const factor = Math.min(1_000, high! / Math.max(low!, 1e-9));
  return course.until === null ? factor : factor / 2;
}
