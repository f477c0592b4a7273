/** Batches a graph's writes of one turn of the event loop, so that they cost one commit instead of several. */
import type { Checkpoints, NewCheckpoint, NewWrite, ThreadLease } from '../../store/index.ts';

interface Batch {
  readonly lease: ThreadLease;
  readonly checkpoints: NewCheckpoint[];
  readonly writes: NewWrite[];
  readonly done: PromiseWithResolvers<void>;
}

export interface WriteQueue {
  /** Resolves when the writes are stored: with the thread's next checkpoint, or at the next turn of the event loop. */
  writes(lease: ThreadLease, writes: readonly NewWrite[]): Promise<void>;
  /** Stores the checkpoint together with the waiting writes of its thread. */
  checkpoint(lease: ThreadLease, checkpoint: NewCheckpoint): Promise<void>;
}

export function writeQueue(store: Checkpoints, unsynced: boolean): WriteQueue {
  const batches = new Map<string, Batch>();

  function batchFor(lease: ThreadLease): Batch {
    const openBatch = batches.get(lease.thread);
    if (openBatch?.lease.fence === lease.fence) return openBatch;
    if (openBatch !== undefined) flush(openBatch);
    const newBatch: Batch = { lease, checkpoints: [], writes: [], done: Promise.withResolvers() };
    batches.set(lease.thread, newBatch);
    setImmediate(flush, newBatch);
    return newBatch;
  }

  function flush({ lease, checkpoints, writes, done }: Batch): void {
    if (batches.get(lease.thread)?.done !== done) return;
    batches.delete(lease.thread);
    store.write(lease, { checkpoints, writes, unsynced }).then(done.resolve, done.reject);
  }

  return {
    writes(lease, writes) {
      const batch = batchFor(lease);
      batch.writes.push(...writes);
      return batch.done.promise;
    },
    checkpoint(lease, checkpoint) {
      const batch = batchFor(lease);
      batch.checkpoints.push(checkpoint);
      flush(batch);
      return batch.done.promise;
    },
  };
}
