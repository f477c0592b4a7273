/**
 * Decides where a value of a checkpoint is stored. Small pieces are stored inline, larger ones once per thread in their
 * own table. A long list is a row that extends the row of an earlier list.
 */
import { hash } from 'node:crypto';
import type { CheckpointPart, Content } from './checkpoints.ts';

/** The id of a piece, or a small piece inline as `type:data`. */
type PlaceItem = number | string;
export type ContentPlace = PlaceItem | readonly PlaceItem[] | { readonly list: number };

/** A stored list in memory, which the next one may extend. */
interface PlaceList {
  readonly id: number;
  readonly depth: number;
  readonly items: readonly PlaceItem[];
}

/**
 * A thread and the fence of its writer. Remembered ids are valid under this fence, since nobody else can remove pieces.
 */
export interface Owner {
  readonly thread: string;
  readonly fence: number;
}

/** One row of a list: the first `kept` items of the row before, followed by `items`. */
export interface StoredList {
  readonly kept: number;
  readonly depth: number;
  /** JSON. */
  readonly items: string;
}

/** Reads pieces and lists from the engine. */
export interface PlaceSource {
  lists(id: number): readonly StoredList[];
  pieces(thread: string, ids: readonly number[]): Iterable<readonly [number, CheckpointPart]>;
}

export interface PieceStore extends PlaceSource {
  /** The id of the thread's piece with this hash; stores the piece if it is new. */
  pieceId(thread: string, hash: Buffer, piece: CheckpointPart): number;
  addList(thread: string, list: StoredList & { readonly base: number | null }): number;
}

export interface ContentPlaces {
  /** Stores a value, and returns its place. `base`: the place of the previous value. Call it in `db.atomic`. */
  keep(owner: Owner, content: Content, base?: ContentPlace): ContentPlace;
  /** Like `keep`, for values that no later one extends. */
  keepApart(owner: Owner, content: Content): ContentPlace;
  read(owner: Owner, places: readonly ContentPlace[], source?: PlaceSource): readonly Content[];
  /** The lists among these places that are not in memory. */
  findUnread(places: readonly ContentPlace[]): readonly number[];
  /** Clears the caches; needed after a rollback, and after the removal of a thread. */
  forget(): void;
}

/** Maximum characters of an inline piece: about the overhead of a row with its id and index entry. */
const maxInlineLength = 96;
/** Maximum items of a list that is stored whole each time. */
const maxInlineItems = 8;

