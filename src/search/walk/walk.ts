import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isWithheld } from '../../core/index.ts';
import { extensionOf } from '../tokens/tokens-definitions.ts';
import {
  addFolderRules,
  type IgnoreRules,
  isIgnored,
  type RuleSource,
  ruleFileName,
  sourceStamp,
} from './walk-ignore.ts';

/** Lists the files of a tree, and what is left out by name. Does not read content. */

/** A folder that was listed, with counts of the entries that were left out. */
export interface WalkedFolder {
  /** Relative to the root; empty for the root. */
  readonly path: string;
  /**
   * The modification time of the folder in milliseconds, read before it was listed. It changes whenever an entry is
   * added or removed.
   */
  readonly modified: number;
  /** Number of entries left out by rules. A folder counts as one. */
  readonly ignored: number;
  /** Number of files left out because of their extension. */
  readonly binary: number;
  readonly unreadable: number;
  /** The first few names of each reason. */
  readonly left?: Readonly<Partial<Record<LeftOutReason, readonly string[]>>>;
}

/** Why an entry is not read: excluded by the project's rules, excluded by its name, or a link out of the tree. */
export type LeftOutReason = 'ignored' | 'withheld' | 'binary' | 'link' | 'unreadable';
/** Maximum number of names for one folder and reason. */
const maxNames = 4;

export interface Walk {
  readonly folders: WalkedFolder[];
  /** Files to read, relative to the root, with `/`. */
  readonly files: string[];
  readonly sources: RuleSource[];
}

/** Folders of version control. */
const alwaysLeftOut = new Set(['.git', '.hg', '.svn', '.jj', '.bzr', 'CVS']);
/** Caches that identify themselves by a file in them: https://bford.info/cachedir/ and the tools' own marks. */
const cacheMarks = new Set([
  'CACHEDIR.TAG',
  'pyvenv.cfg',
  '.package-lock.json',
  '.modules.yaml',
  '.yarn-integrity',
  '.yarn-state.yml',
]);
const cacheNames = new Set([
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.gradle',
  '.parcel-cache',
]);

const binaryExtensions = new Set(
  (
    'png jpg jpeg gif webp avif ico icns bmp tif tiff psd heic mp3 mp4 m4a m4v mov avi mkv webm wav ogg flac pdf zip ' +
    'gz tgz bz2 xz zst lz4 7z rar jar war ear class so dylib dll exe wasm pyc pyo pyd whl woff woff2 ttf otf eot ' +
    'sqlite sqlite3 parquet onnx safetensors npy npz pack rpm deb dmg iso'
  ).split(' '),
);

