/**
 * What a graph's checkpointer keeps: the checkpoints of a thread, the writes between them, and the values of
 * their channels. Values are pieces, already serialised, a list as one piece for each element. Equal pieces
 * of a thread are kept once, and a list as what it adds to the one before it, so that the size of a thread is
 * linear in what is said in it. An implementer must not: write under a lease that another worker has taken
 * over, keep part of a batch, or return a value that differs from what was given, down to the order of a
 * list.
 */
import type { ThreadLease } from './threads.ts';

/**
 * One serialised value. Given again as the same object it is recognised without a look at its data, so a caller
 * keeps the pieces of what didn't change.
 */
export interface Piece {
  /** How to read `data`; the store only keeps it. */
  readonly type: string;
  readonly data: string | Uint8Array;
}

export type Content =
  | { readonly kind: 'one'; readonly piece: Piece }
  | { readonly kind: 'list'; readonly pieces: readonly Piece[] };

export interface CheckpointKey {
  readonly thread: string;
  /** Empty for the graph itself; a path for one inside it. */
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
  /** Channels whose value is the parent's; one that the parent doesn't have is left out. */
  readonly kept: readonly string[];
}

export interface StoredWrite {
  readonly task: string;
  /** Negative for the few of which a task has one each: errors, interrupts, answers. */
  readonly index: number;
  readonly path: string;
  readonly channel: string;
  readonly content: Content;
}

/** A write may come before the checkpoint that it follows. */
export interface NewWrite extends StoredWrite {
  readonly namespace: string;
  readonly checkpoint: string;
}

export interface CheckpointBatch {
  readonly checkpoints: readonly NewCheckpoint[];
  /** Of two with the same task and index the first is kept; with a negative index the last. */
  readonly writes: readonly NewWrite[];
  /**
   * True: not waited for until it is on the disk. A killed process loses none of it all the same; a power
   * failure loses at most what came after the last write of the database that was waited for.
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

/** What a thread's checkpoints take. */
export interface ThreadUsage {
  readonly thread: string;
  readonly checkpoints: number;
  readonly writes: number;
  /** Distinct pieces, each kept once. */
  readonly pieces: number;
  /** Bytes of all of it, without what the database needs to find it again. */
  readonly bytes: number;
}

export interface Checkpoints {
  /** The one that was kept last, whatever the clock said when its id was made. */
  latest(thread: string, namespace: string): CheckpointRow | undefined;
  get(key: CheckpointKey): CheckpointRow | undefined;
  /** By id, the last first. */
  heads(query: HeadQuery): readonly CheckpointHead[];
  /** In no particular order. */
  writes(key: CheckpointKey): readonly StoredWrite[];
  /**
   * All of it, or nothing. Throws `lease_lost`. Not to be called within another `atomic`, since a rollback of
   * that would not undo what this remembers.
   */
  write(lease: ThreadLease, batch: CheckpointBatch): void;
  /** Removes everything of the thread. Throws `lease_lost`. */
  remove(lease: ThreadLease): void;
  /** The largest first; of one thread, or of all. */
  usage(thread?: string): readonly ThreadUsage[];
}
