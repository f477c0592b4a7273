import { SondeError } from '../../core/index.ts';
import { openFileLock } from '../../store/index.ts';
import type { Workspace } from './vault.ts';

/** One import, or taking one back, at a time; the lock goes with the process. Throws `store_locked`. */
export async function withImportLock<Value>(
  { database: { path } }: Workspace,
  work: () => Promise<Value>,
): Promise<Value> {
  if (path === ':memory:') return work();
  const lock = openFileLock(`${path}.import`);
  try {
    if (!lock.tryTake())
      throw new SondeError('store_locked', {
        message: `Another import into ${path} is under way`,
        remedy: 'Wait for it to end, and try again.',
      });
    return await work();
  } finally {
    lock.release();
  }
}
