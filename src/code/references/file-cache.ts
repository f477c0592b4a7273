/** The files of a tree that were read, cached between questions until they change. */

import type { WordFiles } from '../grep/word-files.ts';
import type { SyntaxFile } from '../syntax/reader.ts';
import type { ModuleMap } from './modules.ts';

export type CachedFile =
  | { readonly kind: 'read'; readonly lines: readonly string[]; readonly read: SyntaxFile }
  | { readonly kind: 'unreadable'; readonly isTooLarge: boolean };

export interface FileCache {
  get(path: string, stamp: string | null): CachedFile | undefined;
  set(path: string, stamp: string | null, file: CachedFile): void;
  /** Null if the tree has changed, or a file that configures modules. */
  getMap(listing: WordFiles, stampOf: (path: string) => string | null): ModuleMap | null;
  /** A value derived from the text of a file, by name; undefined if the file has changed since. */
  getDerived(path: string, stamp: string | null, name: string): unknown;
  /** `size`: characters. */
  setDerived(path: string, stamp: string | null, name: string, made: unknown, size: number): void;
  setMap(listing: WordFiles, stamps: ReadonlyMap<string, string | null>, map: ModuleMap): void;
}

interface CacheEntry {
  readonly stamp: string;
  readonly file: CachedFile;
  readonly size: number;
}

/** Maximum characters of all texts. */
const usualLimit = 64 * 1024 * 1024;

export function createFileCache(limit = usualLimit): FileCache {
  const entries = new Map<string, CacheEntry>();
  const derivedValues = new Map<
    string,
    { readonly stamp: string; readonly value: unknown; readonly size: number }
  >();
  let totalSize = 0;
  let derivedSize = 0;
  let cachedMap: {
    readonly listing: WordFiles;
    readonly stamps: ReadonlyMap<string, string | null>;
    readonly map: ModuleMap;
  } | null = null;

  function drop(path: string): void {
    totalSize -= entries.get(path)?.size ?? 0;
    entries.delete(path);
  }

  return {
    get(path, stamp) {
      const found = entries.get(path);
      if (found === undefined || found.stamp !== stamp) return undefined;
      entries.delete(path);
      entries.set(path, found);
      return found.file;
    },
    set(path, stamp, file) {
      if (stamp === null || file.kind !== 'read') return;
      drop(path);
      const size = file.lines.reduce((sum, line) => sum + line.length + 16, 64);
      entries.set(path, { stamp, file, size });
      totalSize += size;
      for (const oldest of entries.keys()) {
        if (totalSize <= limit || oldest === path) break;
        drop(oldest);
      }
    },
    getDerived(path, stamp, name) {
      const found = derivedValues.get(`${name} ${path}`);
      return stamp !== null && found?.stamp === stamp ? found.value : undefined;
    },
    setDerived(path, stamp, name, value, size) {
      if (stamp === null) return;
      const key = `${name} ${path}`;
      derivedSize += size - (derivedValues.get(key)?.size ?? 0);
      derivedValues.delete(key);
      derivedValues.set(key, { stamp, value, size });
      for (const [oldest, { size: freed }] of derivedValues) {
        if (derivedSize <= limit || oldest === key) break;
        derivedValues.delete(oldest);
        derivedSize -= freed;
      }
    },
    getMap(listing, stampOf) {
      if (cachedMap === null || cachedMap.listing !== listing) return null;
      for (const [path, stamp] of cachedMap.stamps)
        if (stamp === null || stampOf(path) !== stamp) return null;
      return cachedMap.map;
    },
    setMap(listing, stamps, map) {
      cachedMap = { listing, stamps, map };
    },
  };
}
