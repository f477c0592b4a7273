import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, type SegmentEntry, writeManifest } from '../manifest.ts';
import type { Skipped } from '../search.ts';
import type { WalkedFolder } from '../walk.ts';
import type { IndexedFiles, PassedFile } from './file-indexer.ts';
import { mergeSegments, segmentsToMerge } from './merge.ts';
import type { IndexBefore, IndexPlace, RefreshTask } from './open-index.ts';
import { Segment } from './segment.ts';
import { type TreeState, writeTreeState } from './tree-state.ts';

/** The end of a refresh: what it found becomes the index, in one step. */

export interface Commit {
  readonly before: IndexBefore;
  /** By number of the segment in `before`, the files that died now. */
  readonly dead: ReadonlyMap<number, readonly number[]>;
  readonly indexed: IndexedFiles;
  readonly removedBytes: number;
  readonly tree: TreeState;
}

/** Merges where segments pile up, writes the state, and last the manifest: from then on the index is the new one. */
export function commit(
  place: IndexPlace,
  task: RefreshTask,
  { before, dead, indexed, removedBytes, tree }: Commit,
): Manifest {
  task.onProgress({ phase: 'write', done: 0, total: 1 });
  const old = before.entries.map((entry, k) => ({
    ...entry,
    dead: [...entry.dead, ...(dead.get(k) ?? [])].sort((a, b) => a - b),
  }));
  const fresh = indexed.segments.map(({ name, files, chunks }) => ({ name, files, chunks, dead: [] }));
  for (const { name } of fresh) task.verified.add(name);
  const generation = (before.manifest?.generation ?? 0) + 1;
  const segments = mergedEntries(place, [...old, ...fresh], generation, task.paths === undefined);
  const stateName = `tree-${generation}-${randomBytes(3).toString('hex')}.json`;
  writeTreeState(place.directory, stateName, tree);
  const bytesBefore = before.entries.length === 0 ? 0 : (before.manifest?.bytes ?? 0);
  const manifest: Manifest = {
    generation,
    root: place.root,
    settings: place.settings,
    limits: place.limits,
    segments,
    tree: stateName,
    skipped: skippedOf(tree.folders, tree.passed),
    bytes: bytesBefore - removedBytes + indexed.segments.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  if (generation === 1) markAsCache(place.directory);
  writeManifest(place.directory, manifest);
  task.onProgress({ phase: 'write', done: 1, total: 1 });
  return manifest;
}

/** A look at a few paths must be quick: it merges small segments only. In chunks. */
const quickMerge = 5_000;

function mergedEntries(
  place: IndexPlace,
  entries: readonly SegmentEntry[],
  generation: number,
  thorough: boolean,
): SegmentEntry[] {
  const live = entries.map(({ name, dead }) => ({
    segment: Segment.open(join(place.directory, name)),
    dead,
  }));
  try {
    const sizes = live.map(({ segment, dead }, k) => ({
      chunks: entries[k]!.chunks,
      deadChunks: dead.reduce((sum, f) => sum + segment!.firstChunks[f + 1]! - segment!.firstChunks[f]!, 0),
    }));
    const chosen = segmentsToMerge(sizes, thorough ? Number.POSITIVE_INFINITY : quickMerge);
    const parts = chosen.map((k) => ({ segment: live[k]!.segment!, dead: live[k]!.dead }));
    if (parts.length === 0) return [...entries];
    const rest = entries.filter((_, k) => !chosen.includes(k));
    const name = `${generation}-${randomBytes(4).toString('hex')}-m.seg`;
    const { files, chunks } = mergeSegments(parts, place.settings, join(place.directory, name));
    return files === 0 ? rest : [...rest, { name, files, chunks, dead: [] }];
  } finally {
    for (const { segment } of live) segment?.close();
  }
}

function skippedOf(folders: readonly WalkedFolder[], passed: readonly PassedFile[]): Skipped {
  const skipped = { ignored: 0, binary: 0, minified: 0, huge: 0, unreadable: 0 };
  for (const folder of folders) {
    skipped.ignored += folder.ignored;
    skipped.binary += folder.binary;
    skipped.unreadable += folder.unreadable;
  }
  for (const { reason } of passed) skipped[reason] += 1;
  return skipped;
}

/** So that this index, where it lies within a tree, is passed over by this walk and by backups. */
function markAsCache(directory: string): void {
  writeFileSync(
    join(directory, 'CACHEDIR.TAG'),
    'Signature: 8a477f597d28d172789f06886806bc55\n# A search index of sonde. It can be removed at any time.\n',
  );
}

/** Removes what no manifest names: of refreshes before this one, and of those that were killed. */
export function collectGarbage(directory: string, manifest: Manifest): void {
  const alive = new Set([manifest.tree, ...manifest.segments.map(({ name }) => name)]);
  for (const name of readdirSync(directory)) {
    if (alive.has(name) || !/\.seg$|\.tmp$|^tree-.*\.json$/.test(name)) continue;
    try {
      rmSync(join(directory, name), { force: true });
    } catch {
      // Open in another process on a system that keeps such files: a later refresh removes it.
    }
  }
}
