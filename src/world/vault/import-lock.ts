import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError } from '../../core/index.ts';
import { openFileLock } from '../../store/lock.ts';
import type { Workspace } from './vault.ts';

/** Milliseconds between two attempts to take the lock. */
const retryMs = 50;
/** Maximum milliseconds to wait for another import. */
const maxWaitMs = 60_000;

/** Runs `work` while no other import, undo or sync runs. The lock ends with the process. Throws `store_locked`. */
export async function withImportLock<Value>(
  { database: { path } }: Workspace,
  work: () => Promise<Value>,
  waitLimitMs = maxWaitMs,
): Promise<Value> {
  if (path === ':memory:') return work();
  const lock = openFileLock(`${path}.import`);
  const started = performance.now();
  try {
    while (!lock.tryTake()) {
      if (performance.now() - started >= waitLimitMs)
        throw new SondeError('store_locked', {
          message: `Another import into ${path} is running`,
          remedy: 'Wait for it to end, and try again.',
        });
      await sleep(retryMs);
    }
    return await work();
  } finally {
    lock.release();
  }
}