/** Everything needed to list one folder. */
export interface FolderTask {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/** Lists one folder into `walk` and returns the folders in it that are to be listed next. */
export function listFolder(root: string, task: FolderTask, walk: Walk): FolderTask[] {
  const { path } = task;
  const place = join(root, path);
  const before = path === '' ? '' : `${path}/`;
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  let entries: Dirent[];
  try {
    entries = readdirSync(place, { withFileTypes: true });
  } catch {
    walk.folders.push({
      ...{ path, modified: -1, ignored: 0, binary: 0, unreadable: 1 },
      left: { unreadable: [`${path}/`] },
    });
    return [];
  }
  if (path !== '' && isCache(path, entries)) {
    walk.folders.push({
      ...{ path, modified: stat.mtimeMs, ignored: 1, binary: 0, unreadable: 0 },
      left: { ignored: [`${path}/`] },
    });
    return [];
  }
  let rules = task.rules;
  if (entries.some((entry) => entry.name === ruleFileName)) {
    rules = addFolderRules(rules, root, path);
    const source = join(place, ruleFileName);
    walk.sources.push({ path: source, stamp: sourceStamp(source) });
  }
  const folders: FolderTask[] = [];
  let ignored = 0;
  let binary = 0;
  let unreadable = 0;
  const left: Partial<Record<LeftOutReason, string[]>> = {};
  const addLeftOut = (reason: LeftOutReason, name: string): void => {
    const names = left[reason] ?? [];
    // Documents come before pictures, since their text is not indexed.
    if (reason === 'binary' && isDocumentName(name)) left[reason] = [name, ...names].slice(0, maxNames);
    else if (names.length < maxNames) left[reason] = [...names, name];
  };
  for (const entry of entries) {
    if (alwaysLeftOut.has(entry.name)) continue;
    const child = before + entry.name;
    const kind = readKind(entry, place);
    // Links are not followed: their target is indexed by itself, or is outside the root.
    if (kind === 'other') {
      const leads = entry.isSymbolicLink() ? findTarget(root, child) : 'nowhere';
      if (leads === 'out') addLeftOut('link', child);
      else if (leads === 'nowhere' && !isIgnored(rules, child, false)) {
        unreadable++;
        addLeftOut('unreadable', child);
      }
      continue;
    }
    if (kind === 'file' && isWithheld(child)) {
      ignored++;
      addLeftOut('withheld', child);
    } else if (isIgnored(rules, child, kind === 'folder')) {
      ignored++;
      addLeftOut('ignored', kind === 'folder' ? `${child}/` : child);
    } else if (isUndecodable(entry.name, place)) {
      unreadable++;
      addLeftOut('unreadable', kind === 'folder' ? `${child}/` : child);
    } else if (kind === 'folder') folders.push({ path: child, rules });
    else if (binaryExtensions.has(extensionOf(entry.name))) {
      binary++;
      addLeftOut('binary', child);
    } else walk.files.push(child);
  }
  const hasLeftOut = Object.keys(left).length > 0;
  walk.folders.push({
    ...{ path, modified: stat.mtimeMs, ignored, binary, unreadable },
    ...(hasLeftOut && { left }),
  });
  return folders;
}

/** Lists all folders below the tasks. Yields after each folder, so that the caller can do other work. */
export function* walkFolders(root: string, tasks: readonly FolderTask[], walk: Walk): Generator<void> {
  const stack = [...tasks];
  while (stack.length > 0) {
    const found = listFolder(root, stack.pop()!, walk);
    for (let k = found.length - 1; k >= 0; k--) stack.push(found[k]!);
    yield;
  }
}

export function createWalk(): Walk {
  return { folders: [], files: [], sources: [] };
}

/** Whether a file of this name is left out because of its extension. */
export function isBinaryName(path: string): boolean {
  return binaryExtensions.has(extensionOf(path));
}

/** Whether a file of this name contains text in a format that is not read. */
export const isDocumentName = (path: string): boolean => extensionOf(path) === 'pdf';

export function isLeftOutName(name: string): boolean {
  return alwaysLeftOut.has(name) || cacheNames.has(name);
}

export const isCacheMark = (name: string): boolean => cacheMarks.has(name);
export const isVersionControl = (name: string): boolean => alwaysLeftOut.has(name);

function isCache(path: string, entries: readonly Dirent[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return cacheNames.has(name) || entries.some((entry) => cacheMarks.has(entry.name));
}

function readKind(entry: Dirent, place: string): 'file' | 'folder' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (
    entry.isSymbolicLink() ||
    entry.isFIFO() ||
    entry.isSocket() ||
    entry.isBlockDevice() ||
    entry.isCharacterDevice()
  ) {
    return 'other';
  }
  // Some file systems don't give the type in the listing.
  const stat = lstatSync(join(place, entry.name), { throwIfNoEntry: false });
  return stat?.isFile() ? 'file' : stat?.isDirectory() ? 'folder' : 'other';
}

/** Where a link leads. A cycle leads nowhere. A link without a target counts as `in`, since there is nothing to read. */
function findTarget(root: string, path: string): 'in' | 'out' | 'nowhere' {
  try {
    const inside = relative(root, realpathSync(join(root, path)));
    return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? 'out' : 'in';
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ELOOP' ? 'nowhere' : 'in';
  }
}

/** Whether the name has bytes that are not UTF-8: it is listed with U+FFFD instead, and can't be opened. */
function isUndecodable(name: string, place: string): boolean {
  return name.includes('\uFFFD') && lstatSync(join(place, name), { throwIfNoEntry: false }) === undefined;
}
