/** Clips rows to a window, caps them, and counts them. */
import { isSameCommit, listRows } from '../core/incidents.ts';
import type { Change, Series, SignalRows } from '../core/index.ts';

/** Fewer points than this are too few to show a trend. */
const minPoints = 12;

/**
 * Keeps rows from `from` to before `to`. Also keeps lines and states without a time, and older commits that a deployment
 * in that time includes.
 */
export function clipRows(rows: SignalRows, from: number, to: number): SignalRows {
  const isInside = (at: number | null): boolean => at === null || (at >= from && at < to);
  switch (rows.kind) {
    case 'series':
      return {
        kind: 'series',
        series: rows.series
          .map((series) => ({ ...series, points: series.points.filter(([at]) => isInside(at)) }))
          .filter(({ points }) => points.length > 0),
      };
    case 'lines':
      return { kind: 'lines', lines: rows.lines.filter(({ at }) => isInside(at)) };
    case 'patterns':
      return {
        ...rows,
        patterns: rows.patterns.filter(
          ({ first, last }) => (first === null || first < to) && (last === null || last >= from),
        ),
      };
    case 'changes':
      return { kind: 'changes', changes: clipChanges(rows.changes, from, to) };
    case 'spans':
      return { kind: 'spans', spans: rows.spans.filter(({ at }) => isInside(at)) };
    case 'alerts':
      return { kind: 'alerts', alerts: rows.alerts.filter(({ since }) => since === null || since < to) };
    case 'table':
      return rows;
  }
}

function clipChanges(changes: readonly Change[], from: number, to: number): readonly Change[] {
  const isInside = ({ at }: Change): boolean => at >= from && at < to;
  const deployedCommits = changes
    .filter((change) => change.kind !== 'commit' && isInside(change))
    .flatMap(({ commits }) => commits);
  return changes.filter(
    (change) =>
      isInside(change) ||
      (change.kind === 'commit' &&
        change.at < to &&
        deployedCommits.some((id) => isSameCommit(id, change.id))),
  );
}

/** Counts points if the rows are series, and otherwise rows. */
export function countRows(rows: SignalRows): number {
  return rows.kind === 'series'
    ? rows.series.reduce((sum, { points }) => sum + points.length, 0)
    : listRows(rows).length;
}

export interface CappedRows {
  readonly rows: SignalRows;
  readonly isCut: boolean;
  readonly notes: readonly string[];
}

/** Keeps the first `max` rows. Series are thinned so that each keeps its extremes. */
export function capRows(rows: SignalRows, max: number): CappedRows {
  const count = countRows(rows);
  if (count <= max) return { rows, isCut: false, notes: [] };
  const notes = [`Shown are ${max} of ${count}.`];
  switch (rows.kind) {
    case 'series': {
      const series = rows.series.slice(0, Math.max(1, Math.floor(max / minPoints)));
      const each = Math.max(1, Math.floor(max / series.length));
      return {
        rows: { kind: 'series', series: series.map((one) => thinSeries(one, each)) },
        isCut: true,
        notes: [
          `Series are thinned to at most ${each} points each: of each interval the point farthest from the median.`,
          ...(series.length < rows.series.length
            ? [`Shown are ${series.length} of ${rows.series.length} series.`]
            : []),
        ],
      };
    }
    case 'lines':
      return { rows: { kind: 'lines', lines: rows.lines.slice(0, max) }, isCut: true, notes };
    case 'patterns':
      return { rows: { ...rows, patterns: rows.patterns.slice(0, max) }, isCut: true, notes };
    case 'changes':
      return { rows: { kind: 'changes', changes: rows.changes.slice(0, max) }, isCut: true, notes };
    case 'spans':
      return { rows: { kind: 'spans', spans: rows.spans.slice(0, max) }, isCut: true, notes };
    case 'alerts':
      return { rows: { kind: 'alerts', alerts: rows.alerts.slice(0, max) }, isCut: true, notes };
    case 'table':
      return { rows: { kind: 'table', rows: rows.rows.slice(0, max) }, isCut: true, notes };
  }
}

function thinSeries(series: Series, max: number): Series {
  if (series.points.length <= max) return series;
  const sorted = series.points.map(([, value]) => value).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  const points = Array.from({ length: max }, (_, k) => {
    const start = Math.floor((k * series.points.length) / max);
    const end = Math.max(start + 1, Math.floor(((k + 1) * series.points.length) / max));
    return series.points
      .slice(start, end)
      .reduce((far, point) => (Math.abs(point[1] - median) > Math.abs(far[1] - median) ? point : far));
  });
  return { ...series, points };
}
