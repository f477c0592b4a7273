/** Gathers a graph's writes of one turn of the event loop, so that they cost one commit instead of several. */
import type { Checkpoints, NewCheckpoint, NewWrite, ThreadLease } from '../../store/index.ts';

interface Waiting {
  readonly lease: ThreadLease;
  readonly checkpoints: NewCheckpoint[];
  readonly writes: NewWrite[];
  readonly done: PromiseWithResolvers<void>;
}

export interface WriteQueue {
  /** Resolves when they are stored: with the thread's next checkpoint, or at the next turn of the event loop. */
  writes(lease: ThreadLease, writes: readonly NewWrite[]): Promise<void>;
  /** Stores the checkpoint together with what waits for its thread. */
  checkpoint(lease: ThreadLease, checkpoint: NewCheckpoint): Promise<void>;
}

export function writeQueue(store: Checkpoints, unsynced: boolean): WriteQueue {
  const waiting = new Map<string, Waiting>();

  function waitingFor(lease: ThreadLease): Waiting {
    const before = waiting.get(lease.thread);
    if (before?.lease.fence === lease.fence) return before;
    if (before !== undefined) flush(before);
    const fresh: Waiting = { lease, checkpoints: [], writes: [], done: Promise.withResolvers() };
    waiting.set(lease.thread, fresh);
    setImmediate(flush, fresh);
    return fresh;
  }

  function flush({ lease, checkpoints, writes, done }: Waiting): void {
    if (waiting.get(lease.thread)?.done !== done) return;
    waiting.delete(lease.thread);
    store.write(lease, { checkpoints, writes, unsynced }).then(done.resolve, done.reject);
  }

  return {
    writes(lease, writes) {
      const batch = waitingFor(lease);
      batch.writes.push(...writes);
      return batch.done.promise;
    },
    checkpoint(lease, checkpoint) {
      const batch = waitingFor(lease);
      batch.checkpoints.push(checkpoint);
      flush(batch);
      return batch.done.promise;
    },
  };
}
