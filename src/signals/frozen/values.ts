/**
 * Reads fields of files without a documented layout: each function takes several names, and uses the first that exists.
 */
import { parseTime } from '../logs/timestamp.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const timeNames = [
  'timestamp',
  'time',
  'ts',
  'at',
  'date',
  'start',
  'started_at',
  'deployed_at',
  'created_at',
  'committed_at',
  'authored_at',
  'changed_at',
  'fired_at',
  '@timestamp',
];

export function isItem(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(item: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const fieldValue = item[name];
    if (typeof fieldValue === 'string' && fieldValue !== '') return fieldValue;
    if (typeof fieldValue === 'number') return String(fieldValue);
    // `author: {name, email}`, `service: {name}`
    if (isItem(fieldValue) && typeof fieldValue['name'] === 'string') return fieldValue['name'];
  }
  return null;
}

export function numberOf(item: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const fieldValue = item[name];
    const value =
      typeof fieldValue === 'string' && fieldValue.trim() !== '' ? Number(fieldValue) : fieldValue;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return null;
}

export function timeOf(item: JsonObject, names: readonly string[] = timeNames): number | null {
  for (const name of names) {
    const at = parseTime(item[name]);
    if (at !== null) return at;
  }
  return null;
}

export function textsOf(item: JsonObject, names: readonly string[]): readonly string[] {
  for (const name of names) {
    const fieldValue = item[name];
    if (typeof fieldValue === 'string') return [fieldValue];
    if (!Array.isArray(fieldValue)) continue;
    return fieldValue.flatMap((one) => {
      if (typeof one === 'string') return [one];
      const inner = isItem(one)
        ? textOf(one, ['path', 'filename', 'file', 'sha', 'id', 'name', 'new_path'])
        : null;
      return inner === null ? [] : [inner];
    });
  }
  return [];
}

/** The objects of a JSON text: an array, the first array in an object, lines of objects, or the object itself. */
export function itemsOf(text: string): readonly JsonObject[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.split('\n').flatMap((line) => {
      try {
        const one: unknown = JSON.parse(line);
        return isItem(one) ? [one] : [];
      } catch {
        return [];
      }
    });
  }
  if (Array.isArray(value)) return value.filter(isItem);
  if (!isItem(value)) return [];
  const lists = Object.values(value).filter(
    (one): one is unknown[] => Array.isArray(one) && one.some(isItem),
  );
  return lists[0] === undefined ? [value] : lists[0].filter(isItem);
}
