import type { Database } from '../database.ts';
import { type ContentPlaces, createPlaces } from '../sessions/places.ts';

/** Stores the values of checkpoints in SQLite. All threads of a file share one sequence of ids. */
export function sqlitePlaces(db: Database): ContentPlaces {
  return createPlaces({
    pieceId(thread, hash, { type, data }) {
      // One statement, since most pieces are new; for an existing piece it returns its id.
      const row = db.get(
        `INSERT INTO langgraph_pieces (thread_id, hash, type, data) VALUES (?, ?, ?, ?)
         ON CONFLICT (thread_id, hash) DO UPDATE SET type = type RETURNING id`,
        thread,
        hash,
        type,
        data,
      );
      return Number(row!['id']);
    },
    addList(thread, { base, kept, depth, items }) {
      const row = db.get(
        'INSERT INTO langgraph_lists (thread_id, base, kept, depth, items) VALUES (?, ?, ?, ?, ?) RETURNING id',
        thread,
        base,
        kept,
        depth,
        items,
      );
      return Number(row!['id']);
    },
    lists: (id) =>
      db
        .all(
          `WITH RECURSIVE chain (base, kept, depth, items) AS (
             SELECT base, kept, depth, items FROM langgraph_lists WHERE id = ?
             UNION ALL
             SELECT l.base, l.kept, l.depth, l.items FROM chain JOIN langgraph_lists l ON l.id = chain.base
           ) SELECT kept, depth, items FROM chain ORDER BY depth`,
          id,
        )
        .map(({ kept, depth, items }) => ({
          kept: Number(kept),
          depth: Number(depth),
          items: String(items),
        })),
    pieces: (thread, ids) =>
      db
        .all(
          'SELECT p.id, p.type, p.data FROM json_each(?) AS j CROSS JOIN langgraph_pieces AS p WHERE p.id = j.value AND p.thread_id = ?',
          JSON.stringify(ids),
          thread,
        )
        .map(({ id, type, data }) => [
          Number(id),
          Object.freeze({ type: String(type), data: data instanceof Uint8Array ? data : String(data) }),
        ]),
  });
}
