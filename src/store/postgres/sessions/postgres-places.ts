/** Stores the values of checkpoints in PostgreSQL. The thread's only writer assigns the ids of pieces and lists. */
import type { CheckpointPart } from '../../sessions/checkpoints.ts';
import {
  type ContentPlace,
  type ContentPlaces,
  createPlaces,
  isList,
  type Owner,
  type PlaceSource,
  type StoredList,
} from '../../sessions/places.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import { keepLists, keepPieces, type NewList, type NewPiece } from './keep-checkpoints.ts';

/** What the writer of a thread knows about its stored pieces. */
export interface ThreadPlaces {
  readonly fence: number;
  readonly places: ContentPlaces;
  /** The last checkpoint of each namespace: the next one extends it. */
  readonly newest: Map<
    string,
    { readonly id: string; readonly places: Readonly<Record<string, ContentPlace>> }
  >;
  /** Number of the last commit under this fence. */
  turn: number;
  /** Reads the lists among these places, which the next lists may extend. */
  load(owner: Owner, places: readonly ContentPlace[]): Promise<void>;
  /** The statements that store the new pieces and lists. */
  take(): { readonly pieces: readonly Statement[]; readonly lists: readonly Statement[] };
}

export async function openThreadPlaces(
  db: PostgresDatabase,
  { thread, fence }: Owner,
): Promise<ThreadPlaces> {
  const [hashes, lastListRows, lease] = await db.transact([
    { name: 'hashes', text: 'SELECT id, hash FROM langgraph_pieces WHERE thread_id = $1', values: [thread] },
    {
      name: 'last list',
      text: 'SELECT coalesce(max(id), 0) AS id FROM langgraph_lists WHERE thread_id = $1',
      values: [thread],
    },
    {
      name: 'turn of a thread',
      text: `SELECT turn FROM leases WHERE run = 'thread/' || $1 AND fence = $2`,
      values: [thread, fence],
    },
  ]);
  const ids = new Map(hashes!.map(({ id, hash }) => [(hash as Buffer).toString('base64'), Number(id)]));
  let lastPiece = hashes!.reduce((max, { id }) => Math.max(max, Number(id)), 0);
  let lastList = Number(lastListRows![0]!['id']);
  let pieces: NewPiece[] = [];
  let lists: NewList[] = [];
  const loaded = new Map<number, readonly StoredList[]>();
  const places = createPlaces({
    pieceId(_, hash, piece) {
      const name = hash.toString('base64');
      const knownId = ids.get(name);
      if (knownId !== undefined) return knownId;
      lastPiece += 1;
      ids.set(name, lastPiece);
      pieces.push({ id: lastPiece, hash, ...piece });
      return lastPiece;
    },
    addList(_, list) {
      lastList += 1;
      lists.push({ id: lastList, ...list });
      return lastList;
    },
    lists: (id) => loaded.get(id) ?? [],
    pieces: () => [],
  });
  return {
    fence,
    places,
    newest: new Map(),
    turn: Number(lease?.[0]?.['turn'] ?? 0),
    async load(owner, contentPlaces) {
      loaded.clear();
      const unreadIds = places.findUnread(contentPlaces);
      if (unreadIds.length === 0) return;
      for (const [id, chain] of await readLists(db, owner.thread, unreadIds)) loaded.set(id, chain);
    },
    take() {
      const taken = { pieces: keepPieces(thread, pieces), lists: keepLists(thread, lists) };
      [pieces, lists] = [[], []];
      return taken;
    },
  };
}

/** Reads all lists and pieces of the places in two queries. */
export async function readSource(
  db: PostgresDatabase,
  thread: string,
  places: readonly ContentPlace[],
): Promise<{ readonly source: PlaceSource; readonly places: ContentPlaces }> {
  const ids = places.filter(isList).map(({ list }) => list);
  const lists = ids.length === 0 ? new Map<number, StoredList[]>() : await readLists(db, thread, ids);
  const pieceIds = new Set([
    ...places.flatMap((place) => (isList(place) ? [] : place)).filter((item) => typeof item === 'number'),
    ...[...lists.values()].flat().flatMap(({ items }) => parseIds(items)),
  ]);
  const pieces = new Map<number, CheckpointPart>();
  if (pieceIds.size > 0)
    for (const row of await db.ask({
      name: 'pieces',
      text: 'SELECT id, type, words, bytes FROM langgraph_pieces WHERE thread_id = $1 AND id = ANY ($2::bigint[])',
      values: [thread, [...pieceIds]],
    }))
      pieces.set(Number(row['id']), toPiece(row));
  const source: PlaceSource = {
    lists: (id) => lists.get(id) ?? [],
    pieces: (_, requestedIds) =>
      requestedIds.flatMap((id) => (pieces.has(id) ? [[id, pieces.get(id)!] as const] : [])),
  };
  return { source, places: createPlaces({ ...source, pieceId: refuseWrite, addList: refuseWrite }) };
}

const refuseWrite = (): never => {
  throw new Error('A reader stores nothing');
};

const parseIds = (items: string): readonly number[] =>
  (JSON.parse(items) as readonly (number | string)[]).filter((item) => typeof item === 'number');

async function readLists(
  db: PostgresDatabase,
  thread: string,
  ids: readonly number[],
): Promise<Map<number, StoredList[]>> {
  const rows = await db.ask({
    name: 'lists',
    text: `WITH RECURSIVE chain AS (
        SELECT id AS of, base, kept, depth, items FROM langgraph_lists WHERE thread_id = $1 AND id = ANY ($2::bigint[])
        UNION ALL
        SELECT chain.of, l.base, l.kept, l.depth, l.items FROM chain
          JOIN langgraph_lists l ON l.thread_id = $1 AND l.id = chain.base
      ) SELECT of, kept, depth, items FROM chain ORDER BY of, depth`,
    values: [thread, [...new Set(ids)]],
  });
  const listsById = new Map<number, StoredList[]>();
  for (const { of, kept, depth, items } of rows) {
    const chain = listsById.get(Number(of)) ?? [];
    listsById.set(Number(of), chain);
    chain.push({ kept: Number(kept), depth: Number(depth), items: String(items) });
  }
  return listsById;
}

function toPiece({ type, words, bytes }: Row): CheckpointPart {
  const data = words === null ? new Uint8Array(bytes as Buffer) : (JSON.parse(String(words)) as string);
  return Object.freeze({ type: String(type), data });
}
