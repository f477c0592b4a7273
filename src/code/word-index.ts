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

const kind = 'sonde-words-3';
/** Maximum bytes of a file that is indexed in advance; larger ones are searched by the other finder. */
const maxFileBytes = 8 * 1024 * 1024;
const maxFiles = 40_000;
/** Files that are read within a question; where more are unknown, the other finder answers. */
const maxUnread = 48;
/** Milliseconds of the thread in which nobody else has it. */
const sliceMs = 8;
/** Milliseconds for which closing reads on, so that the next process knows more. */
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
  let listed: WordFiles | null = null;
  /** The files that were read since the last `recheck` because their words were not known. */
  let swept: { readonly of: WordFiles; readonly read: ReadonlyMap<string, WordEntry> | null } | null = null;

  // Called for every file at each question: `join` would cost as much as the check itself.
  const stampOf = (path: string): string | null => fileStamp(`${root}/${path}`, now());
  /** Cached during one question, so that each file is checked once. */
  const stamps = new Map<string, string | null>();
  const readStampOnce = (path: string): string | null => stamps.get(path) ?? stampOf(path);

  function load(): void {
    if (isLoaded) return;
    isLoaded = true;
    const body = file === undefined ? null : readChecksummed(file, kind);
    if (body === null) return;
    const kept = deserializeWords(body);
    for (const [path, entry] of kept.entries) entries.set(path, entry);
    if (kept.listing !== null) listing.restore(kept.listing);
  }

  /** A file that is too large may hold any word. */
  function readWords(path: string, stamp: string | null): WordEntry {
    let hashes: WordEntry['hashes'];
    try {
      const place = join(root, path);
      hashes =
        statSync(place).size > maxFileBytes
          ? 'any'
          : (hashTextWords(readFileSync(place)) ?? new Uint32Array(0));
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
    const { paths } = listed ?? (await listing.current());
    let began = performance.now();
    for (const path of paths) {
      if (isClosed) return;
      const stamp = stampOf(path);
      if (stamp !== null && entries.get(path)?.stamp !== stamp) readWords(path, stamp);
      if (performance.now() - began < sliceMs) continue;
      await new Promise<void>((resolve) => void setImmediate(resolve).unref());
      began = performance.now();
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
    if (!isDirty || file === undefined || listed === null) return;
    isDirty = false;
    const there = new Set(listed.paths);
    try {
      writeChecksummed(
        file,
        kind,
        serializeWords(
          [...entries].filter(([path]) => there.has(path)),
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
    const wanted = names.map((name) => splitWords(name).map(hashWord));
    if (wanted.some((hashes) => hashes.length === 0)) return null;
    listed = await listing.current(signal);
    const { paths, cut } = listed;
    if (swept?.of !== listed) swept = { of: listed, read: readUnknown(paths) };
    const { read } = swept;
    if (read === null) return null;
    const found = paths.filter((path) => {
      const { hashes } = read.get(path) ?? entries.get(path)!;
      return hashes === 'any' || wanted.some((all) => all.every((one) => hasHash(hashes, one)));
    });
    return { paths: found, cut };
  }

  /** Two words may share a hash: if only few files are found, they are read to make sure. */
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
      swept = null;
      stamps.clear();
    },
    async filesContaining(words, signal) {
      const found = await findCandidates(words, signal);
      if (found === null) return finder.filesContaining(words, signal);
      const paths = confirmPaths(found.paths, words);
      const unnamed = new Set(paths.filter(isUndecodable));
      if (unnamed.size === 0) return { paths, cut: found.cut };
      // The other finder knows the true bytes of the path, and can read the file.
      const other = await finder.filesContaining(words, signal);
      const holding = new Set(other.paths);
      return {
        paths: paths.filter((path) => !unnamed.has(path) || holding.has(path)),
        cut: found.cut || other.cut,
      };
    },
    async listFiles(signal) {
      load();
      listed = await listing.current(signal);
      return listed;
    },
    async linesMatching(pattern, extensions, signal, words) {
      const found = words === undefined ? null : await findCandidates(words, signal);
      if (found === null || found.cut) return finder.linesMatching(pattern, extensions, signal);
      const key = `${extensions.join()} ${pattern}`;
      const known = matches.get(key) ?? new Map<string, CachedMatches>();
      if (matches.size > 200) matches.clear();
      matches.set(key, known);
      const wanted = new RegExp(pattern);
      return found.paths
        .filter((path) => extensions.some((extension) => path.endsWith(`.${extension}`)))
        .flatMap((path) => {
          const stamp = readStampOnce(path);
          const before = known.get(path);
          if (before !== undefined && before.stamp === stamp) return before.lines;
          const lines = findLines(root, path, wanted, words ?? []);
          if (stamp !== null) known.set(path, { stamp, lines });
          return lines;
        });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      const ends = performance.now() + closingMs;
      if (file !== undefined && listed !== null && listed.paths.length <= maxFiles)
        for (const [path, stamp] of findUnknown(listed.paths)) {
          if (performance.now() > ends) break;
          if (stamp !== null) readWords(path, stamp);
        }
      save();
    },
  };
}

const readText = (place: string): string => decode(readFileSync(place))?.text ?? '';

/** Characters of a line that are searched. */
const lineShown = 300;

/** Lists the lines that match, of those that contain one of the words. */
function findLines(
  root: string,
  path: string,
  wanted: RegExp,
  words: readonly string[],
): readonly WordLine[] {
  try {
    const text = readText(join(root, path));
    const found: WordLine[] = [];
    let line = 1;
    let counted = 0;
    for (const start of findLineStarts(text, words)) {
      for (let at = text.indexOf('\n', counted); at >= 0 && at < start; at = text.indexOf('\n', counted)) {
        line += 1;
        counted = at + 1;
      }
      const end = text.indexOf('\n', start);
      const shown = text.slice(start, end < 0 ? text.length : end);
      if (shown.length <= 10_000 && wanted.test(shown))
        found.push({ path, line, text: shown.slice(0, lineShown) });
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
