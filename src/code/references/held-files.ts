/** The files of a tree that were read, cached between questions until they change. */

import type { WordFiles } from '../grep/word-files.ts';
import type { SyntaxFile } from '../syntax/reader.ts';
import type { ModuleMap } from './modules.ts';

export type HeldFile =
  | { readonly kind: 'read'; readonly lines: readonly string[]; readonly read: SyntaxFile }
  | { readonly kind: 'unreadable'; readonly isTooLarge: boolean };

export interface HeldFiles {
  file(path: string, stamp: string | null): HeldFile | undefined;
  keep(path: string, stamp: string | null, file: HeldFile): void;
  /** Null if the tree has changed, or a file that configures modules. */
  map(listing: WordFiles, stampOf: (path: string) => string | null): ModuleMap | null;
  /** A value derived from the text of a file, by name; undefined if the file has changed since. */
  derived(path: string, stamp: string | null, name: string): unknown;
  /** `size`: characters. */
  keepDerived(path: string, stamp: string | null, name: string, made: unknown, size: number): void;
  keepMap(listing: WordFiles, stamps: ReadonlyMap<string, string | null>, map: ModuleMap): void;
}

interface CachedFile {
  readonly stamp: string;
  readonly file: HeldFile;
  readonly size: number;
}

/** Maximum characters of all texts. */
const usualLimit = 64 * 1024 * 1024;

export function heldFiles(limit = usualLimit): HeldFiles {
  const held = new Map<string, CachedFile>();
  const made = new Map<string, { readonly stamp: string; readonly value: unknown; readonly size: number }>();
  let total = 0;
  let madeSize = 0;
  let last: {
    readonly listing: WordFiles;
    readonly stamps: ReadonlyMap<string, string | null>;
    readonly map: ModuleMap;
  } | null = null;

  function drop(path: string): void {
    total -= held.get(path)?.size ?? 0;
    held.delete(path);
  }

  return {
    file(path, stamp) {
      const found = held.get(path);
      if (found === undefined || found.stamp !== stamp) return undefined;
      held.delete(path);
      held.set(path, found);
      return found.file;
    },
    keep(path, stamp, file) {
      if (stamp === null || file.kind !== 'read') return;
      drop(path);
      const size = file.lines.reduce((sum, line) => sum + line.length + 16, 64);
      held.set(path, { stamp, file, size });
      total += size;
      for (const oldest of held.keys()) {
        if (total <= limit || oldest === path) break;
        drop(oldest);
      }
    },
    derived(path, stamp, name) {
      const found = made.get(`${name} ${path}`);
      return stamp !== null && found?.stamp === stamp ? found.value : undefined;
    },
    keepDerived(path, stamp, name, value, size) {
      if (stamp === null) return;
      const key = `${name} ${path}`;
      madeSize += size - (made.get(key)?.size ?? 0);
      made.delete(key);
      made.set(key, { stamp, value, size });
      for (const [oldest, { size: freed }] of made) {
        if (madeSize <= limit || oldest === key) break;
        made.delete(oldest);
        madeSize -= freed;
      }
    },
    map(listing, stampOf) {
      if (last === null || last.listing !== listing) return null;
      for (const [path, stamp] of last.stamps) if (stamp === null || stampOf(path) !== stamp) return null;
      return last.map;
    },
    keepMap(listing, stamps, map) {
      last = { listing, stamps, map };
    },
  };
}
