import { SondeError } from '../../core/index.ts';
import type { Sessions, ThreadLease } from '../../store/index.ts';
import { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';

/** One worker at a time: what is written to the thread is written under its lease. Throws `not_found`, `run_state`. */
export async function withThread<Value>(
  thread: string,
  { threads, checkpoints }: Pick<Sessions, 'threads' | 'checkpoints'>,
  work: (lease: ThreadLease, checkpointer: ThreadCheckpointer) => Promise<Value>,
): Promise<Value> {
  const lease = threads.acquire(thread);
  try {
    const checkpointer = new ThreadCheckpointer({
      checkpoints,
      leaseOf(asked) {
        if (asked === thread) return lease;
        throw new SondeError('internal', { message: `The turn of ${thread} writes to ${asked}` });
      },
    });
    return await work(lease, checkpointer);
  } finally {
    await lease.release();
  }
}
