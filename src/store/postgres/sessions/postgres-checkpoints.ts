/**
 * Checkpoints in PostgreSQL. A thread has one writer, which knows its stored pieces and assigns the ids of new ones. So
 * a batch takes one round trip, and can be sent again.
 */
import { throwLeaseLost } from '../../../core/pools.ts';
import type {
  CheckpointBatch,
  CheckpointHead,
  CheckpointKey,
  CheckpointRow,
  Checkpoints,
  Content,
  NewCheckpoint,
} from '../../sessions/checkpoints.ts';
import type { ContentPlace, Owner } from '../../sessions/places.ts';
import { leaseKey } from '../../sessions/thread-rules.ts';
import type { ThreadLease } from '../../sessions/threads.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import type { PostgresLeases } from '../runs/postgres-leases.ts';
import { writerVersion } from '../schema/schema.ts';
import { codeOf, raisedCodes } from '../store-errors.ts';
import { readThreadUsage, selectHeads } from './checkpoint-reads.ts';
import { keepCheckpoints, keepWrites, type PlacedWrite } from './keep-checkpoints.ts';
import { openThreadPlaces, readSource, type ThreadPlaces } from './postgres-places.ts';
import { dropThread, transactUnderLease } from './postgres-threads.ts';

type PlacesByChannel = Readonly<Record<string, ContentPlace>>;

/** Maximum number of threads whose pieces this process remembers. */
const maxThreads = 64;

