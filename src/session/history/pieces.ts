/** Converts values of a graph's channels to stored pieces, and back. */
import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import type { CheckpointPart, Content } from '../../store/index.ts';
import { addTraces, skipUnchanged, type Traces, unknownMark } from './change-traces.ts';

export interface Pieces {
  toContent(value: unknown): Promise<Content>;
  toValue(content: Content): Promise<unknown>;
}

/**
 * Plain data is read back as plain data. LangGraph's own serialisation, used for all other values, rebuilds objects
 * from anything that looks serialised, so text of the material could name a class.
 */
const plainType = 'data';

/**
 * A list as it was last seen, so that unchanged elements need not be serialized again. New elements are appended;
 * copies that were returned never change.
 */
interface SeenList {
  readonly elements: unknown[];
  readonly pieces: CheckpointPart[];
  /** Traces of the elements that are objects. */
  readonly traces: Traces;
}

export function createPieces(serde: SerializerProtocol = new JsonPlusSerializer()): Pieces {
  const known = new WeakMap<object, { readonly piece: CheckpointPart; readonly traces: Traces }>();
  /** Lists by their first element, which stays the same while a list grows. */
  const lists = new WeakMap<object, SeenList>();

  function recallPiece(value: unknown): CheckpointPart | undefined {
    if (!isObject(value)) return undefined;
    const before = known.get(value);
    return before !== undefined && skipUnchanged(value, before.traces, 0) >= 0 ? before.piece : undefined;
  }

  function remember(value: unknown, piece: CheckpointPart): void {
    if (isObject(value)) known.set(value, { piece, traces: recordTraces(value) });
  }

  function toPiece(value: unknown): CheckpointPart | Promise<CheckpointPart> {
    const before = recallPiece(value);
    if (before !== undefined) return before;
    if (!isPlain(value, 0)) {
      // Traces from before serialisation: any later change is noticed.
      const traces = isObject(value) ? recordTraces(value) : [];
      return serialise(serde, value).then((piece) => {
        if (isObject(value)) known.set(value, { piece, traces });
        return piece;
      });
    }
    const piece = Object.freeze({ type: plainType, data: JSON.stringify(value) });
    remember(value, piece);
    return piece;
  }

  async function toElement(piece: CheckpointPart): Promise<unknown> {
    const value =
      piece.type === plainType
        ? JSON.parse(String(piece.data))
        : await serde.loadsTyped(piece.type, piece.data);
    remember(value, piece);
    return value;
  }

  /** Counts the elements at the beginning that are known and unchanged. */
  function countUnchanged(elements: readonly unknown[], { elements: before, traces }: SeenList): number {
    const max = Math.min(elements.length, before.length);
    let position = 0;
    for (let n = 0; n < max; n += 1) {
      const element = elements[n];
      if (element !== before[n]) return n;
      if (!isObject(element)) continue;
      position = skipUnchanged(element, traces, position);
      if (position < 0) return n;
    }
    return max;
  }

  function rememberList(
    seenList: SeenList,
    elements: readonly unknown[],
    pieces: readonly CheckpointPart[],
  ): void {
    for (const [n, element] of elements.entries()) {
      seenList.elements.push(element);
      seenList.pieces.push(pieces[n]!);
      if (!isObject(element)) continue;
      // If `known` has another piece, the element changed meanwhile and was serialised again.
      const { piece, traces } = known.get(element) ?? {};
      for (const trace of piece === pieces[n] ? traces! : [unknownMark]) seenList.traces.push(trace);
    }
  }

  async function toList(elements: readonly unknown[]): Promise<Content> {
    const [first] = elements;
    const before = isObject(first) ? lists.get(first) : undefined;
    const same = before === undefined ? 0 : countUnchanged(elements, before);
    if (before !== undefined && same === elements.length)
      return { kind: 'list', pieces: before.pieces.slice(0, same) };
    // Fills holes with the value that they are read as.
    const added = Array.from(elements.slice(same));
    const parts = added.map(toPiece);
    const waiting = parts.some((piece) => piece instanceof Promise);
    const more = waiting ? await Promise.all(parts) : (parts as CheckpointPart[]);
    if (before !== undefined && !waiting && same === before.elements.length) {
      rememberList(before, added, more);
      return { kind: 'list', pieces: before.pieces.slice() };
    }
    const newList: SeenList = { elements: [], pieces: [], traces: [] };
    if (before !== undefined)
      rememberList(newList, before.elements.slice(0, same), before.pieces.slice(0, same));
    rememberList(newList, added, more);
    if (isObject(first)) lists.set(first, newList);
    return { kind: 'list', pieces: newList.pieces.slice() };
  }

  return {
    toContent: async (value) =>
      Array.isArray(value) ? toList(value) : { kind: 'one', piece: await toPiece(value) },
    async toValue(content) {
      if (content.kind === 'one') return toElement(content.piece);
      return Promise.all(content.pieces.map(toElement));
    },
  };
}

function recordTraces(value: object): Traces {
  const traces: Traces = [];
  addTraces(value, traces);
  return traces;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const decoder = new TextDecoder();

async function serialise(serde: SerializerProtocol, value: unknown): Promise<CheckpointPart> {
  const [type, bytes] = await serde.dumpsTyped(value);
  return Object.freeze({ type, data: type === 'json' ? decoder.decode(bytes) : bytes });
}

/** Whether `JSON.parse` would return exactly the same, with nothing lost or converted. */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object': {
      if (value === null) return true;
      if (depth > 40) return false;
      if (Array.isArray(value)) {
        if (Object.keys(value).length !== value.length) return false;
        return value.every((each) => isPlain(each, depth + 1));
      }
      const prototype = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      if (Object.getOwnPropertySymbols(value).length > 0 || Object.hasOwn(value, '__proto__')) return false;
      return Object.values(value).every((each) => isPlain(each, depth + 1));
    }
    default:
      return false;
  }
}
