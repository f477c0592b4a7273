/**
 * Converts files of no known kind (status pages, incidents of others) to rows, without what was dated later than a
 * given time.
 */
import { parseTime } from '../logs/timestamp.ts';
import { isItem, type JsonObject, timeNames, timeOf } from './values.ts';

/** The rows of a file: only what was known before `to` (milliseconds since the Unix epoch). */
export function statusRows(path: string, value: unknown, to: number): readonly JsonObject[] {
  const knownValue = withoutLater(value, to);
  const rows = Array.isArray(knownValue) ? knownValue : isItem(knownValue) ? listRows(knownValue) : [];
  return rows.filter(isItem).map((row) => ({ file: path, ...row }));
}

/** The value without items that are dated at `to` or later. */
function withoutLater(value: unknown, to: number): unknown {
  if (Array.isArray(value))
    return value
      .filter((one) => !isItem(one) || (timeOf(one) ?? Number.NEGATIVE_INFINITY) < to)
      .map((one) => withoutLater(one, to));
  if (!isItem(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, fieldValue]) => [name, withoutLater(fieldValue, to)]),
  );
}

/** Makes a row of each item in an object's lists, with the plain fields of the object added. */
function listRows(value: JsonObject): readonly JsonObject[] {
  const plainFields = Object.entries(value).filter(([, fieldValue]) => typeof fieldValue !== 'object');
  const lists = Object.entries(value).filter(([, fieldValue]) => Array.isArray(fieldValue)) as [
    string,
    unknown[],
  ][];
  // Time series are left out, since they are shown as metrics.
  const isPoint = (item: JsonObject): boolean => timeOf(item) !== null && typeof item['value'] === 'number';
  const rows = lists.flatMap(([name, list]) =>
    list.every((item) => isItem(item) && isPoint(item))
      ? []
      : list.filter(isItem).map((item) => ({ ...Object.fromEntries(plainFields), of: name, ...item })),
  );
  return rows.length > 0 ? rows : [value];
}

const timeFieldNames = new Set([
  ...timeNames,
  'start_time',
  'end_time',
  'first_time',
  'last_time',
  'firstTimestamp',
  'lastTimestamp',
]);

/** All times in the fields of a value, at any depth up to 6. */
export function timesIn(value: unknown, depth = 0): readonly number[] {
  if (depth > 6 || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, fieldValue]) => {
    if (typeof fieldValue === 'object') return timesIn(fieldValue, depth + 1);
    const at = timeFieldNames.has(name) ? parseTime(fieldValue) : null;
    return at === null ? [] : [at];
  });
}
