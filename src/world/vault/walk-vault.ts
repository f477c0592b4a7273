/** Lists the files of a vault, without reading them. */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWithheld, messageOf, SondeError } from '../../core/index.ts';
import { findPathProblem } from '../names.ts';
import type { VaultPlace, VaultProblem } from './vault.ts';

export interface VaultListing {
  /** Relative to the root, with `/`, sorted by code units. */
  readonly pages: readonly string[];
  readonly attachments: readonly string[];
  readonly problems: readonly VaultProblem[];
  /** All folders that were read; the root has an empty name. */
  readonly folders: readonly string[];
  /** Folders below the root that contain the file `mark`. */
  readonly marked: readonly string[];
}

/** Names that editors and systems leave in folders. They are ignored, as are hidden names. */
const ignoredNames = new Set(['node_modules', 'Thumbs.db', 'desktop.ini', 'Icon\r']);
const isPage = (name: string): boolean => /\.(?:md|markdown)$/i.test(name);

const isIgnored = (name: string): boolean => name.startsWith('.') || ignoredNames.has(name);

/** Whether a file of this path is ignored when a vault is read. */
export function isIgnoredPath(file: string): boolean {
  return file.split('/').some(isIgnored) || isWithheld(file);
}

/** Normalises a place: the real path of the folder, and a page path. Throws `not_found` and `bad_argument`. */
export function resolvePlace({ root, into = '' }: VaultPlace): Required<VaultPlace> {
  const path = into.replace(/^\/+|\/+$/g, '');
  const problem = path === '' ? null : findPathProblem(path);
  if (problem !== null)
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(into)} cannot be the path of a page: ${problem}`,
      remedy: 'Give a path such as Projects/Notes, or leave it out.',
    });
  return { root: resolveRoot(root), into: path };
}

/** The real path of a vault. Throws `not_found` and `bad_argument`. */
function resolveRoot(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new SondeError('not_found', {
      message: `${path} does not exist`,
      remedy: 'Name the folder that holds your notes.',
    });
  if (!stats.isDirectory())
    throw new SondeError('bad_argument', {
      message: `${path} is not a folder`,
      remedy: 'Name the folder that holds your notes.',
    });
  return realpathSync(path);
}

/** Lists a vault. `mark`: the name of a file; folders that contain it are listed as `marked`. */
export function walkVault(root: string, mark?: string): VaultListing {
  const found = { pages: [] as string[], attachments: [] as string[], problems: [] as VaultProblem[] };
  const [marked, readFolders]: [string[], string[]] = [[], []];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    let entries: Dirent[];
    try {
      entries = readdirSync(join(root, folder), { withFileTypes: true });
    } catch (error) {
      found.problems.push({ path: folder, kind: 'unreadable', message: messageOf(error) });
      continue;
    }
    readFolders.push(folder);
    for (const entry of entries) {
      if (entry.name === mark && folder !== '') marked.push(folder);
      if (isIgnored(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const kind = readKind(entry, root, path);
      if (kind === 'folder') folders.push(path);
      else if (kind === 'link')
        found.problems.push({ path, kind: 'link', message: 'a link of the file system is not followed' });
      else if (kind === 'other')
        found.problems.push({
          path,
          kind: 'unreadable',
          message: 'it is no ordinary file, and is left alone',
        });
      else if (kind === 'file' && isWithheld(path))
        found.problems.push({
          path,
          kind: 'withheld',
          message: 'its name suggests that it contains secrets',
        });
      else if (kind === 'file') (isPage(entry.name) ? found.pages : found.attachments).push(path);
    }
  }
  const compareByPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
  return {
    pages: found.pages.sort(),
    attachments: found.attachments.sort(),
    problems: found.problems.sort(compareByPath),
    folders: readFolders,
    marked,
  };
}

function readKind(entry: Dirent, root: string, path: string): 'file' | 'folder' | 'link' | 'other' {
  // Some file systems don't return the type of an entry in listings.
  const hasType = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
  const stats = hasType ? entry : lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return 'link';
  if (stats?.isDirectory()) return 'folder';
  return stats?.isFile() ? 'file' : 'other';
}
