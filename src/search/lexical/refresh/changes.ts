import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isWithheld } from '../../../core/index.ts';
import {
  createWalk,
  type FolderTask,
  isBinaryName,
  isLeftOutName,
  listFolder,
  type Walk,
  type WalkedFolder,
  walkFolders,
} from '../../walk/walk.ts';
import {
  addFolderRules,
  type IgnoreRules,
  isIgnored,
  type RuleSource,
  readRulesAbove,
  ruleFileName,
  sourceStamp,
} from '../../walk/walk-ignore.ts';
import { createPause, throwIfCancelled } from '../pausing.ts';
import { matchesStamp } from '../stamp.ts';
import type { KnownFile, KnownFiles } from './known-files.ts';
import { listTrackedFiles } from './tracked-files.ts';
import type { TreeState } from './tree-state.ts';

/** The differences between the index and the tree, found without reading content. */
export interface Changes {
  /** Paths that are not in the index. */
  readonly fresh: string[];
  /** Known files that may have changed: their times or size differ, or can't be trusted. */
  readonly doubtful: KnownFile[];
  readonly gone: KnownFile[];
  readonly folders: readonly WalkedFolder[];
  readonly sources: readonly RuleSource[];
  /** Files that a rule ignores, included because version control tracks them. */
  readonly tracked: readonly string[];
  /** Number of folders that were listed again, which a saved state would save the next refresh. */
  readonly listed: number;
}

/** The files that version control tracks, listed only if they may have changed. */
export interface TrackedFiles {
  /** Whether nothing in the repository has changed since the last refresh. */
  readonly isUnchanged: boolean;
  /** Null if they can't be listed: then they are assumed to be unchanged. */
  readonly paths: () => Promise<readonly string[] | null>;
}

/** Reading the clock takes as long as checking a file. */
const filesBetweenPauses = 64;

/**
 * A folder that changed this soon before it was listed may have changed again within the same tick of the file system's
 * clock.
 */
const clockTickMs = 2_000;

/** Compares the whole tree with the state of the last refresh. */
export async function findChanges(
  root: string,
  known: KnownFiles,
  state: TreeState | null,
  trackedFiles: TrackedFiles,
  signal: AbortSignal | undefined,
): Promise<Changes> {
  const walk = state === null ? null : await listChangedFolders(root, state, signal);
  const walked = walk ?? (await walkAll(root, signal));
  // After a full walk, the files that it did not find are gone. Otherwise each known file is checked if its folder still
  // exists; a link in the folder's place does not count.
  const walkedFiles = walk === null ? new Set(walked.files) : null;
  const folders = new Set(walked.folders.map(({ path }) => path));
  const doubtful: KnownFile[] = [];
  const gone: KnownFile[] = [];
  const pause = createPause();
  const before = root.endsWith('/') ? root : `${root}/`;
  const unknown = new Set(walked.files);
  // Files that are included only because they are tracked depend on the ignore rules as well.
  const isUnchanged = walk !== null && trackedFiles.isUnchanged;
  const tracked = selectTracked(
    root,
    { walked: unknown, walkedFiles, known, before: state?.tracked ?? [] },
    isUnchanged ? null : await trackedFiles.paths(),
  );
  const dropped = new Set(state?.tracked.filter((path) => !tracked.has(path)));
  for (const path of tracked) unknown.add(path);
  for (let number = 0; number < known.count; number++) {
    if (number % filesBetweenPauses === 0) {
      await pause();
      throwIfCancelled(signal);
    }
    const file = known.byNumber(number);
    if (file === null) continue;
    if (unknown.size > 0) unknown.delete(file.path);
    const exists =
      tracked.has(file.path) ||
      (walkedFiles?.has(file.path) ?? (folders.has(parentFolder(file.path)) && !dropped.has(file.path)));
    const stat = exists ? lstatSync(before + file.path, { throwIfNoEntry: false }) : undefined;
    if (stat === undefined || !stat.isFile()) gone.push(file);
    else if (!matchesStamp(stat, file.stamp)) doubtful.push(file);
  }
  const { folders: listing, sources, listed } = walked;
  return { fresh: [...unknown], doubtful, gone, folders: listing, sources, tracked: [...tracked], listed };
}

interface WalkedFiles {
  /** Files that the walk found, and that may not be known. */
  readonly walked: ReadonlySet<string>;
  /** All files that the walk found; null if it listed only some folders. */
  readonly walkedFiles: ReadonlySet<string> | null;
  readonly known: KnownFiles;
  /** The tracked files that were included at the last refresh. */
  readonly before: readonly string[];
}

