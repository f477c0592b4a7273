/**
 * Was a value changed in place since it was last looked at? Graphs hand the same objects to every step, and
 * mostly leave them alone; but nothing keeps a node from writing into one. Comparing what an object holds, by
 * identity, costs far less than serialising it again.
 */

/** What a value held: keys and primitive values, with what is nested between brackets. Null: it can't be told. */
export type Traces = readonly unknown[] | null;

/** Deeper values are serialised every time. */
const deepest = 40;
const opened = Symbol('opened');
const closed = Symbol('closed');

export function tracesOf(value: object): Traces {
  const traces: unknown[] = [];
  return note(value, traces, 0) ? traces : null;
}

export function isUnchanged(value: object, traces: Traces): boolean {
  return traces !== null && compare(value, traces, 0) === traces.length;
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

function note(value: object, traces: unknown[], depth: number): boolean {
  if (depth > deepest || !open(value)) return false;
  traces.push(opened);
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    traces.push(key);
    if (typeof inner === 'object' && inner !== null) {
      if (!note(inner, traces, depth + 1)) return false;
    } else if (typeof inner === 'function') return false;
    else traces.push(inner);
  }
  traces.push(closed);
  return true;
}

/** Where the comparison came to; -1 where it found a difference. */
function compare(value: object, traces: readonly unknown[], from: number): number {
  if (traces[from] !== opened) return -1;
  let at = from + 1;
  for (const key in value) {
    if (traces[at] !== key) return -1;
    const inner = (value as Record<string, unknown>)[key];
    at += 1;
    if (typeof inner === 'object' && inner !== null) {
      at = compare(inner, traces, at);
      if (at < 0) return -1;
    } else {
      if (inner !== traces[at] && !Object.is(inner, traces[at])) return -1;
      at += 1;
    }
  }
  return traces[at] === closed ? at + 1 : -1;
}
