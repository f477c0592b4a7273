/** Parses the arguments of a call as a model wrote them. */
import { jsonrepair } from 'jsonrepair';
import type { Call } from './dialogue.ts';

export type Arguments = Pick<Call, 'input' | 'fit'>;

/** Longer texts are not repaired, only parsed. Characters. */
const maxRepairLength = 1_000_000;
/** Deeper than any arguments, and shallow enough for every recursive reader after this one. */
const maxDepth = 100;

/** Never throws, and always returns an object. An empty text is an object without fields. */
export function readArguments(text: string): Arguments {
  const trimmed = text.trim();
  if (trimmed === '') return { input: {}, fit: 'read' };
  const parsed = parseObject(trimmed, (json) => JSON.parse(json));
  if (parsed !== undefined) return { input: parsed, fit: 'read' };
  // Repairing prose gives a string or a list of words, so only texts that begin like an object, a list or a string are
  // repaired.
  const repaired =
    trimmed.length <= maxRepairLength && /^["{[]/.test(trimmed)
      ? parseObject(trimmed, (json) => JSON.parse(jsonrepair(json)))
      : undefined;
  if (repaired !== undefined) return { input: repaired, fit: 'repaired' };
  return { input: { unreadable_arguments: text }, fit: 'unreadable' };
}

function parseObject(text: string, parse: (text: string) => unknown): Arguments['input'] | undefined {
  try {
    let value = parse(text);
    // The arguments may be encoded twice: as JSON in a string.
    if (typeof value === 'string') value = parse(value);
    // The object may be alone in a list.
    if (Array.isArray(value) && value.length === 1) value = value[0];
    return isFields(value) && !isDeep(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Arguments['input'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
