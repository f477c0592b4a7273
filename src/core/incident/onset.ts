/**
 * Finds when a series changed: a two-sided CUSUM over deviations from the median of its calm part, in
 * units of its robust spread (after Page 1954). It finds steps, slow drifts and delayed onsets, and ignores a single
 * odd point.
 */

export interface Onset {
  /** Time of the first point of the change, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The direction of the change from `before` to `after`. */
  readonly direction: 'up' | 'down';
  /** `step`: the change came at once. `ramp`: it came gradually. `spike`: it was short, and is over. */
  readonly shape: 'step' | 'ramp' | 'spike';
  /** The median of the calm part. */
  readonly before: number;
  /** The median of the second half of the changed part. */
  readonly after: number;
  /** The value farthest from calm in the changed part, and its time. */
  readonly extreme: number;
  readonly extremeAt: number;
  /** The median deviation of the changed part, in units of the spread of the calm part. */
  readonly magnitude: number;
  /** When the series was calm again; null if it was not. */
  readonly endedAt: number | null;
  /** 0 to 1. Larger for a change that is far from calm, that lasts long, and that follows a long calm part. */
  readonly confidence: number;
}

export type SeriesPoint = readonly [at: number, value: number];

/**
 * In units of the spread: the noise that is allowed, the maximum that one point adds, and the level at which a change
 * is reported.
 */
const slack = 1;
const maxPerPoint = 6;
const alarm = 8;
/** Below this many spreads a point is calm; this many calm points in a row end a change. */
const calmBelow = 2;
const calmPoints = 3;
const minPoints = 6;

interface Episode {
  readonly start: number;
  /** The index after its last point. */
  readonly end: number;
  readonly sign: 1 | -1;
  readonly area: number;
}

/**
 * The largest change of a series sorted by time; null if it is calm or too short to judge. Its first third counts as
 * calm, so that all readers of a series find the same change. Values that are not numbers are skipped.
 */
export function findOnset(seriesPoints: readonly SeriesPoint[]): Onset | null {
  const points = seriesPoints.filter(([, value]) => Number.isFinite(value));
  if (points.length < minPoints) return null;
  const calm = measureCalm(points);
  const deviations = calm.deviations;
  const episodes = [...findEpisodes(deviations, 1), ...findEpisodes(deviations, -1)];
  const main = episodes.sort((a, b) => b.area - a.area)[0];
  return main === undefined ? null : describeOnset(points, deviations, calm, main);
}

/** A change so early in a series that its ordinary behaviour is not known. */
export interface EarlyJump {
  /** Time of the first point of the change, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** How long the series was measured before the change, in milliseconds. */
  readonly knownMs: number;
  /** The medians of the part before, and of the second half of the part after. */
  readonly before: number;
  readonly after: number;
}

/** A jump is this many times as large as any step before it, and as the usual step after it. */
const timesStep = 3;
/** The smallest jump, as a share of the larger of the two levels. */
const shareOfLevel = 0.1;

/**
 * The first jump within the part of a series that `findOnset` takes as calm, after which the series does not return;
 * null if there is none. Values that are not numbers are skipped.
 */
export function findEarlyJump(seriesPoints: readonly SeriesPoint[]): EarlyJump | null {
  const points = seriesPoints.filter(([, value]) => Number.isFinite(value));
  const values = points.map(([, value]) => value);
  const last = Math.min(values.length - 1, Math.max(minPoints - 1, Math.floor(values.length / 3)));
  let farthest = 0;
  for (let k = 1; k <= last; k++) {
    const step = Math.abs(values[k]! - values[k - 1]!);
    // A series that never moved, or has not left zero yet, has no steps to compare with.
    const isConstant = farthest === 0 && (k > 1 || values[0] === 0);
    if (
      step > 0 &&
      step >= timesStep * farthest &&
      (isConstant || step >= timesStep * usualStep(values, k))
    ) {
      const before = median(values.slice(0, k));
      const after = median(values.slice(k + Math.floor((values.length - k) / 2)));
      const isFar =
        Math.abs(after - before) >= shareOfLevel * Math.max(Math.abs(before), Math.abs(after), 1e-12);
      if (isFar && staysApart(values, k))
        return Object.freeze({ at: points[k]![0], knownMs: points[k]![0] - points[0]![0], before, after });
    }
    farthest = Math.max(farthest, step);
  }
  return null;
}