export function postgresCheckpoints(db: PostgresDatabase, leases: PostgresLeases): Checkpoints {
  /** The stored pieces of threads that this process writes. */
  const placesByThread = new Map<string, ThreadPlaces>();
  /** The last write of each thread; the next one waits for it. */
  const lastWrites = new Map<string, Promise<void>>();

  async function getThreadPlaces({ thread, fence }: Owner): Promise<ThreadPlaces> {
    const knownPlaces = placesByThread.get(thread);
    if (knownPlaces?.fence === fence) return knownPlaces;
    const newPlaces = await openThreadPlaces(db, { thread, fence });
    placesByThread.set(thread, newPlaces);
    if (placesByThread.size > maxThreads) placesByThread.delete(placesByThread.keys().next().value!);
    return newPlaces;
  }

  async function readParentPlaces(
    owner: Owner,
    { namespace, parent }: NewCheckpoint,
    threadPlaces: ThreadPlaces,
  ): Promise<PlacesByChannel> {
    if (parent === null) return {};
    const lastCheckpoint = threadPlaces.newest.get(namespace);
    if (lastCheckpoint?.id === parent) return lastCheckpoint.places;
    const row = await find({ thread: owner.thread, namespace, id: parent });
    return row === undefined ? {} : JSON.parse(String(row['channel_values']));
  }

  async function write(
    lease: ThreadLease,
    { checkpoints, writes }: Pick<CheckpointBatch, 'checkpoints' | 'writes'>,
  ): Promise<void> {
    const owner = { thread: lease.thread, fence: lease.fence };
    const threadPlaces = await getThreadPlaces(owner);
    const rows: (readonly [NewCheckpoint, PlacesByChannel])[] = [];
    try {
      const placedWrites = writes.map(
        (newWrite): PlacedWrite => ({
          ...newWrite,
          place: threadPlaces.places.keepApart(owner, newWrite.content),
        }),
      );
      for (const checkpoint of checkpoints) {
        const parentPlaces = await readParentPlaces(owner, checkpoint, threadPlaces);
        await threadPlaces.load(owner, Object.values(parentPlaces));
        const channelPlaces = placeChannels(owner, checkpoint, parentPlaces, threadPlaces);
        rows.push([checkpoint, channelPlaces]);
        threadPlaces.newest.set(checkpoint.namespace, { id: checkpoint.id, places: channelPlaces });
      }
      threadPlaces.turn += 1;
      const { pieces, lists } = threadPlaces.take();
      await sendInTurn(lease, threadPlaces.turn, [
        ...pieces,
        ...lists,
        ...keepWrites(lease.thread, placedWrites),
        ...keepCheckpoints(lease.thread, rows),
      ]);
    } catch (error) {
      placesByThread.delete(lease.thread);
      throw error;
    }
  }

  /** Sends a numbered commit: if it arrives after later ones, it changes nothing. */
  async function sendInTurn(
    { run, fence }: ThreadLease,
    turn: number,
    statements: readonly Statement[],
  ): Promise<void> {
    const turnStatement = {
      name: 'take a turn',
      text: 'SELECT take_turn($1::text[], $2::bigint[], $3, $4)',
      values: [[run], [fence], turn, writerVersion],
    };
    try {
      await db.transact([turnStatement, ...statements], (code) => {
        if (code === raisedCodes.leaseLost) throwLeaseLost(run, fence);
      });
    } catch (thrown) {
      if (codeOf(thrown) !== raisedCodes.keptBefore) throw thrown;
    }
  }

  async function find({ thread, namespace, id }: CheckpointKey): Promise<Row | undefined> {
    const text =
      'SELECT * FROM langgraph_checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3';
    return (await db.ask({ name: 'checkpoint', text, values: [thread, namespace, id] }))[0];
  }

  /** Reads the values that are stored at these places. */
  async function readContents(thread: string, places: readonly ContentPlace[]): Promise<readonly Content[]> {
    const fence = Number((await leases.read(leaseKey(thread)))?.['fence'] ?? 0);
    const threadPlaces = placesByThread.get(thread);
    const currentPlaces = threadPlaces?.fence === fence ? threadPlaces : undefined;
    const { source, places: readerPlaces } = await readSource(db, thread, places);
    return (currentPlaces?.places ?? readerPlaces).read({ thread, fence }, places, source);
  }

  async function toCheckpointRow(found: Row | undefined): Promise<CheckpointRow | undefined> {
    if (found === undefined) return undefined;
    const entries = Object.entries<ContentPlace>(JSON.parse(String(found['channel_values'])));
    const values = await readContents(
      String(found['thread_id']),
      entries.map(([, place]) => place),
    );
    return Object.freeze({
      ...toHead(found),
      body: String(found['checkpoint']),
      channels: new Map(entries.map(([channel], index): [string, Content] => [channel, values[index]!])),
    });
  }

  return {
    async latest(thread, namespace) {
      const text =
        'SELECT * FROM langgraph_checkpoints WHERE thread_id = $1 AND checkpoint_ns = $2 ORDER BY seq DESC LIMIT 1';
      const [row] = await db.ask({ name: 'latest checkpoint', text, values: [thread, namespace] });
      return toCheckpointRow(row);
    },
    get: async (key) => toCheckpointRow(await find(key)),
    heads: async (query) => (await db.ask(selectHeads(query))).map(toHead),
    async writes({ thread, namespace, id }) {
      const rows = await db.ask({
        name: 'writes of a checkpoint',
        text: `SELECT task_id, idx, task_path, channel, value FROM langgraph_writes
          WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3 ORDER BY task_id, idx`,
        values: [thread, namespace, id],
      });
      if (rows.length === 0) return [];
      const values = await readContents(
        thread,
        rows.map(({ value }) => JSON.parse(String(value)) as ContentPlace),
      );
      return rows.map(({ task_id, idx, task_path, channel }, index) =>
        Object.freeze({
          task: String(task_id),
          index: Number(idx),
          path: String(task_path),
          channel: String(channel),
          content: values[index]!,
        }),
      );
    },
    write(lease, batch) {
      // `unsynced` is ignored, since the server may crash while this process lives: every commit waits for the disk.
      const previousWrite = lastWrites.get(lease.thread) ?? Promise.resolve();
      const thisWrite = previousWrite.catch(() => {}).then(() => write(lease, batch));
      lastWrites.set(lease.thread, thisWrite);
      const forget = (): void => {
        if (lastWrites.get(lease.thread) === thisWrite) lastWrites.delete(lease.thread);
      };
      thisWrite.then(forget, forget);
      return thisWrite;
    },
    async remove(lease) {
      placesByThread.delete(lease.thread);
      await transactUnderLease(db, leases, lease, dropThread(lease.thread));
    },
    usage: (thread) => readThreadUsage(db, thread),
  };
}

function placeChannels(
  owner: Owner,
  { kept, changed }: NewCheckpoint,
  parentPlaces: PlacesByChannel,
  { places }: ThreadPlaces,
): PlacesByChannel {
  const findParentPlace = (channel: string): ContentPlace | undefined =>
    Object.hasOwn(parentPlaces, channel) ? parentPlaces[channel] : undefined;
  const placeEntries: [string, ContentPlace][] = [];
  for (const channel of kept) {
    const place = findParentPlace(channel);
    if (place !== undefined) placeEntries.push([channel, place]);
  }
  for (const [channel, content] of changed)
    placeEntries.push([channel, places.keep(owner, content, findParentPlace(channel))]);
  return Object.fromEntries(placeEntries);
}

function toHead(row: Row): CheckpointHead {
  const parent = row['parent_checkpoint_id'];
  return Object.freeze({
    thread: String(row['thread_id']),
    namespace: String(row['checkpoint_ns']),
    id: String(row['checkpoint_id']),
    parent: parent === null ? null : String(parent),
    metadata: String(row['metadata']),
  });
}
