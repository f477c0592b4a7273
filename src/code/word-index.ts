/** Which files hold a word, from an index: each file is read once, and again only when it has changed. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decode, readChecksummed, writeChecksummed } from '../search/index.ts';
import { fileStamp } from './file-stamp.ts';
import type { WordFiles, WordFinder, WordLine } from './grep/word-files.ts';
import { treeListing } from './tree-listing.ts';
import { keptWords, type WordEntry, wordsKept } from './word-kept.ts';
import { holdsHash, wordHash, wordHashes, wordsIn } from './word-tokens.ts';

export interface WordIndexOptions {
  readonly root: string;
  /** The file that keeps it between processes; absent: it is not kept. */
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

interface Matching {
  readonly stamp: string;
  readonly lines: readonly WordLine[];
}

export interface WordIndex extends WordFinder {
  look(): void;
  /** The stamp of a file; null if it can't be read. */
  stampOf(path: string): string | null;
  /** Reads what is not known yet, and resolves when all is. */
  fill(): Promise<void>;
  close(): void;
}

export function wordIndex(finder: WordFinder, { root, file, now = Date.now }: WordIndexOptions): WordIndex {
  const listing = treeListing(root, finder, now);
  const entries = new Map<string, WordEntry>();
  const matches = new Map<string, Map<string, Matching>>();
  let isLoaded = false;
  let isDirty = false;
  let isClosed = false;
  let filling: Promise<void> | null = null;
  let listed: WordFiles | null = null;
  /** Since the last look: files whose words were not known as they are. */
  let swept: { readonly of: WordFiles; readonly read: ReadonlyMap<string, WordEntry> | null } | null = null;

  // Asked of every file at each question: joining paths would cost as much as the look itself.
  const stampOf = (path: string): string | null => fileStamp(`${root}/${path}`, now());
  /** Cached during one question, so that each file is checked once. */
  const stamps = new Map<string, string | null>();
  const stampAtLook = (path: string): string | null => stamps.get(path) ?? stampOf(path);

  function load(): void {
    if (isLoaded) return;
    isLoaded = true;
    const body = file === undefined ? null : readChecksummed(file, kind);
    if (body === null) return;
    const kept = keptWords(body);
    for (const [path, entry] of kept.entries) entries.set(path, entry);
    if (kept.listing !== null) listing.restore(kept.listing);
  }

  /** A file that is too large may hold any word. */
  function readWords(path: string, stamp: string | null): WordEntry {
    let hashes: WordEntry['hashes'];
    try {
      const place = join(root, path);
      hashes =
        statSync(place).size > maxFileBytes ? 'any' : (wordHashes(readFileSync(place)) ?? new Uint32Array(0));
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

  /** A name with bytes that are not UTF-8 stands in a listing with U+FFFD in their place, and opens nothing. */
  const isUndecodable = (path: string): boolean => path.includes('\uFFFD') && stampAtLook(path) === null;

  /** Paths whose present words are not known, with their stamps. */
  function unknown(paths: readonly string[]): Map<string, string | null> {
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
        wordsKept(
          [...entries].filter(([path]) => there.has(path)),
          listing.known(),
        ),
      );
    } catch {
      // A full disk, or a cache that may only be read: the next process begins anew.
    }
  }

  /** Reads the files now; null if there are too many. */
  function sweep(paths: readonly string[]): ReadonlyMap<string, WordEntry> | null {
    if (paths.length > maxFiles) return null;
    const unread = unknown(paths);
    if (unread.size <= maxUnread)
      return new Map([...unread].map(([path, stamp]) => [path, readWords(path, stamp)]));
    void fill().catch(() => {});
    return null;
  }

  /** Files that may hold all words of one of the names; null if that is not known. */
  async function candidates(names: readonly string[], signal?: AbortSignal): Promise<WordFiles | null> {
    load();
    const wanted = names.map((name) => wordsIn(name).map(wordHash));
    if (wanted.some((hashes) => hashes.length === 0)) return null;
    listed = await listing.current(signal);
    const { paths, cut } = listed;
    if (swept?.of !== listed) swept = { of: listed, read: sweep(paths) };
    const { read } = swept;
    if (read === null) return null;
    const found = paths.filter((path) => {
      const { hashes } = read.get(path) ?? entries.get(path)!;
      return hashes === 'any' || wanted.some((all) => all.every((one) => holdsHash(hashes, one)));
    });
    return { paths: found, cut };
  }

  /** Two words may share a number: where only few files are found, they are read to see which word it is. */
  function confirmPaths(paths: readonly string[], names: readonly string[]): readonly string[] {
    if (paths.length > 4 && names.every((name) => /^\w+$/.test(name))) return paths;
    return paths.filter((path) => {
      try {
        const text = textOf(join(root, path));
        return names.some((name) => text.includes(name));
      } catch {
        return true;
      }
    });
  }

  return {
    stampOf,
    fill,
    look() {
      listing.recheck();
      swept = null;
      stamps.clear();
    },
    async holding(words, signal) {
      const found = await candidates(words, signal);
      if (found === null) return finder.holding(words, signal);
      const paths = confirmPaths(found.paths, words);
      const unnamed = new Set(paths.filter(isUndecodable));
      if (unnamed.size === 0) return { paths, cut: found.cut };
      // The other finder has the bytes of its name, and can read it.
      const other = await finder.holding(words, signal);
      const holding = new Set(other.paths);
      return {
        paths: paths.filter((path) => !unnamed.has(path) || holding.has(path)),
        cut: found.cut || other.cut,
      };
    },
    async all(signal) {
      load();
      listed = await listing.current(signal);
      return listed;
    },
    async matching(pattern, extensions, signal, words) {
      const found = words === undefined ? null : await candidates(words, signal);
      if (found === null || found.cut) return finder.matching(pattern, extensions, signal);
      const key = `${extensions.join()} ${pattern}`;
      const known = matches.get(key) ?? new Map<string, Matching>();
      if (matches.size > 200) matches.clear();
      matches.set(key, known);
      const wanted = new RegExp(pattern);
      return found.paths
        .filter((path) => extensions.some((extension) => path.endsWith(`.${extension}`)))
        .flatMap((path) => {
          const stamp = stampAtLook(path);
          const before = known.get(path);
          if (before !== undefined && before.stamp === stamp) return before.lines;
          const lines = linesOf(root, path, wanted, words ?? []);
          if (stamp !== null) known.set(path, { stamp, lines });
          return lines;
        });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      const ends = performance.now() + closingMs;
      if (file !== undefined && listed !== null && listed.paths.length <= maxFiles)
        for (const [path, stamp] of unknown(listed.paths)) {
          if (performance.now() > ends) break;
          if (stamp !== null) readWords(path, stamp);
        }
      save();
    },
  };
}

const textOf = (place: string): string => decode(readFileSync(place))?.text ?? '';

/** Characters of a line that are searched. */
const lineShown = 300;

/** Those that match, of the lines that hold one of the words. */
function linesOf(root: string, path: string, wanted: RegExp, words: readonly string[]): readonly WordLine[] {
  try {
    const text = textOf(join(root, path));
    const found: WordLine[] = [];
    let line = 1;
    let counted = 0;
    for (const start of lineStartsWith(text, words)) {
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
function lineStartsWith(text: string, words: readonly string[]): readonly number[] {
  const found = new Set<number>();
  for (const word of words)
    for (let at = text.indexOf(word); at >= 0; ) {
      found.add(text.lastIndexOf('\n', at) + 1);
      const end = text.indexOf('\n', at);
      at = end < 0 ? -1 : text.indexOf(word, end + 1);
    }
  return [...found].sort((a, b) => a - b);
}