/** The median step after the jump to the point `k`. */
const usualStep = (values: readonly number[], k: number): number =>
  median(values.slice(k + 1).map((value, n) => Math.abs(value - values[k + n]!)));

/** Whether all points from `k` on are above all before it, or below. */
function staysApart(values: readonly number[], k: number): boolean {
  const [before, after] = [values.slice(0, k), values.slice(k)];
  const least = (all: readonly number[]): number => all.reduce((a, b) => Math.min(a, b));
  const greatest = (all: readonly number[]): number => all.reduce((a, b) => Math.max(a, b));
  return least(after) > greatest(before) || greatest(after) < least(before);
}

interface Calm {
  readonly level: number;
  readonly size: number;
  readonly deviations: readonly number[];
}

function measureCalm(points: readonly SeriesPoint[]): Calm {
  const size = Math.max(4, Math.floor(points.length / 3));
  const values = points.slice(0, size).map(([, value]) => value);
  const level = median(values);
  const slope = measureSlope(points.slice(0, size));
  const flatSpread = measureSpread(points, values, level);
  // A series that grows steadily during its calm part has not changed while the growth continues.
  const start = points[0]![0];
  const middle = median(points.slice(0, size).map(([at]) => at));
  const drift = Math.abs(slope * (points[size - 1]![0] - start));
  const line = ([at]: SeriesPoint): number => level + slope * (at - middle);
  const residuals = points.slice(0, size).map((point) => point[1] - line(point));
  const detrendedSpread = 1.4826 * median(residuals.map(Math.abs));
  const isSteady = drift > 2 * flatSpread && detrendedSpread < flatSpread / 2;
  const spread = isSteady ? Math.max(detrendedSpread, drift / 50, 1e-12) : flatSpread;
  return {
    level,
    size,
    deviations: points.map((point) => (point[1] - (isSteady ? line(point) : level)) / spread),
  };
}

/** The median deviation of the calm part, as a standard deviation; never zero, since it is a divisor. */
function measureSpread(points: readonly SeriesPoint[], calm: readonly number[], level: number): number {
  const spread = 1.4826 * median(calm.map((value) => Math.abs(value - level)));
  const floor = Math.abs(level) * 0.005;
  if (spread > floor) return spread;
  const moves = points.map(([, value]) => Math.abs(value - level)).filter((move) => move > 0);
  // Around zero, a single event is no change; around a constant level, any move is one.
  const events = level === 0 ? 3 : 6;
  return Math.max(spread, floor, moves.length === 0 ? 0 : Math.min(...moves) / events, 1e-12);
}

/** The median of the slopes between points that lie a third of the part apart: robust against single points. */
function measureSlope(points: readonly SeriesPoint[]): number {
  const gap = Math.max(1, Math.floor(points.length / 3));
  return median(
    points.slice(gap).map(([at, value], k) => {
      const [before, previous] = points[k]!;
      return at === before ? 0 : (value - previous) / (at - before);
    }),
  );
}

function* findEpisodes(deviations: readonly number[], sign: 1 | -1): Generator<Episode> {
  let sum = 0;
  let start = 0;
  for (let k = 0; k < deviations.length; k++) {
    if (sum === 0) start = k;
    sum = Math.max(0, sum + Math.min(sign * deviations[k]! - slack, maxPerPoint));
    // The last point can't be confirmed by a later one.
    const isFinalOutlier = k === deviations.length - 1 && sign * deviations[k]! > 2 * alarm;
    if (sum < alarm && !isFinalOutlier) continue;
    let end = k + 1;
    let calm = 0;
    while (end < deviations.length && calm < calmPoints) {
      calm = sign * deviations[end]! < calmBelow ? calm + 1 : 0;
      end++;
    }
    end -= calm;
    const from = findChangeStart(deviations, sign, start, k);
    const area = deviations.slice(from, end).reduce((all, one) => all + Math.min(sign * one, 50), 0);
    yield { start: from, end, sign, area };
    k = end;
    sum = 0;
  }
}

