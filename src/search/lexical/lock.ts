import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLock } from '../../store/index.ts';
import { throwIfCancelled } from './parallel.ts';

/** Between two attempts, in milliseconds. */
const patience = 20;

/** Runs `work` while no other process, and no other caller in this one, refreshes the same index. */
export async function withLock<T>(
  directory: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const lock = openFileLock(join(directory, 'lock.db'));
  try {
    while (!lock.tryTake()) {
      await sleep(patience);
      throwIfCancelled(signal);
    }
    return await work();
  } finally {
    lock.release();
  }
}
