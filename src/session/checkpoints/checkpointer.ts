/**
 * LangGraph's checkpointer over our store. Its cost is linear in the length of the conversation, its order is exact,
 * and its writes are fenced: a worker that was paused past the end of its lease can write nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from '@langchain/langgraph-checkpoint';
import { SondeError } from '../../core/index.ts';
import type {
  CheckpointHead,
  CheckpointKey,
  CheckpointRow,
  Checkpoints,
  Content,
  ThreadLease,
} from '../../store/index.ts';
import { createPieces, type Pieces } from '../history/pieces.ts';
import { type WriteQueue, writeQueue } from './write-queue.ts';

export interface CheckpointerOptions {
  readonly checkpoints: Checkpoints;
  /** The lease under which a thread is written; throws if this worker has none. */
  readonly leaseOf: (thread: string) => ThreadLease | Promise<ThreadLease>;
  /** LangGraph's own by default. Plain data never reaches it. */
  readonly serde?: SerializerProtocol;
  /**
   * Does not wait until checkpoints are on the disk. This is several times faster, and as safe if the process is
   * killed, but a power failure may lose the last steps. False by default.
   */
  readonly unsynced?: boolean;
}

type Body = Pick<Checkpoint, 'v' | 'ts' | 'channel_versions' | 'versions_seen'>;

interface CheckpointPath {
  readonly thread: string;
  readonly namespace: string;
  readonly id: string | null;
}

/** A class because LangGraph requires a subclass. One instance serves any number of threads and graphs. */
export class ThreadCheckpointer extends BaseCheckpointSaver {
  readonly #checkpoints: Checkpoints;
  readonly #leaseOf: CheckpointerOptions['leaseOf'];
  readonly #pieces: Pieces;
  readonly #queue: WriteQueue;
  readonly #underWay = new Set<Promise<unknown>>();
  /** The channel versions of the last checkpoint in each namespace. */
  readonly #versions = new Map<string, { readonly id: string; readonly versions: ChannelVersions }>();

  constructor({ checkpoints, leaseOf, serde, unsynced = false }: CheckpointerOptions) {
    super(serde);
    this.#checkpoints = checkpoints;
    this.#leaseOf = leaseOf;
    this.#pieces = createPieces(serde);
    this.#queue = writeQueue(checkpoints, unsynced);
  }

