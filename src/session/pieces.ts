/** Values of a graph's channels as pieces, and back. */
import { JsonPlusSerializer, type SerializerProtocol } from '@langchain/langgraph-checkpoint';
import type { Content, Piece } from '../store/index.ts';
import { isUnchanged, type Traces, tracesOf } from './unchanged.ts';

export interface Pieces {
  contentOf(value: unknown): Promise<Content>;
  valueOf(content: Content): Promise<unknown>;
}

/**
 * Plain data is read back as plain data. LangGraph's own serialisation, which every other value takes, builds
 * objects wherever a value looks like one that it has written, so text of the material could name a class.
 */
const plainType = 'data';

/** A list as it was seen last, to go over a longer one without asking for each element anew. */
interface Seen {
  readonly elements: readonly unknown[];
  readonly pieces: readonly Piece[];
  readonly traces: readonly Traces[];
}

export function piecesOf(serde: SerializerProtocol = new JsonPlusSerializer()): Pieces {
  const known = new WeakMap<object, { readonly piece: Piece; readonly traces: Traces }>();
  /** By the first element: a list that grows keeps it. */
  const lists = new WeakMap<object, Seen>();

  function remembered(value: unknown): Piece | undefined {
    if (!isObject(value)) return undefined;
    const before = known.get(value);
    return before !== undefined && isUnchanged(value, before.traces) ? before.piece : undefined;
  }

  function remember(value: unknown, piece: Piece): void {
    if (isObject(value)) known.set(value, { piece, traces: tracesOf(value) });
  }

  function pieceOf(value: unknown): Piece | Promise<Piece> {
    const before = remembered(value);
    if (before !== undefined) return before;
    if (!isPlain(value, 0)) {
      // Traces from before it is serialised: what changes meanwhile is a change.
      const traces = isObject(value) ? tracesOf(value) : null;
      return serialised(serde, value).then((piece) => {
        if (isObject(value)) known.set(value, { piece, traces });
        return piece;
      });
    }
    const piece = Object.freeze({ type: plainType, data: JSON.stringify(value) });
    remember(value, piece);
    return piece;
  }

  async function elementOf(piece: Piece): Promise<unknown> {
    const value =
      piece.type === plainType
        ? JSON.parse(String(piece.data))
        : await serde.loadsTyped(piece.type, piece.data);
    remember(value, piece);
    return value;
  }

  async function listOf(elements: readonly unknown[]): Promise<Content> {
    const [first] = elements;
    const before = isObject(first) ? lists.get(first) : undefined;
    const given = Array.from(elements, (element, index) =>
      before !== undefined &&
      before.elements[index] === element &&
      (!isObject(element) || isUnchanged(element, before.traces[index]!))
        ? before.pieces[index]!
        : pieceOf(element),
    );
    const held = elements.slice();
    const waiting = given.some((piece) => piece instanceof Promise);
    const pieces = waiting ? await Promise.all(given) : (given as Piece[]);
    if (isObject(first)) {
      const traces = held.map((element, index) =>
        before?.pieces[index] === pieces[index] && before?.elements[index] === element
          ? before!.traces[index]!
          : (isObject(element) && known.get(element)?.traces) || null,
      );
      lists.set(first, { elements: held, pieces, traces });
    }
    return { kind: 'list', pieces };
  }

  return {
    contentOf: async (value) =>
      Array.isArray(value) ? listOf(value) : { kind: 'one', piece: await pieceOf(value) },
    async valueOf(content) {
      if (content.kind === 'one') return elementOf(content.piece);
      return Promise.all(content.pieces.map(elementOf));
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const decoder = new TextDecoder();

async function serialised(serde: SerializerProtocol, value: unknown): Promise<Piece> {
  const [type, bytes] = await serde.dumpsTyped(value);
  return Object.freeze({ type, data: type === 'json' ? decoder.decode(bytes) : bytes });
}

/** Would `JSON.parse` give back the very same, with nothing left out and nothing made of it? */
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
