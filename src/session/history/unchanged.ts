/**
 * Was a value changed in place since it was last looked at? Graphs hand the same objects to every step, and
 * mostly leave them unchanged; but a node can write into one. Comparing what an object holds, by identity,
 * costs far less than serialising it again.
 */

/**
 * The contents of values, one after another: keys and primitive values, with nested ones after a mark; for a
 * list its length and its elements. One row for many values, since rows of their own would be scattered in
 * memory.
 */
export type Traces = unknown[];

/** Deeper values are serialised every time. */
const maxDepth = 40;
const opened = Symbol('opened');
const closed = Symbol('closed');
/** For a value whose contents can't be compared. */
export const untold = Symbol('untold');

/** Adds what a value holds. */
export function addTraces(value: object, traces: Traces): void {
  const from = traces.length;
  if (note(value, traces, 0)) return;
  traces.length = from;
  traces.push(untold);
}

/** Where the next value's traces begin; -1 where this one was changed, or it can't be told. */
export function skipUnchanged(value: object, traces: Traces, from: number): number {
  return Array.isArray(value) ? compareList(value, traces, from) : compare(value, traces, from);
}

/** Plain objects, lists, and instances whose state is in their own fields, such as messages. */
function open(value: object): boolean {
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

function note(value: object, traces: Traces, depth: number): boolean {
  if (depth > maxDepth || !open(value)) return false;
  if (Array.isArray(value)) {
    traces.push(value.length);
    for (const inner of value) if (!noteInner(inner, traces, depth)) return false;
    return true;
  }
  for (const key in value) {
    traces.push(key);
    if (!noteInner((value as Record<string, unknown>)[key], traces, depth)) return false;
  }
  traces.push(closed);
  return true;
}

function noteInner(inner: unknown, traces: Traces, depth: number): boolean {
  if (typeof inner === 'function') return false;
  if (typeof inner !== 'object' || inner === null) {
    traces.push(inner);
    return true;
  }
  traces.push(opened);
  return note(inner, traces, depth + 1);
}

function compare(value: object, traces: Traces, from: number): number {
  let at = from;
  for (const key in value) {
    if (traces[at] !== key) return -1;
    at += 1;
    const inner = (value as Record<string, unknown>)[key];
    if (Object.is(inner, traces[at])) {
      at += 1;
      continue;
    }
    if (traces[at] !== opened || typeof inner !== 'object' || inner === null) return -1;
    at = skipUnchanged(inner, traces, at + 1);
    if (at < 0) return -1;
  }
  return traces[at] === closed ? at + 1 : -1;
}

/** By index: their keys as texts, which `in` would make, took ten times as long. */
function compareList(list: readonly unknown[], traces: Traces, from: number): number {
  if (traces[from] !== list.length) return -1;
  let at = from + 1;
  for (const inner of list) {
    if (Object.is(inner, traces[at])) {
      at += 1;
      continue;
    }
    if (traces[at] !== opened || typeof inner !== 'object' || inner === null) return -1;
    at = skipUnchanged(inner, traces, at + 1);
    if (at < 0) return -1;
  }
  return at;
}
