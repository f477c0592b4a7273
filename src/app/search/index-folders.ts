/** Where indexes are in the cache, when each was last used, and how one is removed. */
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../core/index.ts';
import type { Configuration } from '../config/index.ts';

type Directories = Configuration['directories'];

/** The folder for the index of a tree. Its name is readable and unique for each root. */
export const treeIndexFolder = ({ cache }: Pick<Directories, 'cache'>, root: string): string =>
  join(
    cache,
    'index',
    `${basename(root)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 40)}-${sha256(root).slice(0, 16)}`,
  );

/** The folder for the index of a workspace's pages. */
export const pageIndexFolder = ({ cache }: Pick<Directories, 'cache'>, workspace: string): string =>
  join(cache, 'pages', workspace);

/** Creates the parent folder of an index, and sets the time at which the index was last used to now. */
export function useIndexFolder(folder: string): string {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  try {
    const now = new Date();
    utimesSync(folder, now, now);
  } catch {
    // The folder does not exist yet, or the cache is read-only: then its files tell when it was last used.
  }
  return folder;
}

export interface IndexFolder {
  readonly folder: string;
  /** The folder that is indexed, or the id of the workspace; null if the index does not say. */
  readonly root: string | null;
  /** When it was last used. Milliseconds since the Unix epoch. */
  readonly used: number;
  readonly bytes: number;
}

/** All indexes in the cache. */
export async function listIndexFolders({
  cache,
}: Pick<Directories, 'cache'>): Promise<readonly IndexFolder[]> {
  const { readIndexedRoot } = await import('../../search/index.ts');
  return ['index', 'pages'].flatMap((kind) =>
    listNames(join(cache, kind)).flatMap(
      (name) => describeIndex(join(cache, kind, name), readIndexedRoot) ?? [],
    ),
  );
}

function describeIndex(folder: string, readRoot: (folder: string) => string | null): IndexFolder | null {
  try {
    const files = readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)));
    const used = Math.max(statSync(folder).mtimeMs, ...files.map(({ mtimeMs }) => mtimeMs));
    return {
      folder,
      root: readRoot(folder),
      used: Math.floor(used),
      bytes: files.reduce((sum, { size }) => sum + size, 0),
    };
  } catch {
    // It was removed meanwhile, or is not a folder.
    return null;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Removes an index. Returns false if a process is writing it, or if it cannot be removed. */
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