/** Selects the files that are indexed only because git tracks them: the walk skips them by the ignore rules. */
function selectTracked(
  root: string,
  { walked, walkedFiles, known, before }: WalkedFiles,
  now: readonly string[] | null,
): Set<string> {
  if (now === null) return new Set(listTrackedFiles(root, before));
  const trackedBefore = new Set(before);
  const notTracked =
    walkedFiles ??
    new Set([...known.listBelow('')].flatMap(({ path }) => (trackedBefore.has(path) ? [] : [path])));
  return new Set(
    listTrackedFiles(
      root,
      now.filter((path) => !notTracked.has(path) && !walked.has(path)),
    ),
  );
}

export function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

interface ListedWalk extends Walk {
  readonly listed: number;
}

async function walkAll(root: string, signal: AbortSignal | undefined): Promise<ListedWalk> {
  const walk = createWalk();
  const { rules, sources } = readRulesAbove(root);
  walk.sources.push(...sources);
  const pause = createPause();
  for (const _ of walkFolders(root, [{ path: '', rules }], walk)) {
    await pause();
    throwIfCancelled(signal);
  }
  return { ...walk, listed: walk.folders.length };
}

/**
 * Lists only the folders whose modification time has changed. Null if the ignore rules have changed, since then any
 * folder may contain other files than before.
 */
async function listChangedFolders(
  root: string,
  state: TreeState,
  signal: AbortSignal | undefined,
): Promise<ListedWalk | null> {
  if (state.sources.some(({ path, stamp }) => sourceStamp(path) !== stamp)) return null;
  const folderNames = new Set(state.folders.map(({ path }) => path));
  const ruleFiles = new Set(state.sources.map(({ path }) => path));
  const rules = new RulesByFolder(root, state.sources);
  const walk = createWalk();
  const fresh: FolderTask[] = [];
  const existing = new Set<string>();
  let listed = 0;
  const pause = createPause();
  const before = root.endsWith('/') ? root : `${root}/`;
  for (const folder of state.folders) {
    // Parents come first. If a parent is gone or became a link, its subfolders are skipped.
    if (folder.path !== '' && !existing.has(parentFolder(folder.path))) continue;
    const stat = lstatSync(before + folder.path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isDirectory()) continue;
    existing.add(folder.path);
    if (stat.mtimeMs === folder.modified && folder.modified < state.seen - clockTickMs) {
      walk.folders.push(folder);
      continue;
    }
    listed++;
    const found = listFolder(root, { path: folder.path, rules: rules.rulesAbove(folder.path) }, walk);
    // The folder became a cache, so all below it is left out now.
    if (isLeftOutWhole(walk.folders.at(-1)) && !isLeftOutWhole(folder)) return null;
    for (const task of found) if (!folderNames.has(task.path)) fresh.push(task);
    await pause();
    throwIfCancelled(signal);
  }
  for (const _ of walkFolders(root, fresh, walk)) {
    await pause();
    throwIfCancelled(signal);
  }
  // A new file of rules affects more than the folder in which it was found.
  if (walk.sources.some(({ path }) => !ruleFiles.has(path) && !isBelow(root, path, fresh))) return null;
  return {
    folders: walk.folders,
    files: walk.files,
    sources: mergeSources(state.sources, walk.sources),
    listed,
  };
}

/** Whether the folder is left out as a whole: then it lists itself as ignored instead of its entries. */
const isLeftOutWhole = (folder: WalkedFolder | undefined): boolean =>
  folder?.left?.ignored?.[0] === `${folder?.path}/`;

/** Whether the rules are in a new folder, which contains no known file. */
function isBelow(root: string, path: string, fresh: readonly FolderTask[]): boolean {
  return fresh.some((task) => path.startsWith(join(root, task.path, '/')));
}

function mergeSources(ruleSources: readonly RuleSource[], found: readonly RuleSource[]): RuleSource[] {
  const all = new Map(ruleSources.map((source) => [source.path, source]));
  for (const source of found) all.set(source.path, source);
  return [...all.values()];
}

/** The ignore rules of each folder, from the files of rules that the last walk found. Each is read once. */
class RulesByFolder {
  readonly #root: string;
  readonly #ruled: ReadonlySet<string>;
  #top: IgnoreRules | undefined;
  readonly #within = new Map<string, IgnoreRules>();

  constructor(root: string, sources: readonly RuleSource[]) {
    this.#root = root;
    this.#ruled = new Set(sources.map(({ path }) => path));
  }

