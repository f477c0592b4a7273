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
  const pieceCache = new WeakMap<object, { readonly piece: CheckpointPart; readonly traces: Traces }>();
  /** Lists by their first element, which stays the same while a list grows. */
  const seenLists = new WeakMap<object, SeenList>();

  function recallPiece(value: unknown): CheckpointPart | undefined {
    if (!isObject(value)) return undefined;
    const cached = pieceCache.get(value);
    return cached !== undefined && skipUnchanged(value, cached.traces, 0) >= 0 ? cached.piece : undefined;
  }

  function remember(value: unknown, piece: CheckpointPart): void {
    if (isObject(value)) pieceCache.set(value, { piece, traces: recordTraces(value) });
  }

  function toPiece(value: unknown): CheckpointPart | Promise<CheckpointPart> {
    const cachedPiece = recallPiece(value);
    if (cachedPiece !== undefined) return cachedPiece;
    if (!isPlain(value, 0)) {
      // Traces from before serialisation: any later change is noticed.
      const traces = isObject(value) ? recordTraces(value) : [];
      return serialise(serde, value).then((piece) => {
        if (isObject(value)) pieceCache.set(value, { piece, traces });
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
  function countUnchanged(
    elements: readonly unknown[],
    { elements: seenElements, traces }: SeenList,
  ): number {
    const max = Math.min(elements.length, seenElements.length);
    let position = 0;
    for (let n = 0; n < max; n += 1) {
      const element = elements[n];
      if (element !== seenElements[n]) return n;
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
      // If `pieceCache` has another piece, the element changed meanwhile and was serialised again.
      const { piece, traces } = pieceCache.get(element) ?? {};
      for (const trace of piece === pieces[n] ? traces! : [unknownMark]) seenList.traces.push(trace);
    }
  }

  async function toList(elements: readonly unknown[]): Promise<Content> {
    const [first] = elements;
    const seenList = isObject(first) ? seenLists.get(first) : undefined;
    const unchangedCount = seenList === undefined ? 0 : countUnchanged(elements, seenList);
    if (seenList !== undefined && unchangedCount === elements.length)
      return { kind: 'list', pieces: seenList.pieces.slice(0, unchangedCount) };
    // Fills holes with the value that they are read as.
    const newElements = Array.from(elements.slice(unchangedCount));
    const newPieces = newElements.map(toPiece);
    const isWaiting = newPieces.some((piece) => piece instanceof Promise);
    const resolvedPieces = isWaiting ? await Promise.all(newPieces) : (newPieces as CheckpointPart[]);
    if (seenList !== undefined && !isWaiting && unchangedCount === seenList.elements.length) {
      rememberList(seenList, newElements, resolvedPieces);
      return { kind: 'list', pieces: seenList.pieces.slice() };
    }
    const newList: SeenList = { elements: [], pieces: [], traces: [] };
    if (seenList !== undefined)
      rememberList(
        newList,
        seenList.elements.slice(0, unchangedCount),
        seenList.pieces.slice(0, unchangedCount),
      );
    rememberList(newList, newElements, resolvedPieces);
    if (isObject(first)) seenLists.set(first, newList);
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
