import { closeSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { formatVersion } from './lexical/read/segment-format.ts';
import type { IndexSettings } from './lexical/settings.ts';
import { replaceFile } from './replace-file.ts';
import type { SkippedFiles } from './search.ts';
import type { WalkLimits } from './walk/walk-limits.ts';

/**
 * The one file that says which segments are alive. It is replaced whole, by rename, after the segments that
 * it names are on disk: whoever reads it sees the index before a refresh or after it, never between.
 */

export interface SegmentEntry {
  /** File name in the index directory. */
  readonly name: string;
  readonly files: number;
  readonly chunks: number;
  /** Rising file numbers within the segment that were replaced or removed since. */
  readonly dead: readonly number[];
}

export interface Manifest {
  /** Rises with every change; names of new files carry it. */
  readonly generation: number;
  /** The id of a source of documents. Absent: a folder is indexed, and its path stands in a file beside. */
  readonly source?: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  readonly segments: readonly SegmentEntry[];
  /** File name of the tree's state, which the next refresh compares with; empty if there is none. */
  readonly tree: string;
  readonly skipped: SkippedFiles;
  /** The size of the indexed files. */
  readonly bytes: number;
  /** For documents that are not files: the number of the last change included. */
  readonly cursor?: number;
}

const manifestName = 'manifest.json';
const magic = 'sonde-index';

export function manifestPath(directory: string): string {
  return join(directory, manifestName);
}

/** Null if there is none, or one that is damaged or of another version. */
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

/** The folder or document source of an index. Null if the index does not say. */
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

/** Not in the manifest, so that it is the same for two clones of a commit. */
export function writeIndexedFolder(directory: string, folder: string): void {
  if (readFolder(directory) !== folder) replaceFile(folderFilePath(directory), folder, { synced: false });
}

/** When the state on disk was written. Null if there is none. */
export function readWriteTime(directory: string): Date | null {
  return statSync(manifestPath(directory), { throwIfNoEntry: false })?.mtime ?? null;
}

/** Without sync it may be lost with the power: the index is then built again. */
export function writeManifest(directory: string, manifest: Manifest, { synced = true } = {}): void {
  const body = JSON.stringify(manifest);
  const content = `${magic} ${formatVersion} ${crc32(body)}\n${body}`;
  replaceFile(manifestPath(directory), content, { synced });
  if (synced) syncDirectory(directory);
}

/** Makes renames in the directory durable. Not every file system can; those that can't don't need it. */
function syncDirectory(directory: string): void {
  try {
    const file = openSync(directory, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Windows does not open directories.
  }
}
