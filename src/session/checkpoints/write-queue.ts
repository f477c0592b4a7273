/** Gathers what a graph writes in one turn of the event loop, so that it costs one commit instead of several. */
import type { Checkpoints, NewCheckpoint, NewWrite, ThreadLease } from '../../store/index.ts';

interface Waiting {
  readonly lease: ThreadLease;
  readonly checkpoints: NewCheckpoint[];
  readonly writes: NewWrite[];
  readonly done: PromiseWithResolvers<void>;
}

export interface WriteQueue {
  /** Resolves when they are kept: with the next checkpoint of the thread, or at the event loop's next turn. */
  writes(lease: ThreadLease, writes: readonly NewWrite[]): Promise<void>;
  /** Keeps the checkpoint, and what waits for its thread, at once. */
  checkpoint(lease: ThreadLease, checkpoint: NewCheckpoint): Promise<void>;
}

export function writeQueue(store: Checkpoints, unsynced: boolean): WriteQueue {
  const waiting = new Map<string, Waiting>();

  function of(lease: ThreadLease): Waiting {
    const before = waiting.get(lease.thread);
    if (before?.lease.fence === lease.fence) return before;
    if (before !== undefined) flush(before);
    const fresh: Waiting = { lease, checkpoints: [], writes: [], done: Promise.withResolvers() };
    waiting.set(lease.thread, fresh);
    setImmediate(flush, fresh);
    return fresh;
  }

  function flush(batch: Waiting): void {
    if (waiting.get(batch.lease.thread) !== batch) return;
    waiting.delete(batch.lease.thread);
    try {
      store.write(batch.lease, { checkpoints: batch.checkpoints, writes: batch.writes, unsynced });
      batch.done.resolve();
    } catch (error) {
      batch.done.reject(error);
    }
  }

  return {
    writes(lease, writes) {
      const batch = of(lease);
      batch.writes.push(...writes);
      return batch.done.promise;
    },
    checkpoint(lease, checkpoint) {
      const batch = of(lease);
      batch.checkpoints.push(checkpoint);
      flush(batch);
      return batch.done.promise;
    },
  };
}
