/**
 * Conversations. A thread's id names the conversation and its checkpoints. A thread belongs to one channel or to
 * none.
 *
 * An implementer must not: let two workers hold one thread, or leave anything of a removed thread.
 */
import type { Lease } from '../store.ts';

export interface ThreadRow {
  readonly id: string;
  /** For people; empty if nobody gave one. */
  readonly title: string;
  readonly channel: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  readonly updated: number;
}

export interface ChannelRow {
  readonly id: string;
  readonly title: string;
  readonly created: number;
}

/** The right to advance a thread; one worker holds it at a time. */
export interface ThreadLease extends Lease {
  readonly thread: string;
}

export interface ThreadQuery {
  /** Null: threads in no channel. */
  readonly channel?: string | null;
  /** Default 50. */
  readonly limit?: number;
}

/** Promises reject with the errors that are named. */
export interface Threads {
  /** Throws `run_state` if the id is taken, `not_found` if the channel does not exist. */
  create(thread: {
    readonly id: string;
    readonly title?: string;
    readonly channel?: string | null;
  }): Promise<ThreadRow>;
  /** Throws `not_found`. */
  get(id: string): Promise<ThreadRow>;
  has(id: string): Promise<boolean>;
  /** By last change, newest first. */
  list(query?: ThreadQuery): Promise<readonly ThreadRow[]>;
  /** Changes its title or channel, or records activity. Throws `lease_lost`. */
  touch(
    lease: ThreadLease,
    change?: { readonly title?: string; readonly channel?: string | null },
  ): Promise<ThreadRow>;
  /**
   * Takes the lease, with a higher fence than all before. Throws `not_found`, and `run_state` while its holder is
   * alive, even if that is this process.
   */
  acquire(id: string): Promise<ThreadLease>;
  /** Whether a live worker holds it. */
  isHeld(id: string): Promise<boolean>;
  /** Removes the thread with its checkpoints, and releases the lease. Throws `lease_lost`. */
  remove(lease: ThreadLease): Promise<void>;
}

export interface Channels {
  /** Throws `run_state` if the id is taken. */
  create(channel: { readonly id: string; readonly title?: string }): Promise<ChannelRow>;
  /** Throws `not_found`. */
  get(id: string): Promise<ChannelRow>;
  list(): Promise<readonly ChannelRow[]>;
  /** Removes a channel; its threads stay, without a channel. Throws `not_found`. */
  remove(id: string): Promise<void>;
}
