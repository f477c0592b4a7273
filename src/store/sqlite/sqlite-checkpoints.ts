import type { Database, Row } from '../database.ts';
import type { Leases } from '../runs/sqlite-leases.ts';
import type {
  CheckpointBatch,
  CheckpointHead,
  CheckpointRow,
  Checkpoints,
  Content,
  HeadQuery,
  NewCheckpoint,
  NewWrite,
  ThreadUsage,
} from '../sessions/checkpoints.ts';
import type { ContentPlace, Owner } from '../sessions/places.ts';
import { leaseKey } from '../sessions/thread-rules.ts';
import type { ThreadLease } from '../sessions/threads.ts';
import { sqlitePlaces } from './sqlite-places.ts';
import type { Synchronous } from './synchronous.ts';

type PlacesByChannel = Readonly<Record<string, ContentPlace>>;

export function sqliteCheckpoints(db: Database, leases: Leases): Synchronous<Checkpoints> {
  const places = sqlitePlaces(db);
  /** The last checkpoint of each namespace: the next one extends its lists. */
  const newest = new Map<string, Owner & { readonly id: string; readonly places: PlacesByChannel }>();

  function forget(): void {
    places.forget();
    newest.clear();
  }

  function readParentPlaces(owner: Owner, { namespace, parent }: NewCheckpoint): PlacesByChannel {
    if (parent === null) return {};
    const last = newest.get(`${owner.thread}\0${namespace}`);
    if (last?.id === parent && last.fence === owner.fence) return last.places;
    const row = db.get(
      `SELECT channel_values FROM langgraph_checkpoints
       WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?`,
      owner.thread,
      namespace,
      parent,
    );
    return row === undefined ? {} : JSON.parse(String(row['channel_values']));
  }

  function keep(owner: Owner, checkpoint: NewCheckpoint): void {
    const parentPlaces = readParentPlaces(owner, checkpoint);
    const placeEntries: [string, ContentPlace][] = [];
    for (const channel of checkpoint.kept) {
      const place = Object.hasOwn(parentPlaces, channel) ? parentPlaces[channel] : undefined;
      if (place !== undefined) placeEntries.push([channel, place]);
    }
    for (const [channel, content] of checkpoint.changed)
      placeEntries.push([
        channel,
        places.keep(owner, content, Object.hasOwn(parentPlaces, channel) ? parentPlaces[channel] : undefined),
      ]);
    const channelPlaces = Object.fromEntries(placeEntries);
    const { namespace, id, parent, body, metadata } = checkpoint;
    db.run(
      `INSERT INTO langgraph_checkpoints
         (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata, channel_values)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET parent_checkpoint_id = excluded.parent_checkpoint_id,
         checkpoint = excluded.checkpoint, metadata = excluded.metadata, channel_values = excluded.channel_values`,
      owner.thread,
      namespace,
      id,
      parent,
      body,
      metadata,
      JSON.stringify(channelPlaces),
    );
    newest.set(`${owner.thread}\0${namespace}`, { ...owner, id, places: channelPlaces });
    if (newest.size > 256) newest.delete(newest.keys().next().value!);
  }

  function keepWrite(owner: Owner, write: NewWrite): void {
    db.run(
      `INSERT OR ${write.index < 0 ? 'REPLACE' : 'IGNORE'} INTO langgraph_writes
         (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel, value)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      owner.thread,
      write.namespace,
      write.checkpoint,
      write.task,
      write.index,
      write.path,
      write.channel,
      JSON.stringify(places.keepApart(owner, write.content)),
    );
  }

  /** The owner for a reader: cached ids are valid until the thread gets another fence. */
  function readOwner(thread: string): Owner {
    return { thread, fence: leases.fence(leaseKey(thread)) };
  }

  function toCheckpointRow(found: Row | undefined): CheckpointRow | undefined {
    if (found === undefined) return undefined;
    const entries = Object.entries<ContentPlace>(JSON.parse(String(found['channel_values'])));
    const contents = places.read(
      readOwner(String(found['thread_id'])),
      entries.map(([, place]) => place),
    );
    return Object.freeze({
      ...toHead(found),
      body: String(found['checkpoint']),
      channels: new Map(entries.map(([channel], index): [string, Content] => [channel, contents[index]!])),
    });
  }

  return {
    latest: (thread, namespace) =>
      toCheckpointRow(
        db.get(
          `SELECT * FROM langgraph_checkpoints WHERE thread_id = ? AND checkpoint_ns = ?
           ORDER BY seq DESC LIMIT 1`,
          thread,
          namespace,
        ),
      ),
    get: ({ thread, namespace, id }) =>
      toCheckpointRow(
        db.get(
          `SELECT * FROM langgraph_checkpoints
           WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?`,
          thread,
          namespace,
          id,
        ),
      ),
    heads: (query) => readHeads(db, query),
    writes({ thread, namespace, id }) {
      const rows = db.all(
        `SELECT task_id, idx, task_path, channel, value FROM langgraph_writes
         WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?`,
        thread,
        namespace,
        id,
      );
      if (rows.length === 0) return [];
      const found = rows.map(({ value }) => JSON.parse(String(value)) as ContentPlace);
      const contents = places.read(readOwner(thread), found);
      return rows.map(({ task_id, idx, task_path, channel }, index) =>
        Object.freeze({
          task: String(task_id),
          index: Number(idx),
          path: String(task_path),
          channel: String(channel),
          content: contents[index]!,
        }),
      );
    },
    write(lease: ThreadLease, { checkpoints, writes, unsynced = false }: CheckpointBatch) {
      const owner = { thread: lease.thread, fence: lease.fence };
      try {
        if (unsynced) db.run('PRAGMA synchronous = NORMAL');
        db.atomic(() => {
          leases.check(lease);
          for (const write of writes) keepWrite(owner, write);
          for (const checkpoint of checkpoints) keep(owner, checkpoint);
        });
      } catch (error) {
        forget();
        throw error;
      } finally {
        if (unsynced) db.run('PRAGMA synchronous = FULL');
      }
    },
    remove(lease) {
      forget();
      db.atomic(() => {
        leases.check(lease);
        for (const table of ['checkpoints', 'writes', 'lists', 'pieces'])
          db.run(`DELETE FROM langgraph_${table} WHERE thread_id = ?`, lease.thread);
      });
    },
    usage: (thread) => readUsage(db, thread),
  };
}

function toHead(row: Row): CheckpointHead {
  const parent = row['parent_checkpoint_id'];
  return {
    thread: String(row['thread_id']),
    namespace: String(row['checkpoint_ns']),
    id: String(row['checkpoint_id']),
    parent: parent === null ? null : String(parent),
    metadata: String(row['metadata']),
  };
}

function readHeads(db: Database, query: HeadQuery): readonly CheckpointHead[] {
  const { thread, namespace, id, before, limit } = query;
  const conditions: readonly (readonly [string, string | undefined])[] = [
    ['thread_id =', thread],
    ['checkpoint_ns =', namespace],
    ['checkpoint_id =', id],
    ['checkpoint_id <', before],
  ];
  const givenConditions = conditions.filter(
    (each): each is readonly [string, string] => each[1] !== undefined,
  );
  const where =
    givenConditions.length === 0 ? '' : `WHERE ${givenConditions.map(([test]) => `${test} ?`).join(' AND ')}`;
  return db
    .all(
      `SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata
       FROM langgraph_checkpoints ${where} ORDER BY checkpoint_id DESC, seq DESC LIMIT ?`,
      ...givenConditions.map(([, value]) => value),
      limit ?? -1,
    )
    .map((row) => Object.freeze(toHead(row)));
}

function readUsage(db: Database, thread: string | undefined): readonly ThreadUsage[] {
  const where = thread === undefined ? '' : 'WHERE thread_id = ?1';
  const part = (table: string, columns: string, kind: string) => `
    SELECT thread_id, '${kind}' AS kind, count(*) AS number,
      sum(${columns
        .split(' ')
        .map((column) => `octet_length(${column})`)
        .join(' + ')}) AS bytes
    FROM langgraph_${table} ${where} GROUP BY thread_id`;
  const sql = `
    SELECT thread_id, sum(bytes) AS bytes,
      sum(number) FILTER (WHERE kind = 'checkpoints') AS checkpoints,
      sum(number) FILTER (WHERE kind = 'writes') AS writes,
      sum(number) FILTER (WHERE kind = 'pieces') AS pieces
    FROM (
      ${part('checkpoints', 'thread_id checkpoint_ns checkpoint_id checkpoint metadata channel_values', 'checkpoints')}
      UNION ALL ${part('writes', 'thread_id checkpoint_ns checkpoint_id task_id task_path channel value', 'writes')}
      UNION ALL ${part('lists', 'thread_id items', 'lists')}
      UNION ALL ${part('pieces', 'thread_id hash type data', 'pieces')}
    ) GROUP BY thread_id ORDER BY bytes DESC, thread_id`;
  return db.all(sql, ...(thread === undefined ? [] : [thread])).map((row) =>
    Object.freeze({
      thread: String(row['thread_id']),
      checkpoints: Number(row['checkpoints'] ?? 0),
      writes: Number(row['writes'] ?? 0),
      pieces: Number(row['pieces'] ?? 0),
      bytes: Number(row['bytes'] ?? 0),
    }),
  );
}
