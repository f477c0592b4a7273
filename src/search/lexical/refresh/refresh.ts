import { mkdirSync } from 'node:fs';
import type { Manifest } from '../../manifest.ts';
import { createWalk, type WalkedFolder, walkFolders } from '../../walk/walk.ts';
import { readRulesAbove } from '../../walk/walk-ignore.ts';
import type { EncodedFile, IndexedFiles, PassedFile } from '../build/file-indexer.ts';
import { FileReader } from '../build/file-reader.ts';
import { collectGarbage, isSynced, markAsCache } from '../index-files.ts';
import { type LockResult, withLock } from '../lock.ts';
import {
  type IndexBefore,
  type IndexPlace,
  nextGeneration,
  openIndex,
  type RefreshTask,
} from '../read/open-index.ts';
import type { FileStamp } from '../stamp.ts';
import { type Changes, findChanges, findChangesInPaths } from './changes.ts';
import { type KnownFile, KnownFiles } from './known-files.ts';
import { listTrackedFiles } from './tracked-files.ts';
import type { TreeState } from './tree-state.ts';

/** Updates the index of a tree to the files on disk. */

export interface RefreshOutcome {
  readonly manifest: Manifest;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly notes: readonly string[];
}

export function refreshIndex(place: IndexPlace, task: RefreshTask): Promise<LockResult<RefreshOutcome>> {
  mkdirSync(place.directory, { recursive: true });
  markAsCache(place.directory);
  return withLock(place.directory, task, () => refreshLocked(place, task));
}

async function refreshLocked(place: IndexPlace, task: RefreshTask): Promise<RefreshOutcome> {
  const before = openIndex(place, task);
  try {
    const { manifest, segments } = before;
    const outcome =
      manifest === null || segments.length === 0
        ? await buildAll(place, task, before)
        : await updateIndex(place, task, { ...before, manifest });
    collectGarbage(place.directory, outcome.manifest);
    return { ...outcome, notes: before.notes };
  } finally {
    for (const { segment } of before.segments) segment.close();
  }
}

/** Loaded only if something is written: most refreshes find no changes. */
const loadCommit = () => import('./commit.ts');

type Outcome = Omit<RefreshOutcome, 'notes'>;

/** Builds the whole index if there is no valid one. Indexes while it walks. */
async function buildAll(place: IndexPlace, task: RefreshTask, before: IndexBefore): Promise<Outcome> {
  const seen = Date.now();
  const walk = createWalk();
  const tracked: string[] = [];
  const trackedPaths = (await task.tracked.paths()) ?? [];
  const { rules, sources } = readRulesAbove(place.root);
  walk.sources.push(...sources);
  function* paths(): Generator<string | null> {
    let next = 0;
    for (const _ of walkFolders(place.root, [{ path: '', rules }], walk)) {
      yield null;
      while (next < walk.files.length) yield walk.files[next++]!;
    }
    const walked = new Set(walk.files);
    const paths = trackedPaths.filter((path) => !walked.has(path));
    for (const path of listTrackedFiles(place.root, paths)) {
      tracked.push(path);
      yield path;
    }
  }
  const indexed = await indexInto(place, task, before, paths(), () => walk.files.length);
  const { commit } = await loadCommit();
  const manifest = commit(place, task, {
    before: { ...before, entries: [], segments: [] },
    dead: new Map(),
    indexed,
    removedBytes: 0,
    tree: {
      ...{ seen, folders: walk.folders, sources: walk.sources, tracked, restamped: [] },
      ...{ passed: indexed.passed, encoded: indexed.encoded },
    },
  });
  const added = indexed.segments.reduce((sum, { files }) => sum + files, 0);
  return { manifest, added, changed: 0, removed: 0 };
}

async function indexInto(
  place: IndexPlace,
  task: RefreshTask,
  before: IndexBefore,
  paths: Iterable<string | null>,
  total: () => number,
): Promise<IndexedFiles> {
  let done = 0;
  const { indexFiles } = await import('../build/parallel.ts');
  return indexFiles(
    paths,
    {
      ...place,
      synced: isSynced(task),
      generation: nextGeneration(before),
    },
    {
      signal: task.signal,
      onProgress: (files) => {
        done += files;
        task.onProgress({ phase: 'index', done, total: total() });
      },
    },
  );
}