export function createPlaces(pieceStore: PieceStore): ContentPlaces {
  let pieceItems = new WeakMap<CheckpointPart, Owner & { readonly item: PlaceItem }>();
  /** The lists that were used last, since the next ones extend them. */
  let lists = new Map<number, PlaceList>();
  /** The last version of each list, by its first piece, which stays the same while the list grows. */
  let growingLists = new WeakMap<
    CheckpointPart,
    {
      readonly owner: Owner;
      readonly pieces: readonly CheckpointPart[];
      readonly items: readonly PlaceItem[];
    }
  >();

  function remember(owner: Owner, piece: CheckpointPart, item: PlaceItem): void {
    pieceItems.set(piece, { thread: owner.thread, fence: owner.fence, item });
  }

  function keepPiece(owner: Owner, piece: CheckpointPart): PlaceItem {
    const knownPlace = pieceItems.get(piece);
    if (knownPlace?.thread === owner.thread && knownPlace.fence === owner.fence) return knownPlace.item;
    const item = toInlineItem(piece) ?? storePiece(owner.thread, piece);
    remember(owner, piece, item);
    return item;
  }

  function storePiece(thread: string, { type, data }: CheckpointPart): number {
    const bytes = Buffer.concat([Buffer.from(`${type}\0`), Buffer.from(data as string)]);
    return pieceStore.pieceId(thread, hash('sha256', bytes, 'buffer'), { type, data });
  }

  function readList(id: number, source: PlaceSource = pieceStore): PlaceList {
    const knownList = lists.get(id);
    if (knownList !== undefined) return knownList;
    const rows = source.lists(id);
    const items: PlaceItem[] = [];
    for (const row of rows) {
      items.length = row.kept;
      for (const item of JSON.parse(row.items) as PlaceItem[]) items.push(item);
    }
    return rememberList({ id, depth: rows.at(-1)?.depth ?? 0, items });
  }

  function rememberList(list: PlaceList): PlaceList {
    lists.set(list.id, list);
    // Enough for a few lists of each running graph.
    if (lists.size > 64) lists.delete(lists.keys().next().value!);
    return list;
  }

  function keepList(
    thread: string,
    items: readonly PlaceItem[],
    base: ContentPlace | undefined,
  ): ContentPlace {
    if (items.length <= maxInlineItems) return items;
    const baseList = base !== undefined && isList(base) ? readList(base.list) : undefined;
    const commonLength = baseList === undefined ? 0 : countCommonStart(baseList.items, items);
    if (baseList !== undefined && commonLength === items.length && commonLength === baseList.items.length)
      return { list: baseList.id };
    // A chain of rows that is too long for its list is replaced by one row, so that writing and reading stay linear.
    const extendedList =
      baseList !== undefined && commonLength * 2 >= items.length && baseList.depth < 256 + items.length / 4
        ? baseList
        : undefined;
    const keptLength = extendedList === undefined ? 0 : commonLength;
    const depth = extendedList === undefined ? 1 : extendedList.depth + 1;
    const id = pieceStore.addList(thread, {
      base: extendedList?.id ?? null,
      kept: keptLength,
      depth,
      items: JSON.stringify(keptLength === 0 ? items : items.slice(keptLength)),
    });
    if (baseList !== undefined) lists.delete(baseList.id);
    return { list: rememberList({ id, depth, items }).id };
  }

  function keepPieces(owner: Owner, pieces: readonly CheckpointPart[]): readonly PlaceItem[] {
    const [first] = pieces;
    if (first === undefined) return [];
    const lastVersion = growingLists.get(first);
    const reusableList =
      lastVersion?.owner.thread === owner.thread && lastVersion.owner.fence === owner.fence
        ? lastVersion
        : undefined;
    const items = pieces.map((piece, index) =>
      reusableList?.pieces[index] === piece ? reusableList.items[index]! : keepPiece(owner, piece),
    );
    growingLists.set(first, { owner, pieces, items });
    return items;
  }

  return {
    keep(owner, content, base) {
      if (content.kind === 'one') return keepPiece(owner, content.piece);
      return keepList(owner.thread, keepPieces(owner, content.pieces), base);
    },
    keepApart(owner, content) {
      return content.kind === 'one' ? keepPiece(owner, content.piece) : keepPieces(owner, content.pieces);
    },
    findUnread: (places) => places.filter(isList).flatMap(({ list }) => (lists.has(list) ? [] : [list])),
    read(owner, places, source = pieceStore) {
      const placeItems = places.map((place) => (isList(place) ? readList(place.list, source).items : place));
      const ids = new Set(placeItems.flat().filter((item) => typeof item === 'number'));
      const pieces = new Map<PlaceItem, CheckpointPart>(
        ids.size > 0 ? source.pieces(owner.thread, [...ids]) : [],
      );
      const pieceAt = (item: PlaceItem): CheckpointPart => {
        const piece = pieces.get(item) ?? parseInlineItem(item);
        pieces.set(item, piece);
        remember(owner, piece, item);
        return piece;
      };
      return placeItems.map((place) =>
        Array.isArray(place)
          ? { kind: 'list', pieces: place.map(pieceAt) }
          : { kind: 'one', piece: pieceAt(place as PlaceItem) },
      );
    },
    forget() {
      pieceItems = new WeakMap();
      lists = new Map();
      growingLists = new WeakMap();
    },
  };
}

export function isList(place: ContentPlace): place is { readonly list: number } {
  return typeof place === 'object' && !Array.isArray(place);
}

function countCommonStart(a: readonly PlaceItem[], b: readonly PlaceItem[]): number {
  const max = Math.min(a.length, b.length);
  let commonLength = 0;
  while (commonLength < max && a[commonLength] === b[commonLength]) commonLength += 1;
  return commonLength;
}

function toInlineItem({ type, data }: CheckpointPart): string | undefined {
  return typeof data === 'string' && data.length <= maxInlineLength ? `${type}:${data}` : undefined;
}

function parseInlineItem(item: PlaceItem): CheckpointPart {
  const text = String(item);
  const end = text.indexOf(':');
  return Object.freeze({ type: text.slice(0, end), data: text.slice(end + 1) });
}
