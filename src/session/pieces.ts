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

export function piecesOf(serde: SerializerProtocol = new JsonPlusSerializer()): Pieces {
  const known = new WeakMap<object, { readonly piece: Piece; readonly traces: Traces }>();

  function remembered(value: unknown): Piece | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const before = known.get(value);
    return before !== undefined && isUnchanged(value, before.traces) ? before.piece : undefined;
  }

  function remember(value: unknown, piece: Piece): void {
    if (typeof value === 'object' && value !== null) known.set(value, { piece, traces: tracesOf(value) });
  }

  function pieceOf(value: unknown): Piece | Promise<Piece> {
    const before = remembered(value);
    if (before !== undefined) return before;
    const piece = isPlain(value, 0)
      ? Object.freeze({ type: plainType, data: JSON.stringify(value) })
      : serialised(serde, value);
    if (!(piece instanceof Promise)) remember(value, piece);
    // What changes while it is serialised is not known by what it was after that.
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

  return {
    async contentOf(value) {
      if (!Array.isArray(value)) return { kind: 'one', piece: await pieceOf(value) };
      // Not `map`, which would leave the holes of a list as holes.
      const pieces = Array.from(value, pieceOf);
      const waiting = pieces.some((piece) => piece instanceof Promise);
      return { kind: 'list', pieces: waiting ? await Promise.all(pieces) : (pieces as Piece[]) };
    },
    async valueOf(content) {
      if (content.kind === 'one') return elementOf(content.piece);
      return Promise.all(content.pieces.map(elementOf));
    },
  };
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
