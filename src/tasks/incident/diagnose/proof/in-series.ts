/** Whether one series shows a clause: its way, what it went from and to, its value at a time. */
import type { Atoms } from './atoms.ts';
import { isSameTime } from './order.ts';
import { isSame, type Quantity, quantitiesIn } from './quantities.ts';
import type { SeriesRecord } from './series-record.ts';
import { type Missing, missing, type Shown } from './shown.ts';
import { isOfOnset, wayOf } from './vocabulary.ts';

const fromTo = /\bfrom\b(.{1,60}?)\bto\b(.*)$/i;
const range = /\bbetween\b(.{1,40}?)\band\b(.*)$/i;
const since = /\b(?:since|from|start\w*|beg[aiu]n\w*)\s+(?:at\s+|around\s+|about\s+)?\d{1,4}[:-]/i;
const comeBack = /\b(?:back|again|recover\w*|normal)\b/i;

export function inSeries(atoms: Atoms, series: SeriesRecord): Shown | Missing {
  const { metric, direction, onset } = series;
  const way = wayOf(atoms.spoken);
  if (way === 'still' && direction !== null) return missing(3, `${metric} went ${direction} since ${onset}`);
  if (
    (way === 'up' || way === 'down') &&
    direction !== way &&
    !(series.isOver && comeBack.test(atoms.spoken))
  )
    return missing(
      3,
      direction === null ? `${metric} did not change` : `${metric} went ${direction}, not ${way}`,
    );
  const unit = unitOfMetric(metric);
  const same = (quantity: Quantity, value: number): boolean =>
    isSame(quantity, plain(value), unit.unit, unit.scale);
  const parts = metric.split(/[^\dA-Za-z]+/);
  // `got a 403` of http_403_ratio names the metric.
  const spoken = atoms.quantities.filter(
    (quantity) => !isLabel(quantity, atoms.bare) && !parts.includes(quantity.text),
  );
  const pair = pairIn(fromTo, atoms.bare);
  if (pair !== null) {
    const [from, to] = pair;
    const moved = [...series.moves, ...pointPairs(series, way)].some(
      ([a, b]) => same(from, a) && same(to, b),
    );
    if (!moved) return missing(5, `${metric} did not go from ${from.text} to ${to.text}`);
  }
  const between = pairIn(range, atoms.bare);
  const values = series.quantities.map(({ value }) => value);
  const unfound = spoken.find((quantity) => !values.some((value) => same(quantity, value)));
  if (unfound !== undefined) return missing(4, `${metric} is nowhere ${unfound.text}`);
  if (pair === null && between === null) {
    const after = way === 'up' || way === 'down' ? endValues(series) : null;
    const wrong =
      after === null ? undefined : spoken.find((quantity) => !after.some((value) => same(quantity, value)));
    if (wrong !== undefined) return missing(5, `${metric} did not go to ${wrong.text}`);
  }
  return atTimes(atoms, series, spoken, same, pair !== null || way !== null || isOfOnset(atoms.spoken));
}

/** The time of it: the one that is claimed, or its onset. */
function atTimes(
  { times, spoken: said }: Atoms,
  series: SeriesRecord,
  spoken: readonly Quantity[],
  same: (quantity: Quantity, value: number) => boolean,
  moved: boolean,
): Shown | Missing {
  const { metric, onset, onsets, turns, points } = series;
  if (times.length === 0) return { record: series, time: onset };
  if (moved || spoken.length === 0) {
    // `since` and `from` tell of the onset, and of no other turn.
    const marks = since.test(said) || isOfOnset(said) ? onsets : [...onsets, ...turns];
    const wrong = times.find((time) => !marks.some((mark) => isSameTime(time, mark)));
    if (wrong !== undefined && (moved || !points.some(([clock]) => isSameTime(wrong, clock))))
      return missing(
        5,
        `nothing turned at ${wrong} in ${metric}${onset === null ? '' : `, its onset is ${onset}`}`,
      );
    return { record: series, time: marks.find((mark) => isSameTime(times[0]!, mark)) ?? times[0]! };
  }
  for (const [n, quantity] of spoken.entries()) {
    const time = times[Math.min(n, times.length - 1)]!;
    const there = points.filter(([clock]) => isSameTime(time, clock));
    if (!there.some(([, value]) => same(quantity, value)))
      return missing(
        5,
        there.length === 0
          ? `no point of ${metric} at ${time} is shown`
          : `${metric} was ${there[0]![1]} at ${time}, not ${quantity.text}`,
      );
  }
  return { record: series, time: times[0]! };
}

/** What it can have gone to: where it came, its farthest, and what it was behind the onset. */
function endValues({ moves, points, onset, isOver }: SeriesRecord): readonly number[] {
  const since = onset === null ? '' : onset.slice(11, 19);
  return [
    ...moves.map(([, to]) => to),
    ...points.filter(([clock]) => clock >= since).map(([, value]) => value),
    ...(isOver ? moves.map(([from]) => from) : []),
  ];
}

/** A value, and a later one that lies the way that is claimed. */
function pointPairs({ points }: SeriesRecord, way: string | null): readonly (readonly [number, number])[] {
  return points.flatMap(([, a], n) =>
    points
      .slice(n + 1)
      .filter(([, b]) => (way === 'up' ? b > a : way === 'down' ? b < a : true))
      .map(([, b]) => [a, b] as const),
  );
}

function pairIn(shape: RegExp, text: string): readonly [Quantity, Quantity] | null {
  const [, a = '', b = ''] = shape.exec(text) ?? [];
  const [from] = quantitiesIn(a);
  const [to] = quantitiesIn(b);
  return from === undefined || to === undefined ? null : [hedged(from, a), to];
}

const hedged = (quantity: Quantity, text: string): Quantity => ({
  ...quantity,
  loose: quantity.loose || /\b(?:about|around|roughly|nearly|almost|~)/i.test(text),
});

/** `p99`, `5xx` and the like are read as words; what is left are numbers. */
const isLabel = (quantity: Quantity, text: string): boolean =>
  /^(?:\s*(?:th percentile|xx))/.test(text.slice(quantity.end));

const plain = (value: number): Quantity => quantitiesIn(String(value))[0] ?? { ...nothing, value };
const nothing: Quantity = { text: '', value: 0, unit: null, place: 1, at: 0, end: 0, loose: false };

function unitOfMetric(metric: string): { readonly unit: Quantity['unit']; readonly scale: number } {
  const name = metric.toLowerCase();
  if (/_(ms|millis|milliseconds)(_|$)/.test(name)) return { unit: 'time', scale: 1 };
  if (/_(s|secs|seconds)$/.test(name) && !/per_second/.test(name)) return { unit: 'time', scale: 1_000 };
  if (/_(pct|percent|percentage)(_|$)/.test(name)) return { unit: '%', scale: 1 };
  if (/_(mb|mib)(_|$)/.test(name)) return { unit: 'size', scale: 1024 ** 2 };
  if (/_(bytes)(_|$)/.test(name) && !/per_second/.test(name)) return { unit: 'size', scale: 1 };
  return { unit: null, scale: 1 };
}
