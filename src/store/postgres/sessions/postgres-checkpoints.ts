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
  const known = new Map<string, ThreadPlaces>();
  /** The last write of each thread; the next one waits for it. */
  const writing = new Map<string, Promise<void>>();

  async function getThreadPlaces({ thread, fence }: Owner): Promise<ThreadPlaces> {
    const before = known.get(thread);
    if (before?.fence === fence) return before;
    const fresh = await openThreadPlaces(db, { thread, fence });
    known.set(thread, fresh);
    if (known.size > maxThreads) known.delete(known.keys().next().value!);
    return fresh;
  }

  async function readParentPlaces(
    owner: Owner,
    { namespace, parent }: NewCheckpoint,
    at: ThreadPlaces,
  ): Promise<PlacesByChannel> {
    if (parent === null) return {};
    const last = at.newest.get(namespace);
    if (last?.id === parent) return last.places;
    const row = await find({ thread: owner.thread, namespace, id: parent });
    return row === undefined ? {} : JSON.parse(String(row['channel_values']));
  }

  async function write(
    lease: ThreadLease,
    { checkpoints, writes }: Pick<CheckpointBatch, 'checkpoints' | 'writes'>,
  ): Promise<void> {
    const owner = { thread: lease.thread, fence: lease.fence };
    const at = await getThreadPlaces(owner);
    const rows: (readonly [NewCheckpoint, PlacesByChannel])[] = [];
    try {
      const placed = writes.map(
        (newWrite): PlacedWrite => ({ ...newWrite, place: at.places.keepApart(owner, newWrite.content) }),
      );
      for (const checkpoint of checkpoints) {
        const before = await readParentPlaces(owner, checkpoint, at);
        await at.load(owner, Object.values(before));
        const found = placeChannels(owner, checkpoint, before, at);
        rows.push([checkpoint, found]);
        at.newest.set(checkpoint.namespace, { id: checkpoint.id, places: found });
      }
      at.turn += 1;
      const { pieces, lists } = at.take();
      await sendInTurn(lease, at.turn, [
        ...pieces,
        ...lists,
        ...keepWrites(lease.thread, placed),
        ...keepCheckpoints(lease.thread, rows),
      ]);
    } catch (error) {
      known.delete(lease.thread);
      throw error;
    }
  }

  /** Sends a numbered commit: if it arrives after later ones, it changes nothing. */
  async function sendInTurn(
    { run, fence }: ThreadLease,
    turn: number,
    statements: readonly Statement[],
  ): Promise<void> {
    const first = {
      name: 'take a turn',
      text: 'SELECT take_turn($1::text[], $2::bigint[], $3, $4)',
      values: [[run], [fence], turn, writerVersion],
    };
    try {
      await db.transact([first, ...statements], (code) => {
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
    const before = known.get(thread);
    const at = before?.fence === fence ? before : undefined;
    const { source, places: apart } = await readSource(db, thread, places);
    return (at?.places ?? apart).read({ thread, fence }, places, source);
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
      const before = writing.get(lease.thread) ?? Promise.resolve();
      const now = before.catch(() => {}).then(() => write(lease, batch));
      writing.set(lease.thread, now);
      const forget = (): void => {
        if (writing.get(lease.thread) === now) writing.delete(lease.thread);
      };
      now.then(forget, forget);
      return now;
    },
    async remove(lease) {
      known.delete(lease.thread);
      await transactUnderLease(db, leases, lease, dropThread(lease.thread));
    },
    usage: (thread) => readThreadUsage(db, thread),
  };
}

function placeChannels(
  owner: Owner,
  { kept, changed }: NewCheckpoint,
  before: PlacesByChannel,
  { places }: ThreadPlaces,
): PlacesByChannel {
  const base = (channel: string): ContentPlace | undefined =>
    Object.hasOwn(before, channel) ? before[channel] : undefined;
  const found: [string, ContentPlace][] = [];
  for (const channel of kept) {
    const place = base(channel);
    if (place !== undefined) found.push([channel, place]);
  }
  for (const [channel, content] of changed) found.push([channel, places.keep(owner, content, base(channel))]);
  return Object.fromEntries(found);
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
