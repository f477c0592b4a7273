import { SondeError } from '../../core/index.ts';

/** Longest time that the thread is kept from other work. In milliseconds. */
const maxBlockMs = 12;

/** A function to await often: gives way to other work now and then. */
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
