import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SondeError } from '../core/index.ts';

/** Returns the folder as a real absolute path. Throws `not_found`, and `bad_argument` if it is no readable folder. */
export function resolveRoot(path: string): string {
  const absolute = resolve(path);
  let isFolder = false;
  try {
    isFolder = statSync(absolute).isDirectory();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES') throw permissionError(absolute);
    throw new SondeError('not_found', {
      message: `${absolute}: there is no such folder`,
      remedy: 'Name an existing folder, or run Sonde inside it.',
    });
  }
  if (!isFolder)
    throw new SondeError('bad_argument', {
      message: `${absolute} is a file, not a folder`,
      remedy: 'Name the folder it is in, and the file with --scope.',
    });
  try {
    accessSync(absolute, constants.R_OK | constants.X_OK);
  } catch {
    throw permissionError(absolute);
  }
  return realpathSync(absolute);
}

const permissionError = (path: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${path}: permission denied`,
    remedy: 'Give yourself permission to read the folder.',
  });
