import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scopeBases } from '../../core/index.ts';
import { addFolderRules, isIgnored, readRulesAbove } from '../../search/index.ts';

/**
 * The smallest set of paths, relative to the root, at which a walk over the scope must start. Tools follow a start path
 * even if it is a link, and search it even if it is ignored; such a path is replaced by the root, from which the walk
 * treats it correctly. Empty if nothing of the scope exists.
 */
export async function findSearchPlaces(root: string, scope: string | undefined): Promise<readonly string[]> {
  const bases = scopeBases(scope);
  if (bases === null) return ['.'];
  const places: string[] = [];
  for (const base of bases) {
    const state = await checkPlace(root, base);
    if (state === 'barred') return ['.'];
    if (state === 'there') places.push(`./${base}`);
  }
  return places;
}

/** Applies the ignore rules of the index, so that grep finds no file that a search leaves out. */
async function checkPlace(root: string, base: string): Promise<'there' | 'missing' | 'barred'> {
  const segments = base.split('/');
  let { rules } = readRulesAbove(root);
  for (let depth = 0; depth < segments.length; depth += 1) {
    rules = addFolderRules(rules, root, segments.slice(0, depth).join('/'));
    const path = segments.slice(0, depth + 1).join('/');
    const found = await lstat(join(root, path)).catch(() => null);
    if (found === null) return 'missing';
    if (found.isSymbolicLink() || segments[depth] === '.git') return 'barred';
    if (isIgnored(rules, path, found.isDirectory())) return 'barred';
  }
  return 'there';
}

/** Whether the folder, or one above it, contains `.git`. */
export async function isInRepository(root: string): Promise<boolean> {
  for (let folder = root; ; folder = dirname(folder)) {
    if ((await lstat(join(folder, '.git')).catch(() => null)) !== null) return true;
    if (dirname(folder) === folder) return false;
  }
}
