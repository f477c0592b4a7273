/**
 * What a graph's checkpointer keeps: the checkpoints of a thread, the writes between them, and the values of their
 * channels. Values are serialised pieces; a list has one piece for each element. Equal pieces of a thread are stored
 * once. A list is stored as its additions to the previous list: the size of a thread is linear in its conversation.
 * An implementer must not: write under a lease that another worker has taken over, keep part of a batch, or return a
 * value that differs from the stored one, even in the order of a list.
 */
import type { ThreadLease } from './threads.ts';

/**
 * One serialised value. The same object is recognised without a look at its data, so callers keep the pieces of
 * unchanged values.
 */
export interface CheckpointPart {
  /** How to read `data`; the store does not interpret it. */
  readonly type: string;
  readonly data: string | Uint8Array;
}

export type Content =
  | { readonly kind: 'one'; readonly piece: CheckpointPart }
  | { readonly kind: 'list'; readonly pieces: readonly CheckpointPart[] };

export interface CheckpointKey {
  readonly thread: string;
  /** Empty for the graph itself; a path for a graph inside it. */
  readonly namespace: string;
  readonly id: string;
}

export interface CheckpointHead extends CheckpointKey {
  readonly parent: string | null;
  /** JSON. */
  readonly metadata: string;
}

export interface CheckpointRow extends CheckpointHead {
  /** JSON: everything but the values of the channels. */
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
  /** Channels that keep the parent's value; those unknown to the parent are skipped. */
  readonly kept: readonly string[];
}

export interface StoredWrite {
  readonly task: string;
  /** Negative for the kinds that a task has once: errors, interrupts, answers. */
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
  /** If two writes have the same task and index, the first is kept; if the index is negative, the last. */
  readonly writes: readonly NewWrite[];
  /**
   * True: does not wait for the disk. A killed process still loses nothing; a power failure loses at most the writes
   * since the last batch that waited.
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

/** Space used by a thread's checkpoints. */
export interface ThreadUsage {
  readonly thread: string;
  readonly checkpoints: number;
  readonly writes: number;
  /** Distinct pieces, each stored once. */
  readonly pieces: number;
  /** Bytes of all content, without the database's own structures. */
  readonly bytes: number;
}

export interface Checkpoints {
  /** The checkpoint stored last, whatever the clock said when its id was made. */
  latest(thread: string, namespace: string): Promise<CheckpointRow | undefined>;
  get(key: CheckpointKey): Promise<CheckpointRow | undefined>;
  /** By id, last first. */
  heads(query: HeadQuery): Promise<readonly CheckpointHead[]>;
  /** In no particular order. */
  writes(key: CheckpointKey): Promise<readonly StoredWrite[]>;
  /**
   * All or nothing, and in the order of the calls. Throws `lease_lost`. Must not be called within an `atomic`: a
   * rollback would not undo what this object remembers in memory.
   */
  write(lease: ThreadLease, batch: CheckpointBatch): Promise<void>;
  /** Removes everything of the thread. Throws `lease_lost`. */
  remove(lease: ThreadLease): Promise<void>;
  /** Of one thread or of all threads, the largest first. */
  usage(thread?: string): Promise<readonly ThreadUsage[]>;
}
