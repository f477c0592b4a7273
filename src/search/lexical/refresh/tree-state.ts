import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { WalkedFolder } from '../../walk/walk.ts';
import type { RuleSource } from '../../walk/walk-ignore.ts';
import type { EncodedFile, PassedFile } from '../build/file-indexer.ts';
import type { FileStamp } from '../stamp.ts';

/**
 * The tree at the last refresh, except the files in the segments. The manifest names the state that belongs to its
 * segments; if it is missing or damaged, the next refresh walks the whole tree. The file is a line with a checksum, then
 * JSON.
 */
export interface TreeState {
  /** When the walk began, in milliseconds since the Unix epoch. */
  readonly seen: number;
  readonly folders: readonly WalkedFolder[];
  readonly sources: readonly RuleSource[];
  readonly passed: readonly PassedFile[];
  /** Indexed files that are not plain UTF-8. */
  readonly encoded: readonly EncodedFile[];
  /** Files that a rule ignores, indexed because version control tracks them. */
  readonly tracked: readonly string[];
  /** Newer stamps of indexed files whose content is unchanged. */
  readonly restamped: readonly (readonly [path: string, stamp: FileStamp])[];
}

/**
 * A cache of the last state read, since a refresh and its report of left-out files read the same one. Must not be
 * modified.
 */
let lastRead: { readonly seen: string; readonly state: TreeState } | undefined;

/** Null if the file is missing or damaged. */
export function readTreeState(directory: string, name: string): TreeState | null {
  if (name === '') return null;
  try {
    const path = join(directory, name);
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    const seen = [path, ino, size, mtimeMs, ctimeMs].join();
    if (lastRead?.seen === seen) return lastRead.state;
    const text = readFileSync(path, 'utf8');
    const newline = text.indexOf('\n');
    const body = text.slice(newline + 1);
    if (Number(text.slice(0, newline)) !== crc32(body)) return null;
    const state = JSON.parse(body) as TreeState;
    lastRead = { seen, state };
    return state;
  } catch {
    return null;
  }
}
