import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { WalkedFolder } from '../../walk/walk.ts';
import type { RuleSource } from '../../walk/walk-ignore.ts';
import type { EncodedFile, PassedFile } from '../build/file-indexer.ts';
import type { FileStamp } from '../stamp.ts';

/**
 * The tree as the last refresh saw it, besides the files in the segments. The manifest names the state that belongs to
 * its segments; if it is missing or damaged, the next refresh walks the whole tree. In a file of JSON after a line with
 * its checksum.
 */
export interface TreeState {
  /** Milliseconds since the Unix epoch, before the first folder was listed. */
  readonly seen: number;
  readonly folders: readonly WalkedFolder[];
  readonly sources: readonly RuleSource[];
  readonly passed: readonly PassedFile[];
  /** Indexed files whose text is not what their bytes say as UTF-8. */
  readonly encoded: readonly EncodedFile[];
  /** Files that the rules leave out, and that are in since version control tracks them. */
  readonly tracked: readonly string[];
  /** Newer stamps of indexed files whose content turned out to be the same. */
  readonly restamped: readonly (readonly [path: string, stamp: FileStamp])[];
}

/**
 * The state that was read last, since a refresh and the list of what it left out read the same one. It must not be
 * changed.
 */
let lastRead: { readonly seen: string; readonly state: TreeState } | undefined;

/** Null if it is missing or damaged. */
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
