/** Creates a file completely or not at all. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, SondeError } from '../../core/index.ts';
import { isProcessThere } from '../../store/lock.ts';

/** Writes a file under a temporary name, and gives it its name once it is complete and on the disk. */
export async function createAtomically<Value>(
  target: string,
  make: (file: string) => Promise<Value>,
): Promise<Value> {
  if (existsSync(target)) throw existsError(target, 'Name a file that does not exist yet.');
  const folder = dirname(target);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw unwritableError(target, new Error(`there is no folder ${folder}`));
  const file = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  const remove = () => removePart(file);
  remove();
  removeStaleParts(target);
  try {
    const value = await make(file);
    chmodSync(file, 0o600);
    const descriptor = openSync(file, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    // Unlike a rename, a link never replaces a file that somebody made meanwhile.
    linkSync(file, target);
    return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw existsError(target, 'Name a file that does not exist yet.');
    throw error instanceof SondeError ? error : unwritableError(target, error);
  } finally {
    remove();
  }
}

function removePart(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

/** Removes what killed processes left while they made the same file. */
function removeStaleParts(target: string): void {
  const folder = dirname(target);
  const part = /^\.(.*)\.(\d+)\.part$/;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, targetName, pid] = part.exec(name) ?? [];
    if (targetName === basename(target) && !isProcessThere(Number(pid))) removePart(join(folder, name));
  }
}

export const existsError = (path: string, remedy: string): SondeError =>
  new SondeError('bad_argument', { message: `${path} is there already`, remedy });

export const unwritableError = (target: string, cause: unknown): SondeError =>
  new SondeError('store_unusable', {
    message: `${target} cannot be written: ${messageOf(cause instanceof Error && cause.cause ? cause.cause : cause)}`,
    remedy: 'Name a file in a folder that can be written, on a disk with room.',
    cause,
  });
