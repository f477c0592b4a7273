import { closeSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { formatVersion } from './lexical/read/segment-format.ts';
import type { IndexSettings } from './lexical/settings.ts';
import { replaceFile } from './replace-file.ts';
import type { SkippedFiles } from './search.ts';
import type { WalkLimits } from './walk/walk-limits.ts';

/**
 * The file that lists the live segments. It is replaced by a rename after its segments are on disk, so a reader sees the
 * index either before a refresh or after it.
 */

export interface SegmentEntry {
  /** File name in the index directory. */
  readonly name: string;
  readonly files: number;
  readonly chunks: number;
  /** Numbers of files in the segment that were replaced or removed since, in ascending order. */
  readonly dead: readonly number[];
}

export interface Manifest {
  /** Increases with every change; part of the names of new files. */
  readonly generation: number;
  /** The id of a source of documents. Absent for a folder, whose path is in a file of its own. */
  readonly source?: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  readonly segments: readonly SegmentEntry[];
  /** Name of the file with the tree's state, with which the next refresh compares the tree; empty if there is none. */
  readonly tree: string;
  readonly skipped: SkippedFiles;
  /** Total size of the indexed files. */
  readonly bytes: number;
  /** For documents that are not files: the number of the last change included. */
  readonly cursor?: number;
}

const manifestName = 'manifest.json';
const magic = 'sonde-index';

export function manifestPath(directory: string): string {
  return join(directory, manifestName);
}

/** Null if the manifest is missing, damaged or of another version. */
export function readManifest(directory: string): Manifest | null {
  try {
    const text = readFileSync(manifestPath(directory), 'utf8');
    const newline = text.indexOf('\n');
    const [kind, version, crc] = text.slice(0, newline).split(' ');
    const body = text.slice(newline + 1);
    if (kind !== magic || Number(version) !== formatVersion || Number(crc) !== crc32(body)) return null;
    return JSON.parse(body) as Manifest;
  } catch {
    return null;
  }
}

const folderFilePath = (directory: string): string => join(directory, 'folder');

/** The folder or document source of an index; null if it is not known. */
export function readIndexedRoot(directory: string): string | null {
  const { source = null } = readManifest(directory) ?? {};
  return source ?? readFolder(directory);
}

function readFolder(directory: string): string | null {
  try {
    return readFileSync(folderFilePath(directory), 'utf8');
  } catch {
    return null;
  }
}

/** A file of its own, so that two clones of a commit have equal manifests. */
export function writeIndexedFolder(directory: string, folder: string): void {
  if (readFolder(directory) !== folder) replaceFile(folderFilePath(directory), folder, { synced: false });
}

/** When the manifest was written; null if there is none. */
export function readWriteTime(directory: string): Date | null {
  return statSync(manifestPath(directory), { throwIfNoEntry: false })?.mtime ?? null;
}

/** Unless synced, a power failure may lose it; the index is then rebuilt. */
export function writeManifest(directory: string, manifest: Manifest, { synced = true } = {}): void {
  const body = JSON.stringify(manifest);
  const content = `${magic} ${formatVersion} ${crc32(body)}\n${body}`;
  replaceFile(manifestPath(directory), content, { synced });
  if (synced) syncDirectory(directory);
}

/** Makes renames in the directory durable, where the system allows it. */
function syncDirectory(directory: string): void {
  try {
    const file = openSync(directory, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Windows cannot open directories.
  }
}
