import { SondeError } from '../../core/index.ts';
import type { Sessions, ThreadLease } from '../../store/index.ts';
import { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';

/** Runs work under the thread's lease, one worker at a time. Throws `not_found`, `run_state`. */
export async function withThread<Value>(
  thread: string,
  { threads, checkpoints }: Pick<Sessions, 'threads' | 'checkpoints'>,
  work: (lease: ThreadLease, checkpointer: ThreadCheckpointer) => Promise<Value>,
): Promise<Value> {
  const lease = await threads.acquire(thread);
  let checkpointer: ThreadCheckpointer | undefined;
  try {
    checkpointer = new ThreadCheckpointer({
      checkpoints,
      leaseOf(requested) {
        if (requested === thread) return lease;
        throw new SondeError('internal', { message: `The turn of ${thread} writes to ${requested}` });
      },
    });
    return await work(lease, checkpointer);
  } finally {
    // Pending writes are finished before the lease is released.
    await checkpointer?.whenSettled();
    await lease.release();
  }
}
