import { SondeError } from '../../core/index.ts';

/** Longest time that the thread is kept from other work. In milliseconds. */
const breath = 12;

/** A function to await often: gives way to other work now and then. */
export function pausing(): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < breath) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        last = performance.now();
        resolve();
      }),
    );
  };
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelledError();
}

export function cancelledError(): SondeError {
  return new SondeError('cancelled', {
    message: 'Indexing was cancelled; the index is as it was before.',
    remedy: 'Search or index again: what changed is read then.',
  });
}