async function updateIndex(
  place: IndexPlace,
  task: RefreshTask,
  before: IndexBefore & { manifest: Manifest },
): Promise<Outcome> {
  const seen = Date.now();
  const { state } = before;
  const knownFiles = new KnownFiles(before.segments, state);
  task.onProgress({
    phase: 'walk',
    done: 0,
    total: before.manifest.segments.reduce((sum, { files }) => sum + files, 0),
  });
  const changes =
    task.paths === undefined || state === null
      ? await findChanges(place.root, knownFiles, state, task.tracked, task.signal)
      : findChangesInPaths(place.root, task.paths, knownFiles, state, task.pathsAreFiles);
  const { changed, restamped } = compareContents(place, changes.doubtful);
  const pathsToIndex = [...changes.fresh, ...changed.map(({ path }) => path)];
  const indexed: IndexedFiles =
    pathsToIndex.length === 0
      ? { segments: [], passed: [], encoded: [], gone: [] }
      : await indexInto(place, task, before, pathsToIndex, () => pathsToIndex.length);

  const notIndexed = new Set([...indexed.passed.map(({ path }) => path), ...indexed.gone]);
  const replaced = [...changes.gone, ...changed].filter((file) => file.kind === 'indexed');
  const replacedPaths = new Set(replaced.map(({ path }) => path));
  const changedPaths = new Set(changed.map(({ path }) => path));
  const indexedPaths = pathsToIndex.filter((path) => !notIndexed.has(path));
  const counts = {
    added: indexedPaths.filter((path) => !replacedPaths.has(path)).length,
    changed: indexedPaths.filter((path) => replacedPaths.has(path)).length,
    removed: replaced.filter(({ path }) => !changedPaths.has(path) || notIndexed.has(path)).length,
  };
  const passed = listPassed(state?.passed ?? [], changes, changedPaths, indexed);
  const encoded = listEncoded(state?.encoded ?? [], changes, changedPaths, indexed);
  const worthSaving =
    state === null ||
    before.segments.length !== before.manifest.segments.length ||
    indexed.segments.length > 0 ||
    replaced.length > 0 ||
    !isSamePassed(state?.passed ?? [], passed) ||
    (task.paths === undefined && !isSameLeftOut(state.folders, changes.folders)) ||
    changes.listed + restamped.length > maxUnsavedWork;
  // A refresh of a few paths keeps the stored state, unless a file became unreadable or changed its encoding.
  const keepsState =
    task.paths !== undefined &&
    state !== null &&
    isSamePassed(state.passed, passed) &&
    JSON.stringify(state.encoded) === JSON.stringify(encoded);
  if (!worthSaving) return { manifest: before.manifest, ...counts };
  const { commit } = await loadCommit();
  const manifest = commit(place, task, {
    before,
    dead: groupBySegment(replaced),
    indexed,
    removedBytes: replaced.reduce((sum, { stamp }) => sum + stamp.size, 0),
    tree: keepsState
      ? null
      : {
          // A refresh of a few paths did not check the rest of the tree.
          seen: task.paths === undefined || state === null ? seen : state.seen,
          folders: changes.folders,
          sources: changes.sources,
          tracked: changes.tracked,
          passed,
          encoded,
          restamped: listRestamped(state?.restamped ?? [], replacedPaths, restamped),
        },
  });
  return { manifest, ...counts };
}

/** Whether the same files are left out by their names. A new picture changes no text, but it changes the report. */
function isSameLeftOut(before: readonly WalkedFolder[], now: readonly WalkedFolder[]): boolean {
  const formatCounts = ({ path, ignored, binary, unreadable, left }: WalkedFolder): string =>
    JSON.stringify([path, ignored, binary, unreadable, left]);
  const known = new Set(before);
  const changed = now.filter((folder) => !known.has(folder));
  if (changed.length === 0) return true;
  const byPath = new Map(before.map((folder) => [folder.path, folder]));
  return changed.every((folder) => {
    const earlier = byPath.get(folder.path);
    return earlier === undefined
      ? folder.binary + folder.ignored + folder.unreadable === 0 && folder.left === undefined
      : formatCounts(earlier) === formatCounts(folder);
  });
}

/** Listing or comparing this many folders and files again is less work than saving the state. */
const maxUnsavedWork = 20;

/** Reads the files that may have changed, and compares their checksums. */
function compareContents(
  place: IndexPlace,
  doubtful: readonly KnownFile[],
): { changed: KnownFile[]; restamped: (readonly [string, FileStamp])[] } {
  const reader = new FileReader(place.root, place.limits);
  const changed: KnownFile[] = [];
  const restamped: (readonly [string, FileStamp])[] = [];
  for (const file of doubtful) {
    const read = file.kind === 'indexed' ? reader.read(file.path) : null;
    const isSame =
      read?.kind === 'text' && read.stamp.crc === file.stamp.crc && read.stamp.size === file.stamp.size;
    if (isSame) restamped.push([file.path, read.stamp]);
    else changed.push(file);
  }
  return { changed, restamped };
}

function listPassed(
  before: readonly PassedFile[],
  changes: Changes,
  changedPaths: ReadonlySet<string>,
  indexed: IndexedFiles,
): PassedFile[] {
  const gone = new Set(changes.gone.map(({ path }) => path));
  const passedFiles = before.filter(({ path }) => !gone.has(path) && !changedPaths.has(path));
  return [...passedFiles, ...indexed.passed];
}

function listEncoded(
  before: readonly EncodedFile[],
  changes: Changes,
  changedPaths: ReadonlySet<string>,
  indexed: IndexedFiles,
): EncodedFile[] {
  const gone = new Set(changes.gone.map(({ path }) => path));
  const encodedFiles = before.filter(([path]) => !gone.has(path) && !changedPaths.has(path));
  return [...encodedFiles, ...indexed.encoded];
}

function isSamePassed(a: readonly PassedFile[], b: readonly PassedFile[]): boolean {
  const reasons = new Map(a.map(({ path, reason }) => [path, reason]));
  return a.length === b.length && b.every(({ path, reason }) => reasons.get(path) === reason);
}

function listRestamped(
  before: TreeState['restamped'],
  replacedPaths: ReadonlySet<string>,
  restamped: readonly (readonly [string, FileStamp])[],
): TreeState['restamped'] {
  const all = new Map(before.filter(([path]) => !replacedPaths.has(path)));
  for (const [path, stamp] of restamped) all.set(path, stamp);
  return [...all];
}

function groupBySegment(replaced: readonly KnownFile[]): Map<number, number[]> {
  const dead = new Map<number, number[]>();
  for (const knownFile of replaced) {
    if (knownFile.kind !== 'indexed') continue;
    const files = dead.get(knownFile.segment);
    if (files === undefined) dead.set(knownFile.segment, [knownFile.file]);
    else files.push(knownFile.file);
  }
  return dead;
}
