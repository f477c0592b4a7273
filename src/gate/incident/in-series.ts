/** Decides whether a series shows a claim about its direction, its start and end values, its times, or a value. */
import type { IncidentFields } from '../../core/index.ts';
import type { SeriesRecord } from './records.ts';
import { against, type Finding, lacks, shown } from './records.ts';
import { containsName, findUnitOfMetric, isSameTime, isSameValue, normalizeText } from './same.ts';

const directions = { rose: 'up', fell: 'down' } as const;

export function compareSeries(fields: IncidentFields, record: SeriesRecord): Finding {
  const { verb, actor, object, series = '' } = fields;
  const { metric, labels, direction } = record;
  if (!isNamed(series, record)) return lacks(`no series ${series} is among what it names`);
  const foreign = [actor, object].find(
    (one) => one !== undefined && !containsName(`${labels} ${metric}`, one),
  );
  if (foreign !== undefined) return lacks(`no ${metric} of ${foreign} is among what it names`);
  if (verb === 'was') return checkValueAtTime(fields, record);
  if (verb === 'stayed') {
    if (direction !== null) return against(`${metric} went ${direction}${formatSince(record)}`);
    return checkRange(fields, record);
  }
  const way = directions[verb as keyof typeof directions];
  // A change that ended went up and down.
  if (direction !== way && !record.isOver)
    return against(
      direction === null
        ? `${metric} did not change`
        : `${metric} went ${direction}${formatSince(record)}, not ${way}`,
    );
  return checkValues(fields, record, way) ?? checkTime(fields, record) ?? shown;
}

/**
 * Whether the claim names this series: by its metric, alone or with labels as the document writes them, such as
 * `depth{queue="mail"}`.
 */
function isNamed(series: string, { metric, labels }: SeriesRecord): boolean {
  const wanted = normalizeText(series);
  if (normalizeText(metric) === wanted) return true;
  const [, name, inner = ''] = /^(.*?)\{(.*)\}$/.exec(wanted) ?? [];
  const [, ownName, ownInner = ''] = /^(.*?)\{(.*)\}$/.exec(normalizeText(metric)) ?? [];
  if (name === undefined || name !== (ownName ?? normalizeText(metric))) return false;
  const held = new Set([...parseLabels(ownInner), ...parseLabels(labels)]);
  const pairs = parseLabels(inner);
  return pairs.length > 0 && pairs.every((pair) => held.has(pair));
}

/** `key="value"` and `key=value` as one form. A value with a comma must be quoted. */
const parseLabels = (labels: string): readonly string[] =>
  [...labels.matchAll(/([\w.:-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^,{}"]*))/g)].map(
    ([, key, quoted, bare = '']) => `${normalizeText(key!)}=${normalizeText(quoted ?? bare)}`,
  );

const formatSince = ({ onsets: [onset] }: SeriesRecord): string =>
  onset === undefined ? '' : ` since ${onset}`;

/**
 * Checks the claimed values of a change. A pair must be a calculated one, or two points in order. A single value must
 * be the value at the end, or the value before.
 */
function checkValues({ from, to }: IncidentFields, record: SeriesRecord, way: 'up' | 'down'): Finding | null {
  const { metric, direction, isOver } = record;
  const unit = findUnitOfMetric(metric);
  const isReversed = isOver && direction !== way;
  const moves = isReversed ? record.moves.map(([a, b]) => [b, a] as const) : record.moves;
  const pairs = [...moves, ...listPointPairs(record, way)];
  const fits = (a: number, b: number): boolean =>
    (from === undefined || isSameValue(from, a, unit)) && (to === undefined || isSameValue(to, b, unit));
  if ((from === undefined && to === undefined) || pairs.some(([a, b]) => fits(a, b))) return null;
  const [first] = record.moves;
  return against(
    `${metric} did not go${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` to ${to}`}${first === undefined ? '' : `: it went from ${first[0]} to ${first[1]}`}`,
  );
}

function listPointPairs(
  { points }: SeriesRecord,
  way: 'up' | 'down',
): readonly (readonly [number, number])[] {
  return points.flatMap(([, a], n) =>
    points
      .slice(n + 1)
      .filter(([, b]) => (way === 'up' ? b > a : b < a))
      .map(([, b]) => [a, b] as const),
  );
}

/** Checks the claimed time: it must be the beginning of the change, or also its turning point if the change is over. */
function checkTime(
  { time }: IncidentFields,
  { metric, onsets, turns, isOver }: SeriesRecord,
): Finding | null {
  if (time === undefined) return null;
  const marks = isOver ? [...onsets, ...turns] : onsets;
  return marks.some((mark) => isSameTime(time, mark))
    ? null
    : against(
        `${metric} did not turn at ${time}${onsets.length === 0 ? '' : `: it began at ${onsets.join(' or ')}`}`,
      );
}

function checkValueAtTime(
  { to, from, time }: IncidentFields,
  { metric, points, moves }: SeriesRecord,
): Finding {
  const value = to ?? from;
  if (value === undefined) return lacks(`it does not say what ${metric} was`);
  const unit = findUnitOfMetric(metric);
  if (time === undefined) {
    const all = [...points.map(([, one]) => one), ...moves.flat()];
    return all.some((one) => isSameValue(value, one, unit)) ? shown : lacks(`${metric} is nowhere ${value}`);
  }
  const there = points.filter(([at]) => isSameTime(time, at));
  if (there.some(([, one]) => isSameValue(value, one, unit))) return shown;
  return there.length === 0
    ? lacks(`no point of ${metric} at ${time} is shown`)
    : against(`${metric} was ${there[0]![1]} at ${time}`);
}

/** Checks the claimed range of a series that stayed the same. */
function checkRange({ from, to }: IncidentFields, { metric, points, moves }: SeriesRecord): Finding {
  const unit = findUnitOfMetric(metric);
  const all = [...points.map(([, one]) => one), ...moves.flat()];
  const gone = [from, to].find(
    (value) => value !== undefined && !all.some((one) => isSameValue(value, one, unit)),
  );
  return gone === undefined ? shown : lacks(`${metric} is nowhere ${gone}`);
}
