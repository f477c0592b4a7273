import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../manifest.ts';
import { isBeingWritten } from '../replace-file.ts';
import { timesFileName } from './read/file-times.ts';
import type { RefreshTask } from './read/open-index.ts';

/** The files in the folder of an index, for a refresh that may have nothing to write. */

/**
 * Whether writes are flushed to disk. A refresh of a few paths must be quick, and what it wrote can be made again: a
 * power failure may lose it, a crash of the process does not. Checksums detect a loss.
 */
export const isSynced = ({ paths }: Pick<RefreshTask, 'paths'>): boolean => paths === undefined;

/** So that an index within a tree is left out by this walk and by backups. */
export function markAsCache(directory: string): void {
  const tag = join(directory, 'CACHEDIR.TAG');
  if (existsSync(tag)) return;
  writeFileSync(
    tag,
    'Signature: 8a477f597d28d172789f06886806bc55\n# A search index of sonde. It can be removed at any time.\n',
  );
}

/** Removes what no manifest names: of refreshes before this one, and of those that were killed. */
export function collectGarbage(directory: string, manifest: Manifest): void {
  const named = new Set([
    manifest.tree,
    ...manifest.segments.flatMap(({ name }) => [name, timesFileName(name)]),
  ]);
  for (const name of readdirSync(directory)) {
    if (named.has(name) || !/\.(seg|times|tmp)$|^tree-.*\.json$/.test(name)) continue;
    try {
      // Ranking writes its files without the lock: another process may be writing one.
      if (name.endsWith('.tmp') && isBeingWritten(join(directory, name))) continue;
      rmSync(join(directory, name), { force: true });
    } catch {
      // Open in another process on a system that keeps such files: a later refresh removes it.
    }
  }
}
