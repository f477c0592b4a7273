import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../manifest.ts';
import { isBeingWritten } from '../replace-file.ts';
import { timesFileName } from './read/file-times.ts';
import type { RefreshTask } from './read/open-index.ts';

/** The files in the folder of an index. Needed by every refresh, even if it writes nothing. */

/**
 * Whether writes are flushed to disk. A refresh of a few paths is not, so that it is quick: a power failure may lose its
 * writes, a crash of the process does not. Checksums detect the loss, and the index is rebuilt.
 */
export const isSynced = ({ paths }: Pick<RefreshTask, 'paths'>): boolean => paths === undefined;

/** Marks the folder so that walks and backups leave it out. */
export function markAsCache(directory: string): void {
  const tag = join(directory, 'CACHEDIR.TAG');
  if (existsSync(tag)) return;
  writeFileSync(
    tag,
    'Signature: 8a477f597d28d172789f06886806bc55\n# A search index of sonde. It can be removed at any time.\n',
  );
}

/** Removes files of earlier or killed refreshes, which the manifest no longer names. */
export function collectGarbage(directory: string, manifest: Manifest): void {
  const named = new Set([
    manifest.tree,
    ...manifest.segments.flatMap(({ name }) => [name, timesFileName(name)]),
  ]);
  for (const name of readdirSync(directory)) {
    if (named.has(name) || !/\.(seg|times|tmp)$|^tree-.*\.json$/.test(name)) continue;
    try {
      // Files for ranking are written without the lock, so another process may be writing one.
      if (name.endsWith('.tmp') && isBeingWritten(join(directory, name))) continue;
      rmSync(join(directory, name), { force: true });
    } catch {
      // Some systems can't remove a file that is open: a later refresh will.
    }
  }
}