/** The sum may have been above zero by noise alone: the change begins after the last point within the noise. */
function findChangeStart(
  deviations: readonly number[],
  sign: number,
  start: number,
  alarmIndex: number,
): number {
  const noise = Math.min(calmBelow, (sign * deviations[alarmIndex]!) / 10);
  let from = alarmIndex;
  while (from > start && sign * deviations[from - 1]! >= Math.max(slack, noise)) from--;
  return from;
}

function describeOnset(
  points: readonly SeriesPoint[],
  deviations: readonly number[],
  calm: Calm,
  { start, end, sign }: Episode,
): Onset {
  const changed = points.slice(start, end);
  const sizes = deviations.slice(start, end).map((one) => sign * one);
  const later = median(sizes.slice(Math.floor(sizes.length / 2)));
  const first = median(sizes.slice(0, Math.min(2, sizes.length)));
  const hasEnded = end < points.length;
  const isBrief = hasEnded && changed.length <= Math.max(3, points.length / 20);
  const shape = isBrief ? 'spike' : first >= 0.6 * later ? 'step' : 'ramp';
  const before = calm.level;
  const after = median(changed.slice(Math.floor(changed.length / 2)).map(([, value]) => value));
  // A value whose growth slows down is below its line but still rises: the values give the direction.
  const directionSign = Math.sign(after - before) || sign;
  const farthest = changed.reduce((max, seriesPoint) =>
    directionSign * (seriesPoint[1] - max[1]) > 0 ? seriesPoint : max,
  );
  // Near its trend line again, the series is calm only if its value returned, not if it went on growing.
  const isBack =
    hasEnded && directionSign * (points[end]![1] - before) <= (directionSign * (after - before)) / 2;
  const magnitude = median(sizes);
  const confidence =
    (1 - Math.exp(-magnitude / 3)) *
    (1 - Math.exp(-changed.length / 2)) *
    Math.min(1, Math.min(start, calm.size) / 6);
  return Object.freeze({
    at:
      shape === 'ramp'
        ? findRampStart(points, deviations, calm.level, { start, end, sign }, later)
        : points[start]![0],
    direction: directionSign === 1 ? 'up' : 'down',
    shape,
    before,
    after,
    extreme: farthest[1],
    extremeAt: farthest[0],
    magnitude,
    endedAt: isBack ? points[end]![0] : null,
    confidence: Math.round(confidence * 100) / 100,
  });
}

/**
 * Shares of the later deviation. A smaller deviation before the change is only drift, and not part of the change.
 */
const shareOfRise = 0.05;
const shareOfLean = 0.01;

/**
 * A slow rise exceeds the noise some time after it began. Its beginning is where the line through its first part meets
 * the usual level. A small drift before a sharp rise does not belong to it.
 */
function findRampStart(
  points: readonly SeriesPoint[],
  deviations: readonly number[],
  level: number,
  { start, end, sign }: Pick<Episode, 'start' | 'end' | 'sign'>,
  later: number,
): number {
  let rise = start;
  while (rise < end - 1 && sign * deviations[rise]! < shareOfRise * later) rise++;
  const part = points.slice(rise, Math.min(end, rise + Math.max(6, Math.floor((end - rise) / 3))));
  const at = points[rise]![0];
  const meanAt = part.reduce((sum, [time]) => sum + time - at, 0) / part.length;
  const mean = part.reduce((sum, [, value]) => sum + value, 0) / part.length;
  const timeVariance = part.reduce((sum, [time]) => sum + (time - at - meanAt) ** 2, 0);
  const slope =
    part.reduce((sum, [time, value]) => sum + (time - at - meanAt) * (value - mean), 0) / timeVariance;
  const crossing = at + meanAt + (level - mean) / slope;
  // Only points that already deviate in the same direction are used.
  const minLean = Math.max(0.5, shareOfLean * later);
  let from = rise;
  while (from > 0 && points[from - 1]![0] >= crossing && sign * deviations[from - 1]! > minLean) from--;
  return points[from]![0];
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** A value of a series as printed everywhere: unchanged if short, else with six digits. */
export function formatShortNumber(value: number): string {
  const plain = String(value);
  return plain.length <= 10 ? plain : String(Number(value.toPrecision(6)));
}