  /** The rules that a folder inherits from the folders above. */
  rulesAbove(folder: string): IgnoreRules {
    if (folder !== '') return this.rulesIn(parentFolder(folder));
    this.#top ??= readRulesAbove(this.#root).rules;
    return this.#top;
  }

  rulesIn(folder: string): IgnoreRules {
    let rules = this.#within.get(folder);
    if (rules === undefined) {
      rules = this.rulesAbove(folder);
      if (this.#ruled.has(join(this.#root, folder, ruleFileName)))
        rules = addFolderRules(rules, this.#root, folder);
      this.#within.set(folder, rules);
    }
    return rules;
  }
}

/**
 * Compares only these files and folders, relative to the root. The rest of the tree counts as unchanged.
 * `pathsAreFiles`: none of the paths was a folder at the last refresh.
 */
export function findChangesInPaths(
  root: string,
  paths: readonly string[],
  knownFiles: KnownFiles,
  state: TreeState,
  pathsAreFiles = false,
): Changes {
  const rules = new RulesByFolder(root, state.sources);
  const walk = createWalk();
  const tracked = new Set(state.tracked);
  for (const path of paths) {
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile() && knownFiles.get(path) !== undefined && isStillIncluded(root, path, state)) {
      walk.files.push(path);
    } else if (stat?.isDirectory()) {
      for (const _ of walkFolders(
        root,
        isLeftOut(root, path, true, rules) ? [] : [{ path, rules: rules.rulesAbove(path) }],
        walk,
      ));
    } else if (stat?.isFile() && (tracked.has(path) || !isLeftOut(root, path, false, rules)))
      walk.files.push(path);
  }
  const found = new Set(walk.files);
  const suspects = new Map<string, KnownFile>();
  const fresh: string[] = [];
  for (const path of found) {
    const file = knownFiles.get(path);
    if (file === undefined) fresh.push(path);
    else suspects.set(path, file);
  }
  for (const path of paths) {
    // The path is not a file now, but may have been a file or a folder.
    if (found.has(path)) continue;
    const file = knownFiles.get(path);
    if (file !== undefined) suspects.set(path, file);
    // `listBelow` reads every path of the index.
    if (!pathsAreFiles) for (const below of knownFiles.listBelow(path)) suspects.set(below.path, below);
  }
  const doubtful: KnownFile[] = [];
  const gone: KnownFile[] = [];
  for (const file of suspects.values()) {
    const stat = found.has(file.path)
      ? lstatSync(join(root, file.path), { throwIfNoEntry: false })
      : undefined;
    if (stat === undefined || !stat.isFile()) gone.push(file);
    else if (!matchesStamp(stat, file.stamp)) doubtful.push(file);
  }
  const { folders, sources } = state;
  return { fresh, doubtful, gone, folders, sources, tracked: state.tracked, listed: 0 };
}

/**
 * Whether a known file is certainly still included: the files of rules are unchanged, and no folder above it has become a
 * link. Saves reading the rules.
 */
function isStillIncluded(root: string, path: string, state: TreeState): boolean {
  const within = [root];
  for (const folder of path.split('/').slice(0, -1)) within.push(join(within.at(-1)!, folder));
  const isFolder = (place: string) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!within.slice(1).every(isFolder)) return false;
  const stamps = new Map(state.sources.map((source) => [source.path, source.stamp]));
  const below = join(root, '/');
  // The rules of the whole repository, and those of the folders above the file.
  const repositoryRuleFiles = [...stamps.keys()].filter(
    (source) => !source.startsWith(below) || basename(source) !== ruleFileName,
  );
  return [...repositoryRuleFiles, ...within.map((folder) => join(folder, ruleFileName))].every(
    (source) => sourceStamp(source) === (stamps.get(source) ?? ''),
  );
}

/** Whether rules, names or a link leave out the path or a folder above it. */
function isLeftOut(root: string, path: string, isFolder: boolean, rules: RulesByFolder): boolean {
  if (path === '') return false;
  const segments = path.split('/');
  if (segments.some(isLeftOutName) || (!isFolder && (isBinaryName(path) || isWithheld(path)))) return true;
  return segments.some((_, k) => {
    const here = segments.slice(0, k + 1).join('/');
    if (lstatSync(join(root, here), { throwIfNoEntry: false })?.isSymbolicLink()) return true;
    return isIgnored(
      rules.rulesIn(segments.slice(0, k).join('/')),
      here,
      isFolder || k < segments.length - 1,
    );
  });
}
