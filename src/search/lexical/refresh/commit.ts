import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { SondeError } from '../../../core/index.ts';
import { type Manifest, type SegmentEntry, writeIndexedFolder, writeManifest } from '../../manifest.ts';
import { replaceFile } from '../../replace-file.ts';
import type { SkippedFiles } from '../../search.ts';
import type { WalkedFolder } from '../../walk/walk.ts';
import type { IndexedFiles, PassedFile } from '../build/file-indexer.ts';
import { chooseSegmentsToMerge, mergeSegments } from '../build/merge.ts';
import { isSynced } from '../index-files.ts';
import { type IndexBefore, type IndexPlace, nextGeneration, type RefreshTask } from '../read/open-index.ts';
import { Segment } from '../read/segment.ts';
import type { TreeState } from './tree-state.ts';

/** The end of a refresh: its result becomes the index in one step. */

export interface Commit {
  readonly before: IndexBefore;
  /** The files that were replaced or removed, by the number of their segment in `before`. */
  readonly dead: ReadonlyMap<number, readonly number[]>;
  readonly indexed: IndexedFiles;
  readonly removedBytes: number;
  /** Null keeps the stored state of the tree. */
  readonly tree: TreeState | null;
  /** For documents that are not files: the number of the last change included. */
  readonly cursor?: number;
}

/** Merges segments if there are many, writes the state, and last the manifest, which makes the new index valid. */
export function commit(
  place: IndexPlace,
  task: RefreshTask,
  { before, dead, indexed, removedBytes, tree, cursor }: Commit,
): Manifest {
  task.onProgress({ phase: 'write', done: 0, total: 1 });
  const old = before.entries.map((entry, k) => ({
    ...entry,
    dead: [...entry.dead, ...(dead.get(k) ?? [])].sort((a, b) => a - b),
  }));
  const fresh = indexed.segments.map(({ name, files, chunks }) => ({ name, files, chunks, dead: [] }));
  if (isSynced(task)) for (const { name } of fresh) task.verified.add(name);
  const generation = nextGeneration(before);
  const segments = mergeEntries(place, before, [...old, ...fresh], generation, task.paths === undefined);
  const bytesBefore = before.entries.length === 0 ? 0 : (before.manifest?.bytes ?? 0);
  const description = {
    generation,
    ...(cursor !== undefined && { source: place.root }),
    settings: place.settings,
    limits: place.limits,
    segments,
    skipped:
      tree === null
        ? (before.manifest?.skipped ?? countSkipped([], []))
        : countSkipped(tree.folders, tree.passed),
    bytes: bytesBefore - removedBytes + indexed.segments.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(cursor !== undefined && { cursor }),
  };
  const manifest = {
    ...description,
    tree: tree === null ? (before.manifest?.tree ?? '') : saveState(place, description, tree),
  };
  if (cursor === undefined) writeIndexedFolder(place.directory, place.root);
  writeManifest(place.directory, manifest, { synced: isSynced(task) });
  task.onProgress({ phase: 'write', done: 1, total: 1 });
  return manifest;
}

/**
 * Returns the name of the state's file. It contains a checksum of the manifest, so that a state left by a killed refresh
 * is never used with other segments.
 */
function saveState({ directory }: IndexPlace, manifest: Omit<Manifest, 'tree'>, tree: TreeState): string {
  const name = `tree-${manifest.generation}-${crc32(JSON.stringify(manifest)).toString(16).padStart(8, '0')}.json`;
  const body = JSON.stringify(tree);
  replaceFile(join(directory, name), `${crc32(body)}\n${body}`);
  return name;
}

/** Maximum number of chunks that a refresh of a few paths merges, since it must be quick. */
const maxQuickMerge = 5_000;

/** `entries`: those of `before` in the same order, then the new ones. */
function mergeEntries(
  { directory }: IndexPlace,
  before: IndexBefore,
  entries: readonly SegmentEntry[],
  generation: number,
  isFull: boolean,
): SegmentEntry[] {
  const sizes = entries.map(({ chunks, dead }, k) => {
    const firstChunks = before.segments[k]?.segment.firstChunks;
    const deadChunks = dead.reduce((sum, file) => sum + countChunks(firstChunks, file), 0);
    return { chunks, deadChunks };
  });
  const chosen = chooseSegmentsToMerge(sizes, isFull ? Number.POSITIVE_INFINITY : maxQuickMerge);
  if (chosen.length === 0) return [...entries];
  const segmentEntries = entries.filter((_, k) => !chosen.includes(k));
  const living = chosen.filter((k) => entries[k]!.dead.length < entries[k]!.files);
  if (living.length === 0) return segmentEntries;
  const parts = living.map((k) => ({
    segment: reopenSegment(directory, entries[k]!.name),
    dead: entries[k]!.dead,
  }));
  try {
    const { name, files, chunks } = mergeSegments(parts, { directory, generation });
    return [...segmentEntries, { name, files, chunks, dead: [] }];
  } finally {
    for (const { segment } of parts) segment.close();
  }
}

function countChunks(firstChunks: Uint32Array | undefined, file: number): number {
  return firstChunks === undefined ? 0 : firstChunks[file + 1]! - firstChunks[file]!;
}

function reopenSegment(directory: string, name: string): Segment {
  const segment = Segment.open(join(directory, name));
  if (segment !== null) return segment;
  throw new SondeError('store_corrupt', {
    message: `The index segment ${join(directory, name)} cannot be read any more.`,
    remedy: 'Index again; what is damaged is then built anew.',
  });
}

function countSkipped(folders: readonly WalkedFolder[], passed: readonly PassedFile[]): SkippedFiles {
  const skipped = { ignored: 0, binary: 0, minified: 0, huge: 0, unreadable: 0, linked: 0 };
  for (const folder of folders) {
    skipped.ignored += folder.ignored;
    skipped.binary += folder.binary;
    skipped.unreadable += folder.unreadable;
  }
  for (const { reason } of passed) skipped[reason] += 1;
  for (const { left } of folders) skipped.linked += left?.link?.length ?? 0;
  return skipped;
}
