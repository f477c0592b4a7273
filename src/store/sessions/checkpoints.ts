/**
 * The storage of a graph's checkpointer: the checkpoints of a thread, the writes between them, and the values of their
 * channels. Values are serialised pieces; a list has one piece for each element. Equal pieces of a thread are stored
 * once, and a list is stored as its additions to the previous list, so that the size of a thread is linear in its
 * conversation. An implementer must not: write under a lease that another worker has taken over, store part of a batch,
 * or return a value that differs from the stored one, even in the order of a list.
 */
import type { ThreadLease } from './threads.ts';

/**
 * One serialised value. Pieces are recognised by object identity, so callers should keep the objects of unchanged
 * values.
 */
export interface CheckpointPart {
  /** The format of `data`; the store does not interpret it. */
  readonly type: string;
  readonly data: string | Uint8Array;
}

export type Content =
  | { readonly kind: 'one'; readonly piece: CheckpointPart }
  | { readonly kind: 'list'; readonly pieces: readonly CheckpointPart[] };

export interface CheckpointKey {
  readonly thread: string;
  /** Empty for the graph itself; a path for a subgraph. */
  readonly namespace: string;
  readonly id: string;
}

export interface CheckpointHead extends CheckpointKey {
  readonly parent: string | null;
  /** JSON. */
  readonly metadata: string;
}

export interface CheckpointRow extends CheckpointHead {
  /** JSON: the checkpoint without the values of the channels. */
  readonly body: string;
  readonly channels: ReadonlyMap<string, Content>;
}

export interface NewCheckpoint {
  readonly namespace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly metadata: string;
  readonly body: string;
  readonly changed: ReadonlyMap<string, Content>;
  /** Channels that keep the parent's value; channels that the parent lacks are skipped. */
  readonly kept: readonly string[];
}

export interface StoredWrite {
  readonly task: string;
  /** Negative for kinds that a task has once: errors, interrupts, answers. */
  readonly index: number;
  readonly path: string;
  readonly channel: string;
  readonly content: Content;
}

/** A write may arrive before the checkpoint that it follows. */
export interface NewWrite extends StoredWrite {
  readonly namespace: string;
  readonly checkpoint: string;
}

export interface CheckpointBatch {
  readonly checkpoints: readonly NewCheckpoint[];
  /** Of two writes with the same task and index the first is kept; of those with a negative index, the last. */
  readonly writes: readonly NewWrite[];
  /**
   * True: doesn't wait for the disk. A killed process loses nothing; a power failure may lose the writes since the last
   * batch that waited.
   */
  readonly unsynced?: boolean;
}

export interface HeadQuery {
  readonly thread?: string;
  readonly namespace?: string;
  readonly id?: string;
  /** Only ids that sort before this one. */
  readonly before?: string;
  readonly limit?: number;
}

/** The space that a thread's checkpoints use. */
export interface ThreadUsage {
  readonly thread: string;
  readonly checkpoints: number;
  readonly writes: number;
  /** Distinct pieces, each stored once. */
  readonly pieces: number;
  /** The size of the content in bytes, without indexes and other overhead. */
  readonly bytes: number;
}

export interface Checkpoints {
  /** The checkpoint that was stored last, whatever the time in its id. */
  latest(thread: string, namespace: string): Promise<CheckpointRow | undefined>;
  get(key: CheckpointKey): Promise<CheckpointRow | undefined>;
  /** By descending id. */
  heads(query: HeadQuery): Promise<readonly CheckpointHead[]>;
  /** In no particular order. */
  writes(key: CheckpointKey): Promise<readonly StoredWrite[]>;
  /**
   * Stores a batch, all or nothing, in the order of the calls. Throws `lease_lost`. Must not be called within an
   * `atomic`, whose rollback would not undo the caches of this object.
   */
  write(lease: ThreadLease, batch: CheckpointBatch): Promise<void>;
  /** Removes everything of the thread. Throws `lease_lost`. */
  remove(lease: ThreadLease): Promise<void>;
  /** The usage of one thread or of all, the largest first. */
  usage(thread?: string): Promise<readonly ThreadUsage[]>;
}
