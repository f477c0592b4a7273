import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scopeBases } from '../../core/index.ts';
import { isIgnored, rulesAbove, rulesWithin } from '../../search/index.ts';

/**
 * Where a walk over the scope may start, relative to the root: as few places as will do. A tool that is given
 * a place follows it where it is a link, and searches it where it is ignored; so a place that is either makes
 * the walk start at the root, which meets both as it should. Empty where nothing of the scope exists.
 */
export async function searchPlaces(root: string, scope: string | undefined): Promise<readonly string[]> {
  const bases = scopeBases(scope);
  if (bases === null) return ['.'];
  const places: string[] = [];
  for (const base of bases) {
    const state = await stateOf(root, base);
    if (state === 'barred') return ['.'];
    if (state === 'there') places.push(`./${base}`);
  }
  return places;
}

/** The same ignore rules as the index has, so that grep finds no file that a search leaves out. */
async function stateOf(root: string, base: string): Promise<'there' | 'missing' | 'barred'> {
  const segments = base.split('/');
  let { rules } = rulesAbove(root);
  for (let depth = 0; depth < segments.length; depth += 1) {
    rules = rulesWithin(rules, root, segments.slice(0, depth).join('/'));
    const path = segments.slice(0, depth + 1).join('/');
    const found = await lstat(join(root, path)).catch(() => null);
    if (found === null) return 'missing';
    if (found.isSymbolicLink() || segments[depth] === '.git') return 'barred';
    if (isIgnored(rules, path, found.isDirectory())) return 'barred';
  }
  return 'there';
}

/** Whether `.git` lies in the folder or above it. */
export async function isInRepository(root: string): Promise<boolean> {
  for (let folder = root; ; folder = dirname(folder)) {
    if ((await lstat(join(folder, '.git')).catch(() => null)) !== null) return true;
    if (dirname(folder) === folder) return false;
  }
}
