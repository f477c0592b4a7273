/** An index of the words in each file. A file is read once, and again only when it has changed. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decode, readChecksummed, writeChecksummed } from '../search/index.ts';
import { fileStamp } from './file-stamp.ts';
import type { WordFiles, WordFinder, WordLine } from './grep/word-files.ts';
import { treeListing } from './tree-listing.ts';
import { deserializeWords, serializeWords, type WordEntry } from './word-cache.ts';
import { hasHash, hashTextWords, hashWord, splitWords } from './word-tokens.ts';

export interface WordIndexOptions {
  readonly root: string;
  /** The file in which the index is stored; if absent, it is not stored. */
  readonly file?: string;
  readonly now?: () => number;
}

const cacheKind = 'sonde-words-3';
/** Maximum bytes of a file that is indexed in advance; larger ones are searched by the other finder. */
const maxFileBytes = 8 * 1024 * 1024;
const maxFiles = 40_000;
/** Maximum files that are read to answer a question. If the words of more files are unknown, the other finder answers. */
const maxUnread = 48;
/** Milliseconds of synchronous reading after which the event loop runs other work. */
const sliceMs = 8;
/** Milliseconds for which `close` goes on reading, so that the next process finds more words in the cache. */
const closingMs = 300;

interface CachedMatches {
  readonly stamp: string;
  readonly lines: readonly WordLine[];
}

export interface WordIndex extends WordFinder {
  recheck(): void;
  /** The stamp of a file; null if it can't be read. */
  stampOf(path: string): string | null;
  /** Reads all files whose words are not known yet. */
  fill(): Promise<void>;
  close(): void;
}