  /** Resolves once no write of a graph is in progress: a stopped graph does not wait for its writes. */
  async whenSettled(): Promise<void> {
    for (;;) {
      await Promise.allSettled(this.#underWay);
      // Writes that follow from those just finished begin in the same turn of the event loop.
      await nextTurn();
      if (this.#underWay.size === 0) return;
    }
  }

  #track<Value>(work: Promise<Value>): Promise<Value> {
    this.#underWay.add(work);
    const untrack = (): void => void this.#underWay.delete(work);
    work.then(untrack, untrack);
    return work;
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#track(this.#getTuple(config));
  }

  override put(...args: Parameters<BaseCheckpointSaver['put']>): Promise<RunnableConfig> {
    return this.#track(this.#put(...args));
  }

  override putWrites(...args: Parameters<BaseCheckpointSaver['putWrites']>): Promise<void> {
    return this.#track(this.#putWrites(...args));
  }

  async #getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const thread = config.configurable?.['thread_id'] as string | undefined;
    if (thread === undefined) return undefined;
    const { namespace, id } = readPlace(config);
    const row =
      id === null
        ? await this.#checkpoints.latest(thread, namespace)
        : await this.#checkpoints.get({ thread, namespace, id });
    return row && this.#tuple(row);
  }

  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { limit, before, filter = {} } = options;
    const { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } = config.configurable ?? {};
    const beforeId = before?.configurable?.['checkpoint_id'] as string | undefined;
    const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
    const heads = await this.#checkpoints.heads({
      ...(thread && { thread }),
      ...(namespace !== undefined && { namespace }),
      ...(id && { id }),
      ...(beforeId && { before: beforeId }),
      ...(limit !== undefined && conditions.length === 0 && { limit: Math.max(0, limit) }),
    });
    let remaining = limit ?? heads.length;
    for (const head of heads) {
      if (remaining <= 0) return;
      const metadata = JSON.parse(head.metadata) as Record<string, unknown>;
      if (!conditions.every(([key, value]) => isSameJson(metadata[key], value))) continue;
      const row = await this.#checkpoints.get(head);
      // The checkpoint may have been removed since its head was read.
      if (row === undefined) continue;
      remaining -= 1;
      yield await this.#tuple(row);
    }
  }

  async #put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, namespace, id: parent } = writablePath(config, 'a checkpoint');
    const { channel_values, channel_versions, versions_seen, v, ts, id } = checkpoint;
    const parentKey = parent === null ? null : { thread, namespace, id: parent };
    const heldVersions = parentKey === null ? {} : this.#heldVersions(parentKey);
    const isKept = (channel: string, known: ChannelVersions | undefined): boolean =>
      !(channel in newVersions) && known !== undefined && known[channel] === channel_versions[channel];
    const body = JSON.stringify({ v, ts, channel_versions, versions_seen } satisfies Body);
    const metadataText = JSON.stringify(metadata);
    const versions = { ...channel_versions };
    // Serialised before any wait, since the next step may change a value in place.
    const contents = Promise.all(
      Object.entries(channel_values).map(
        async ([channel, value]) =>
          [channel, isKept(channel, heldVersions) ? null : await this.#pieces.toContent(value)] as const,
      ),
    );
    const [lease, knownVersions, newContents] = await Promise.all([
      this.#leaseOf(thread),
      parentKey === null || heldVersions !== undefined ? heldVersions : this.#versionsOf(parentKey),
      contents,
    ]);
    const keptChannels: string[] = [];
    const changed = new Map<string, Content>();
    for (const [channel, content] of newContents) {
      if (content === null || isKept(channel, knownVersions)) keptChannels.push(channel);
      // A fork has the same parent as its original, but may have channels that this parent lacks.
      else if (channel in newVersions || parent !== null || metadata.source === 'fork')
        changed.set(channel, content);
    }
    await this.#queue.checkpoint(lease, {
      namespace,
      id,
      parent,
      body,
      metadata: metadataText,
      changed,
      kept: keptChannels,
    });
    this.#remember({ thread, namespace, id }, versions);
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } };
  }

  async #putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const { thread, namespace, id } = writablePath(config, 'writes');
    if (id === null)
      throw new SondeError('bad_argument', {
        message: 'Writes were given without the checkpoint that they follow',
        remedy: 'Name it as checkpoint_id in `configurable`.',
      });
    const [contents, lease] = await Promise.all([
      Promise.all(writes.map(([, value]) => this.#pieces.toContent(value))),
      this.#leaseOf(thread),
    ]);
    await this.#queue.writes(
      lease,
      writes.map(([channel], position) => ({
        namespace,
        checkpoint: id,
        task: taskId,
        path: taskPath,
        index: WRITES_IDX_MAP[channel] ?? position,
        channel,
        content: contents[position]!,
      })),
    );
  }

  /** Removes the checkpoints of a conversation; the store removes the conversation itself. */
  override async deleteThread(thread: string): Promise<void> {
    await this.#checkpoints.remove(await this.#leaseOf(thread));
    for (const key of this.#versions.keys())
      if (key.startsWith(versionsKey(thread, ''))) this.#versions.delete(key);
  }

  #remember({ thread, namespace, id }: CheckpointKey, versions: ChannelVersions): void {
    this.#versions.set(versionsKey(thread, namespace), { id, versions });
    if (this.#versions.size > 256) this.#versions.delete(this.#versions.keys().next().value!);
  }

  /** Undefined if this checkpoint was not the last one in its namespace. */
  #heldVersions({ thread, namespace, id }: CheckpointKey): ChannelVersions | undefined {
    const lastCheckpoint = this.#versions.get(versionsKey(thread, namespace));
    return lastCheckpoint?.id === id ? lastCheckpoint.versions : undefined;
  }

  /** Undefined if there is no such checkpoint. */
  async #versionsOf(key: CheckpointKey): Promise<ChannelVersions | undefined> {
    const row = await this.#checkpoints.get(key);
    return row && (JSON.parse(row.body) as Body).channel_versions;
  }

  async #tuple(row: CheckpointRow): Promise<CheckpointTuple> {
    const { thread, namespace, id, parent } = row;
    const body = JSON.parse(row.body) as Body;
    this.#remember(row, { ...body.channel_versions });
    const values = await Promise.all(
      [...row.channels].map(async ([channel, content]) => [channel, await this.#pieces.toValue(content)]),
    );
    const checkpoint: Checkpoint = { ...body, id, channel_values: Object.fromEntries(values) };
    if (checkpoint.v < 4 && parent !== null) await this.#addSends(checkpoint, row, parent);
    return {
      config: { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } },
      checkpoint,
      metadata: JSON.parse(row.metadata) as CheckpointMetadata,
      pendingWrites: await this.#writesAt({ thread, namespace, id }),
      ...(parent !== null && {
        parentConfig: {
          configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: parent },
        },
      }),
    };
  }

  async #writesAt(key: CheckpointKey): Promise<CheckpointPendingWrite[]> {
    const rows = (await this.#checkpoints.writes(key))
      .map((row) => ({ row, key: writesSortKey(row.path, row.task, row.index) }))
      .sort((a, b) => compareWritesSortKeys(a.key, b.key));
    return Promise.all(
      rows.map(
        async ({ row }): Promise<CheckpointPendingWrite> => [
          row.task,
          row.channel,
          await this.#pieces.toValue(row.content),
        ],
      ),
    );
  }

  /** Before version 4 of the format, these values were in the parent's writes instead of in a channel. */
  async #addSends(
    checkpoint: Checkpoint,
    { thread, namespace }: CheckpointHead,
    parent: string,
  ): Promise<void> {
    const writes = await this.#writesAt({ thread, namespace, id: parent });
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = writes.flatMap(([, channel, value]) =>
      channel === TASKS ? [value] : [],
    );
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

function versionsKey(thread: string, namespace: string): string {
  return `${thread}\0${namespace}`;
}

function readPlace(config: RunnableConfig): Omit<CheckpointPath, 'thread'> {
  return { namespace: config.configurable?.['checkpoint_ns'] ?? '', id: getCheckpointId(config) || null };
}

function writablePath(config: RunnableConfig, subject: string): CheckpointPath {
  const thread = config.configurable?.['thread_id'];
  if (typeof thread === 'string' && thread !== '') return { thread, ...readPlace(config) };
  throw new SondeError('bad_argument', {
    message: `There is no thread for ${subject} of the graph`,
    remedy: 'Name it as thread_id in `configurable`.',
  });
}

/** Metadata is JSON, so a filter is compared as JSON. */
function isSameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
