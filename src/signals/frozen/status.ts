/** Files of no known kind (status pages, incidents of others) as rows, as they were known at a time. */
import { parseTime } from '../logs/timestamp.ts';
import { isItem, type JsonObject, timeNames, timeOf } from './values.ts';

export function statusRows(path: string, value: unknown, to: number): readonly JsonObject[] {
  const known = until(value, to);
  const rows = Array.isArray(known) ? known : isItem(known) ? flat(known) : [];
  return rows.filter(isItem).map((row) => ({ file: path, ...row }));
}

/** Without anything dated later: what was not known yet is left out. */
function until(value: unknown, to: number): unknown {
  if (Array.isArray(value))
    return value
      .filter((one) => !isItem(one) || (timeOf(one) ?? Number.NEGATIVE_INFINITY) < to)
      .map((one) => until(one, to));
  if (!isItem(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, until(held, to)]));
}

/** An object that holds lists, as one row for each of their items, each with the plain fields of the object. */
function flat(value: JsonObject): readonly JsonObject[] {
  const plain = Object.entries(value).filter(([, held]) => typeof held !== 'object');
  const lists = Object.entries(value).filter(([, held]) => Array.isArray(held)) as [string, unknown[]][];
  // Time series are among the metrics instead.
  const isPoint = (item: JsonObject): boolean => timeOf(item) !== null && typeof item['value'] === 'number';
  const rows = lists.flatMap(([name, list]) =>
    list.every((item) => isItem(item) && isPoint(item))
      ? []
      : list.filter(isItem).map((item) => ({ ...Object.fromEntries(plain), of: name, ...item })),
  );
  return rows.length > 0 ? rows : [value];
}

const when = new Set([
  ...timeNames,
  'start_time',
  'end_time',
  'first_time',
  'last_time',
  'firstTimestamp',
  'lastTimestamp',
]);

/** All times anywhere in a value. */
export function timesIn(value: unknown, depth = 0): readonly number[] {
  if (depth > 6 || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) => {
    if (typeof held === 'object') return timesIn(held, depth + 1);
    const at = when.has(name) ? parseTime(held) : null;
    return at === null ? [] : [at];
  });
}
