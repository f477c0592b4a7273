/**
 * Detects whether a value was changed in place. Graphs pass the same objects to every step and rarely change them,
 * but a node can. Comparing an object's contents by identity costs far less than serialising it again.
 */

/**
 * The contents of values, one after another: keys and primitive values, with nested ones after a mark; for a list its
 * length and its elements. One array holds many values, since arrays of their own would be scattered in memory.
 */
export type Traces = unknown[];

/** Deeper values are serialised every time. */
const maxDepth = 40;
const openMark = Symbol('opened');
const closeMark = Symbol('closed');
/** Marks a value whose contents can't be compared. */
export const unknownMark = Symbol('untold');

/** Records the contents of a value. */
export function addTraces(value: object, traces: Traces): void {
  const from = traces.length;
  if (addTrace(value, traces, 0)) return;
  traces.length = from;
  traces.push(unknownMark);
}

/** The position of the next value's traces; -1 if this value changed or can't be compared. */
export function skipUnchanged(value: object, traces: Traces, from: number): number {
  return Array.isArray(value) ? compareList(value, traces, from) : compareObject(value, traces, from);
}

/** Plain objects, lists, and instances whose state is in their own fields, such as messages. */
function isComparable(value: object): boolean {
  return !(
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Date ||
    value instanceof Error ||
    value instanceof RegExp ||
    value instanceof Promise ||
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer
  );
}

function addTrace(value: object, traces: Traces, depth: number): boolean {
  if (depth > maxDepth || !isComparable(value)) return false;
  if (Array.isArray(value)) {
    traces.push(value.length);
    for (const inner of value) if (!addInnerTrace(inner, traces, depth)) return false;
    return true;
  }
  for (const key in value) {
    traces.push(key);
    if (!addInnerTrace((value as Record<string, unknown>)[key], traces, depth)) return false;
  }
  traces.push(closeMark);
  return true;
}

function addInnerTrace(inner: unknown, traces: Traces, depth: number): boolean {
  if (typeof inner === 'function') return false;
  if (typeof inner !== 'object' || inner === null) {
    traces.push(inner);
    return true;
  }
  traces.push(openMark);
  return addTrace(inner, traces, depth + 1);
}

function compareObject(value: object, traces: Traces, from: number): number {
  let position = from;
  for (const key in value) {
    if (traces[position] !== key) return -1;
    position += 1;
    const inner = (value as Record<string, unknown>)[key];
    if (Object.is(inner, traces[position])) {
      position += 1;
      continue;
    }
    if (traces[position] !== openMark || typeof inner !== 'object' || inner === null) return -1;
    position = skipUnchanged(inner, traces, position + 1);
    if (position < 0) return -1;
  }
  return traces[position] === closeMark ? position + 1 : -1;
}

/** Compares by index: `in` would convert every key to a string, which takes ten times as long. */
function compareList(list: readonly unknown[], traces: Traces, from: number): number {
  if (traces[from] !== list.length) return -1;
  let position = from + 1;
  for (const inner of list) {
    if (Object.is(inner, traces[position])) {
      position += 1;
      continue;
    }
    if (traces[position] !== openMark || typeof inner !== 'object' || inner === null) return -1;
    position = skipUnchanged(inner, traces, position + 1);
    if (position < 0) return -1;
  }
  return position;
}
