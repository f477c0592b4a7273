/** Where indexes lie in the cache, when each was used last, and how one is cleared away. */
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../core/index.ts';
import type { Configuration } from '../config/index.ts';

type Directories = Configuration['directories'];

/** Of the folder of a user: readable in a listing of the cache, and different for every folder. */
export const treeIndexFolder = ({ cache }: Pick<Directories, 'cache'>, root: string): string =>
  join(
    cache,
    'index',
    `${basename(root)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 40)}-${sha256(root).slice(0, 16)}`,
  );

/** Of the pages of a workspace. */
export const pageIndexFolder = ({ cache }: Pick<Directories, 'cache'>, workspace: string): string =>
  join(cache, 'pages', workspace);

/** Makes the parent of an index, and notes that the index is used now. */
export function useIndexFolder(folder: string): string {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  try {
    const now = new Date();
    utimesSync(folder, now, now);
  } catch {
    // Not there yet, or a cache that may only be read: then it is as old as its files.
  }
  return folder;
}

export interface IndexFolder {
  readonly folder: string;
  /** What is indexed: a folder, or the id of a workspace. Null where the index does not say. */
  readonly root: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly used: number;
  readonly bytes: number;
}

/** All that there are. */
export async function indexFolders({ cache }: Pick<Directories, 'cache'>): Promise<readonly IndexFolder[]> {
  const { readIndexedRoot } = await import('../../search/index.ts');
  return ['index', 'pages'].flatMap((kind) =>
    namesIn(join(cache, kind)).flatMap(
      (name) => describeIndex(join(cache, kind, name), readIndexedRoot) ?? [],
    ),
  );
}

function describeIndex(folder: string, rootOf: (folder: string) => string | null): IndexFolder | null {
  try {
    const files = readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)));
    const used = Math.max(statSync(folder).mtimeMs, ...files.map(({ mtimeMs }) => mtimeMs));
    return {
      folder,
      root: rootOf(folder),
      used: Math.floor(used),
      bytes: files.reduce((sum, { size }) => sum + size, 0),
    };
  } catch {
    // Removed meanwhile, or no folder.
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** False where a process is writing it, or it can't be removed. */
export async function removeIndexFolder(folder: string): Promise<boolean> {
  const { openFileLock } = await import('../../store/lock.ts');
  try {
    const lock = openFileLock(join(folder, 'lock.db'));
    try {
      if (!lock.tryTake()) return false;
      rmSync(folder, { recursive: true, force: true });
      return true;
    } finally {
      lock.release();
    }
  } catch {
    return false;
  }
}
