import { chmodSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SondeError } from '../../core/index.ts';

/**
 * The token of HTTP clients of this user: made at the first use, kept so that clients can be set up once. Throws
 * `bad_config` where others may read it, or something else stands there.
 */
export function tokenFile(
  folder: string,
  make: () => string,
): { readonly path: string; readonly token: string } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'mcp-token');
  try {
    // Fails where the file is there: of two processes that start together one writes and both read.
    writeFileSync(path, `${make()}\n`, { flag: 'wx', mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const stats = lstatSync(path);
  const mine = stats.isFile() && (process.getuid === undefined || stats.uid === process.getuid());
  if (!mine || (stats.mode & 0o077) !== 0)
    throw new SondeError('bad_config', {
      message: `${path} is not an ordinary file that only you can read`,
      remedy: 'Delete it: the next start makes a new token.',
    });
  return { path, token: readFileSync(path, 'utf8').trim() };
}
