/** SQL statements that store checkpoints, one for each table. Sending them again changes nothing. */
import type { CheckpointPart, NewCheckpoint, NewWrite } from '../../sessions/checkpoints.ts';
import type { ContentPlace, StoredList } from '../../sessions/places.ts';
import type { Statement } from '../database.ts';

export type NewPiece = CheckpointPart & { readonly id: number; readonly hash: Buffer };
export type NewList = StoredList & { readonly id: number; readonly base: number | null };
export type PlacedWrite = NewWrite & { readonly place: ContentPlace };

/** One statement with an array for each column, which has the values of all rows. No statement if there is no row. */
function buildStatement<Item>(
  name: string,
  text: string,
  [thread, rows]: readonly [string, readonly Item[]],
  ...fields: readonly ((row: Item) => unknown)[]
): readonly Statement[] {
  if (rows.length === 0) return [];
  return [{ name, text, values: [thread, ...fields.map((field) => rows.map(field))] }];
}

export const keepPieces = (thread: string, pieces: readonly NewPiece[]) =>
  buildStatement(
    'keep pieces',
    `INSERT INTO langgraph_pieces (thread_id, id, hash, type, words, bytes)
     SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::text[], $6::bytea[]) ON CONFLICT DO NOTHING`,
    [thread, pieces],
    ({ id }) => id,
    ({ hash }) => hash,
    ({ type }) => type,
    ({ data }) => (typeof data === 'string' ? JSON.stringify(data) : null),
    ({ data }) => (typeof data === 'string' ? null : Buffer.from(data)),
  );

export const keepLists = (thread: string, lists: readonly NewList[]) =>
  buildStatement(
    'keep lists',
    `INSERT INTO langgraph_lists (thread_id, id, base, kept, depth, items)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) ON CONFLICT DO NOTHING`,
    [thread, lists],
    ({ id }) => id,
    ({ base }) => base,
    ({ kept }) => kept,
    ({ depth }) => depth,
    ({ items }) => items,
  );

/** Of two writes with the same key the first is kept; of those with a negative index, the last. */
export function keepWrites(thread: string, writes: readonly PlacedWrite[]): readonly Statement[] {
  const last = new Map<string, PlacedWrite>();
  for (const write of writes) {
    const at = JSON.stringify([write.namespace, write.checkpoint, write.task, write.index]);
    if (write.index < 0 || !last.has(at)) last.set(at, write);
  }
  const rows = [...last.values()];
  const keep = (name: string, conflict: string, of: readonly PlacedWrite[]) =>
    buildStatement(
      name,
      `INSERT INTO langgraph_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel, value)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
       ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) ${conflict}`,
      [thread, of],
      ({ namespace }) => namespace,
      ({ checkpoint }) => checkpoint,
      ({ task }) => task,
      ({ index }) => index,
      ({ path }) => path,
      ({ channel }) => channel,
      ({ place }) => JSON.stringify(place),
    );
  return [
    ...keep(
      'keep writes',
      'DO NOTHING',
      rows.filter(({ index }) => index >= 0),
    ),
    ...keep(
      'keep single writes',
      'DO UPDATE SET task_path = excluded.task_path, channel = excluded.channel, value = excluded.value',
      rows.filter(({ index }) => index < 0),
    ),
  ];
}

type Row = readonly [NewCheckpoint, Readonly<Record<string, ContentPlace>>];

export function keepCheckpoints(thread: string, rows: readonly Row[]): readonly Statement[] {
  const last = new Map(rows.map((row) => [JSON.stringify([row[0].namespace, row[0].id]), row]));
  return buildStatement(
    'keep checkpoints',
    `INSERT INTO langgraph_checkpoints
       (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, channel_values)
     SELECT $1, ns, id, parent, body, metadata, places
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
       AS r (ns, id, parent, body, metadata, places, nth) ORDER BY nth
     ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
       parent_checkpoint_id = excluded.parent_checkpoint_id, checkpoint = excluded.checkpoint,
       metadata = excluded.metadata, channel_values = excluded.channel_values`,
    [thread, [...last.values()]],
    ([{ namespace }]) => namespace,
    ([{ id }]) => id,
    ([{ parent }]) => parent,
    ([{ body }]) => body,
    ([{ metadata }]) => metadata,
    ([, places]) => JSON.stringify(places),
  );
}