export function wordIndex(finder: WordFinder, { root, file, now = Date.now }: WordIndexOptions): WordIndex {
  const listing = treeListing(root, finder, now);
  const entries = new Map<string, WordEntry>();
  const matches = new Map<string, Map<string, CachedMatches>>();
  let isLoaded = false;
  let isDirty = false;
  let isClosed = false;
  let filling: Promise<void> | null = null;
  let lastListing: WordFiles | null = null;
  /** The files that were read since the last `recheck` because their words were not known. */
  let lastCheck: { readonly of: WordFiles; readonly read: ReadonlyMap<string, WordEntry> | null } | null =
    null;

  // Called for every file at each question: `join` would cost as much as the check itself.
  const stampOf = (path: string): string | null => fileStamp(`${root}/${path}`, now());
  /** Stamps that were taken for the current question, so that each file is checked once. */
  const stamps = new Map<string, string | null>();
  const readStampOnce = (path: string): string | null => stamps.get(path) ?? stampOf(path);

  function load(): void {
    if (isLoaded) return;
    isLoaded = true;
    const body = file === undefined ? null : readChecksummed(file, cacheKind);
    if (body === null) return;
    const cached = deserializeWords(body);
    for (const [path, entry] of cached.entries) entries.set(path, entry);
    if (cached.listing !== null) listing.restore(cached.listing);
  }

  /** Reads the words of a file. A file that is too large, or can't be read, may contain any word. */
  function readWords(path: string, stamp: string | null): WordEntry {
    let hashes: WordEntry['hashes'];
    try {
      const absolutePath = join(root, path);
      hashes =
        statSync(absolutePath).size > maxFileBytes
          ? 'any'
          : (hashTextWords(readFileSync(absolutePath)) ?? new Uint32Array(0));
    } catch {
      hashes = 'any';
    }
    const entry = { stamp: stamp ?? '', hashes };
    if (stamp !== null) {
      entries.set(path, entry);
      isDirty = true;
    }
    return entry;
  }

  /** Whether a listed path has U+FFFD in place of bytes that are not UTF-8, so that it can't be opened. */
  const isUndecodable = (path: string): boolean => path.includes('\uFFFD') && readStampOnce(path) === null;

  /** Paths whose current words are not known, with their stamps. */
  function findUnknown(paths: readonly string[]): Map<string, string | null> {
    const found = new Map<string, string | null>();
    for (const path of paths) {
      const stamp = stampOf(path);
      stamps.set(path, stamp);
      if (stamp === null || entries.get(path)?.stamp !== stamp) found.set(path, stamp);
    }
    return found;
  }

  async function fillAll(): Promise<void> {
    load();
    const { paths } = lastListing ?? (await listing.current());
    let sliceStart = performance.now();
    for (const path of paths) {
      if (isClosed) return;
      const stamp = stampOf(path);
      if (stamp !== null && entries.get(path)?.stamp !== stamp) readWords(path, stamp);
      if (performance.now() - sliceStart < sliceMs) continue;
      await new Promise<void>((resolve) => void setImmediate(resolve).unref());
      sliceStart = performance.now();
    }
    save();
  }

  function fill(): Promise<void> {
    filling ??= fillAll().finally(() => {
      filling = null;
    });
    return filling;
  }

  function save(): void {
    if (!isDirty || file === undefined || lastListing === null) return;
    isDirty = false;
    const listedPaths = new Set(lastListing.paths);
    try {
      writeChecksummed(
        file,
        cacheKind,
        serializeWords(
          [...entries].filter(([path]) => listedPaths.has(path)),
          listing.known(),
        ),
      );
    } catch {
      // The disk is full, or the cache is read-only: the next process reads the files again.
    }
  }

  /** Reads the files now; null if there are too many. */
  function readUnknown(paths: readonly string[]): ReadonlyMap<string, WordEntry> | null {
    if (paths.length > maxFiles) return null;
    const unread = findUnknown(paths);
    if (unread.size <= maxUnread)
      return new Map([...unread].map(([path, stamp]) => [path, readWords(path, stamp)]));
    void fill().catch(() => {});
    return null;
  }

  /** Files that may hold all words of one of the names; null if that is not known. */
  async function findCandidates(names: readonly string[], signal?: AbortSignal): Promise<WordFiles | null> {
    load();
    const hashesByName = names.map((name) => splitWords(name).map(hashWord));
    if (hashesByName.some((hashes) => hashes.length === 0)) return null;
    lastListing = await listing.current(signal);
    const { paths, cut } = lastListing;
    if (lastCheck?.of !== lastListing) lastCheck = { of: lastListing, read: readUnknown(paths) };
    const { read } = lastCheck;
    if (read === null) return null;
    const found = paths.filter((path) => {
      const { hashes } = read.get(path) ?? entries.get(path)!;
      return (
        hashes === 'any' ||
        hashesByName.some((wordHashes) => wordHashes.every((hash) => hasHash(hashes, hash)))
      );
    });
    return { paths: found, cut };
  }

  /** Two words may share a hash, so if only few files are found, they are read to make sure that they contain a name. */
  function confirmPaths(paths: readonly string[], names: readonly string[]): readonly string[] {
    if (paths.length > 4 && names.every((name) => /^\w+$/.test(name))) return paths;
    return paths.filter((path) => {
      try {
        const text = readText(join(root, path));
        return names.some((name) => text.includes(name));
      } catch {
        return true;
      }
    });
  }

  return {
    stampOf,
    fill,
    recheck() {
      listing.recheck();
      lastCheck = null;
      stamps.clear();
    },
    async filesContaining(words, signal) {
      const found = await findCandidates(words, signal);
      if (found === null) return finder.filesContaining(words, signal);
      const paths = confirmPaths(found.paths, words);
      const undecodablePaths = new Set(paths.filter(isUndecodable));
      if (undecodablePaths.size === 0) return { paths, cut: found.cut };
      // The other finder knows the true bytes of the path, and can read the file.
      const other = await finder.filesContaining(words, signal);
      const pathsWithWord = new Set(other.paths);
      return {
        paths: paths.filter((path) => !undecodablePaths.has(path) || pathsWithWord.has(path)),
        cut: found.cut || other.cut,
      };
    },
    async listFiles(signal) {
      load();
      lastListing = await listing.current(signal);
      return lastListing;
    },
    async linesMatching(pattern, extensions, signal, words) {
      const found = words === undefined ? null : await findCandidates(words, signal);
      if (found === null || found.cut) return finder.linesMatching(pattern, extensions, signal);
      const key = `${extensions.join()} ${pattern}`;
      const linesByPath = matches.get(key) ?? new Map<string, CachedMatches>();
      if (matches.size > 200) matches.clear();
      matches.set(key, linesByPath);
      const expression = new RegExp(pattern);
      return found.paths
        .filter((path) => extensions.some((extension) => path.endsWith(`.${extension}`)))
        .flatMap((path) => {
          const stamp = readStampOnce(path);
          const cachedLines = linesByPath.get(path);
          if (cachedLines !== undefined && cachedLines.stamp === stamp) return cachedLines.lines;
          const lines = findLines(root, path, expression, words ?? []);
          if (stamp !== null) linesByPath.set(path, { stamp, lines });
          return lines;
        });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      const endsAt = performance.now() + closingMs;
      if (file !== undefined && lastListing !== null && lastListing.paths.length <= maxFiles)
        for (const [path, stamp] of findUnknown(lastListing.paths)) {
          if (performance.now() > endsAt) break;
          if (stamp !== null) readWords(path, stamp);
        }
      save();
    },
  };
}

const readText = (place: string): string => decode(readFileSync(place))?.text ?? '';

/** Maximum characters of a line that are returned. */
const maxLineLength = 300;

/** Lists the lines that match, of those that contain one of the words. */
function findLines(
  root: string,
  path: string,
  expression: RegExp,
  words: readonly string[],
): readonly WordLine[] {
  try {
    const text = readText(join(root, path));
    const found: WordLine[] = [];
    let line = 1;
    let countedTo = 0;
    for (const start of findLineStarts(text, words)) {
      for (
        let at = text.indexOf('\n', countedTo);
        at >= 0 && at < start;
        at = text.indexOf('\n', countedTo)
      ) {
        line += 1;
        countedTo = at + 1;
      }
      const end = text.indexOf('\n', start);
      const lineText = text.slice(start, end < 0 ? text.length : end);
      if (lineText.length <= 10_000 && expression.test(lineText))
        found.push({ path, line, text: lineText.slice(0, maxLineLength) });
    }
    return found;
  } catch {
    return [];
  }
}

/** The starts of the lines that contain one of the words, in order. */
function findLineStarts(text: string, words: readonly string[]): readonly number[] {
  const found = new Set<number>();
  for (const word of words)
    for (let at = text.indexOf(word); at >= 0; ) {
      found.add(text.lastIndexOf('\n', at) + 1);
      const end = text.indexOf('\n', at);
      at = end < 0 ? -1 : text.indexOf(word, end + 1);
    }
  return [...found].sort((a, b) => a - b);
}
