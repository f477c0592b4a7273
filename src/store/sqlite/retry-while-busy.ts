/** Waits for other processes that write to the same file. */

/** Default milliseconds that a write waits for other writers; long, since a busy disk is slow. */
export const defaultBusyMs = 60_000;

export interface WaitPorts {
  readonly now: () => number;
  readonly pause: (ms: number) => void;
  /** From 0 to 1. */
  readonly random: () => number;
}

const systemWait: WaitPorts = {
  now: () => performance.now(),
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  random: Math.random,
};

/** Milliseconds. */
const maxPauseMs = 40;

/**
 * Retries while the file is busy, for at most `busyMs` milliseconds. SQLite's own retries become rarer with time, so
 * that one of many writers could starve; here every pause is random.
 */
export function retryWhileBusy<Value>(
  busyMs: number,
  work: () => Value,
  wait: WaitPorts = systemWait,
): Value {
  let deadline: number | null = null;
  for (;;) {
    try {
      return work();
    } catch (error) {
      deadline ??= wait.now() + busyMs;
      const remainingMs = deadline - wait.now();
      if (!isBusy(error) || remainingMs <= 0) throw error;
      wait.pause(Math.min(remainingMs, 1 + wait.random() * maxPauseMs));
    }
  }
}

/** SQLite's primary result code BUSY. */
function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' && (code & 0xff) === 5;
}
