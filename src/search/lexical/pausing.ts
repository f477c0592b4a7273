import { SondeError } from '../../core/index.ts';

/** Maximum time in which other work of the thread has to wait. */
const maxBlockMs = 12;

/** Returns a function to await often in a long loop; it yields to the event loop when the time is over. */
export function createPause(): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < maxBlockMs) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        last = performance.now();
        resolve();
      }),
    );
  };
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw createCancelledError();
}

export function createCancelledError(): SondeError {
  return new SondeError('cancelled', {
    message: 'Indexing was cancelled; the index is as it was before.',
    remedy: 'Search or index again: what changed is read then.',
  });
}
