/**
 * The files read for one question: those that contain a word, their facts, and the files that these facts lead to.
 */
import type { TextReader, WordCounts } from '../../core/index.ts';
import { Deadline } from '../deadline.ts';
import type { FileFacts } from '../facts/facts.ts';
import type { WordFinder } from '../grep/word-files.ts';
import type { LanguageServers } from '../servers/index.ts';
import { syntaxExtensions, syntaxLanguage } from '../syntax/languages.ts';
import type { SyntaxReader } from '../syntax/reader.ts';
import type { CachedFile, FileCache } from './file-cache.ts';
import { createModuleMap, listMapFiles, type ModuleMap } from './modules.ts';
import { NameResolver } from './name-resolver.ts';
import { isTestOrVendored } from './test-or-vendored.ts';

export interface CodeSources {
  readonly words: WordFinder;
  readonly reader: TextReader;
  readonly syntax: SyntaxReader;
  /** Language servers as a second source, if the user configured any. */
  readonly servers?: LanguageServers | undefined;
  /** Maximum milliseconds of one listing (`Deadline`); after that, what was found is returned as `partial`. Default 2 s. */
  readonly limitMs?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Files that earlier questions read and that have not changed since. */
  readonly fileCache?: FileCache;
}

/** Keywords that precede the name in a definition. */
const definingKeywords =
  'function|class|def|fn|func|fun|interface|struct|enum|trait|type|const|let|var|val|define|namespace|module|object|record|union';

type Trouble = 'failed' | 'over_limit' | 'unread' | 'other';

const defaultLimitMs = 2_000;
/** Maximum rounds in which facts lead to further files. */
const maxRounds = 24;
const maxFiles = 3_000;
/** The minimum time for the first file, since the parsing thread must start first. */
const minFirstFileMs = 3_000;
/** Maximum files that one question reads although its deadline is over. */
const maxFilesAfterDeadline = 3;
/** If at most this many files contain a word, the order in which they are read does not matter. */
const maxUnorderedFiles = 4;

/** Prose mentions names, but contains no code. */
const prosePaths =
  /\.(?:mdx?|markdown|rst|txt|adoc|csv|tsv|log|lock|svg|css|scss|less|po|pot|map|ipynb_checkpoints)$|(?:^|\/)(?:LICENSE|README|AUTHORS|COPYING|CHANGES|CHANGELOG|NEWS|CONTRIBUTORS|NOTICE|TODO)[\w.-]*$|(?:^|\/)\.git\w+$/i;

/** Images, sounds and other media. */
const mediaPaths =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|mp[34]|wav|ogg|webm|woff2?|ttf|otf|eot|zip|gz|xz|bz2)$/i;

export const hasNoCode = (path: string): boolean => prosePaths.test(path) || mediaPaths.test(path);

export class Survey {
  readonly #sources: CodeSources;
  readonly #signal: AbortSignal | undefined;
  readonly #facts = new Map<string, FileFacts | null>();
  readonly #texts = new Map<string, readonly string[]>();
  readonly #troubles = new Map<string, Trouble>();
  readonly #candidates = new Set<string>();
  /** Stamps of files when they were read; absent if a stamp could not be taken. */
  readonly #stamps = new Map<string, string>();
  readonly #fileSearches = new Map<string, ReturnType<WordFinder['filesContaining']>>();
  readonly #deadline: Deadline;
  readonly #now: () => number;
  #map: ModuleMap = createModuleMap(new Set(), new Map());
  #wasCut = false;
  #changedCount = 0;

  constructor(sources: CodeSources, signal?: AbortSignal, limitMs = sources.limitMs ?? defaultLimitMs) {
    this.#sources = sources;
    this.#signal = signal;
    this.#now = sources.now ?? (() => performance.now());
    this.#deadline = new Deadline(limitMs, sources.now);
    sources.words.recheck?.();
  }

  /** Lists the files, and reads those that configure modules. */
  async start(): Promise<void> {
    const { words, reader, fileCache } = this.#sources;
    const listing = await words.listFiles(this.#signal);
    if (listing.cut) this.#wasCut = true;
    const stampOf = (path: string) => words.stampOf?.(path) ?? null;
    const cachedMap = fileCache?.getMap(listing, stampOf) ?? null;
    if (cachedMap !== null) {
      this.#map = cachedMap;
      return;
    }
    const texts = new Map<string, string>();
    const stamps = new Map<string, string | null>();
    for (const path of listMapFiles(listing.paths)) {
      stamps.set(path, stampOf(path));
      const file = await reader.readText(path);
      if (file.kind === 'text') texts.set(path, file.lines.join('\n'));
    }
    this.#map = createModuleMap(new Set(listing.paths), texts);
    fileCache?.setMap(listing, stamps, this.#map);
  }

  /** Starts the search for a word that will be needed soon. */
  prefetch(word: string): void {
    if (word !== '') void this.#searchFiles([word]).catch(() => {});
  }

  #searchFiles(words: readonly string[]): ReturnType<WordFinder['filesContaining']> {
    const key = words.join('\0');
    const found = this.#fileSearches.get(key) ?? this.#sources.words.filesContaining(words, this.#signal);
    this.#fileSearches.set(key, found);
    return found;
  }

  get servers(): LanguageServers | undefined {
    return this.#sources.servers;
  }

  /** The files that contain a searched word and were read. */
  get candidates(): readonly string[] {
    return [...this.#candidates].filter((path) => this.#texts.has(path));
  }

  /** Whether a search would read this file. */
  isListed(path: string): boolean {
    return this.#map.paths.has(path);
  }

  /** The text of any file of the tree; null if there is none. */
  async readText(path: string): Promise<string | null> {
    if (!this.#map.paths.has(path)) return null;
    const file = await this.#sources.reader.readText(path);
    return file.kind === 'text' ? file.lines.join('\n') : null;
  }

  /** Applies `make` to the text of a file, and caches the result until the file changes. A missing file counts as empty. */
  async derive<Made extends object>(path: string, name: string, make: (text: string) => Made): Promise<Made> {
    const { words, fileCache } = this.#sources;
    const stamp = words.stampOf?.(path) ?? null;
    const cachedValue = fileCache?.getDerived(path, stamp, name) as Made | undefined;
    if (cachedValue !== undefined) return cachedValue;
    const text = (await this.readText(path)) ?? '';
    const value = make(text);
    // The file changed while it was read, so its state is unknown.
    if (stamp === words.stampOf?.(path)) fileCache?.setDerived(path, stamp, name, value, text.length + 100);
    return value;
  }

  /** Lists files that contain all words of one of these names, without reading them. */
  async listContaining(names: readonly string[]): Promise<readonly string[]> {
    const { paths, cut } = await this.#searchFiles(names);
    if (cut) this.#wasCut = true;
    return paths;
  }

  /** Waits for work that has its own time limit. */
  async waitOutsideLimit<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const startedAt = this.#now();
    const answer = await work();
    this.#deadline.extend(this.#now() - startedAt);
    return answer;
  }

  get moduleMap(): ModuleMap {
    return this.#map;
  }

  /**
   * Returns a function that tells the milliseconds until the deadline, and at least what is left of `minMs`. Undefined if
   * a test replaces the clock.
   */
  #timeLeft(minMs: number): (() => number) | undefined {
    if (this.#sources.now !== undefined) return undefined;
    const startedAt = this.#now();
    return () => Math.max(this.#deadline.left, minMs - (this.#now() - startedAt));
  }

  get isOver(): boolean {
    return this.#deadline.isOver;
  }

  /** Whether files were left out of the listing or not read. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Lists and reads the files that contain one of the words. */
  async readContaining(words: readonly string[]): Promise<readonly string[]> {
    const { paths, cut } = await this.#searchFiles(words);
    if (cut) this.#wasCut = true;
    for (const path of paths) this.#candidates.add(path);
    // Source folders first, since definitions are more often there than in tests or examples, and time may run out.
    await this.read(paths.toSorted((a, b) => Number(isTestOrVendored(a)) - Number(isTestOrVendored(b))));
    return paths;
  }

  async read(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      if (this.#facts.has(path)) continue;
      this.#signal?.throwIfAborted();
      if (syntaxLanguage(path) === null) {
        this.#facts.set(path, null);
        if (!prosePaths.test(path)) this.#troubles.set(path, 'other');
        continue;
      }
      // A file outside of the tree is never read.
      if (this.#map.paths.size > 0 && !this.#map.paths.has(path)) {
        this.#facts.set(path, null);
        continue;
      }
      if (this.isOver || this.#facts.size > maxFiles) {
        this.#wasCut = true;
        this.#facts.set(path, null);
        this.#troubles.set(path, 'unread');
        continue;
      }
      this.#storeFile(path, await this.#fileAt(path));
    }
  }

  /** Reads a file even after the deadline, since without it there is no answer. */
  async readFirst(path: string): Promise<void> {
    const wasSkipped = this.#troubles.get(path) === 'unread';
    if ((this.#facts.has(path) && !wasSkipped) || syntaxLanguage(path) === null || !this.#map.paths.has(path))
      return;
    this.#troubles.delete(path);
    this.#storeFile(path, await this.#fileAt(path, minFirstFileMs));
  }

  /**
   * Reads files with lines that look like a definition of a name before other files that contain it: if time runs out,
   * these decide whether there is an answer.
   */
  async readDefining(name: string): Promise<void> {
    const { paths } = await this.#searchFiles([name]);
    if (paths.length <= maxUnorderedFiles || !/^[\w$]+$/.test(name)) return;
    const namePattern = `${name.replaceAll('$', '\\$')}`;
    const definitionPattern = `\\b(?:${definingKeywords})\\b[^={]{0,120}?[^\\w$]${namePattern}(?:[^\\w$]|$)`;
    const lines = await this.linesMatching(
      `${definitionPattern}|^(?:[A-Za-z_][\\w \\t*]*[ \\t*])?${namePattern}[ \\t]*\\([^;]*$`,
      syntaxExtensions,
      [name],
    );
    // In C, a call may look like a definition; but not after one of these keywords.
    const definitionForm = new RegExp(definitionPattern);
    const rank = ({ path, text }: (typeof lines)[number]): number =>
      Number(isTestOrVendored(path)) + (definitionForm.test(text) ? 0 : 2);
    const ranked = [...new Set(lines.toSorted((a, b) => rank(a) - rank(b)).map(({ path }) => path))];
    for (const path of ranked.slice(0, maxFilesAfterDeadline)) await this.readFirst(path);
  }

  async #fileAt(path: string, minMs = 0): Promise<CachedFile> {
    const { words, reader, syntax, fileCache } = this.#sources;
    const stamp = words.stampOf?.(path) ?? null;
    if (stamp !== null) this.#stamps.set(path, stamp);
    const cachedFile = fileCache?.get(path, stamp);
    if (cachedFile !== undefined) return cachedFile;
    const file = await reader.readText(path);
    if (file.kind !== 'text') return { kind: 'unreadable', isTooLarge: file.reason === 'too_large' };
    const read = await syntax.read(path, file.lines.join('\n'), this.#signal, this.#timeLeft(minMs));
    const newFile: CachedFile = { kind: 'read', lines: file.lines, read };
    // The file changed while it was read, so its state is unknown.
    if (stamp !== null && words.stampOf?.(path) !== stamp) this.#stamps.delete(path);
    else if (read.kind === 'facts') fileCache?.set(path, stamp, newFile);
    return newFile;
  }

  #storeFile(path: string, file: CachedFile): void {
    if (file.kind === 'unreadable') {
      this.#facts.set(path, null);
      this.#troubles.set(path, file.isTooLarge ? 'over_limit' : 'failed');
      return;
    }
    const { lines, read } = file;
    this.#facts.set(path, read.kind === 'facts' ? read.facts : null);
    this.#texts.set(path, lines);
    if (read.kind === 'none') {
      this.#troubles.set(path, read.why);
      if (read.why === 'unread') this.#wasCut = true;
    } else if (read.facts.errors.length > 0) this.#troubles.set(path, 'failed');
  }

  /** Asks the question, reads the files that the answer needed but had not, and asks again, until no file is missing. */
  async askUntilSettled<Answer>(question: (resolver: NameResolver) => Answer): Promise<Answer> {
    for (let round = 0; ; round += 1) {
      const resolver = new NameResolver(this.#facts, this.#map);
      const answer = question(resolver);
      if (resolver.missingFiles.size === 0) return answer;
      if (round >= maxRounds) this.#wasCut = true;
      if (round >= maxRounds || this.isOver) {
        this.#wasCut = true;
        return answer;
      }
      await this.read(resolver.missingFiles);
    }
  }

  /**
   * Like `askUntilSettled`, for a question without which there is no answer: a few files are read even after the
   * deadline.
   */
  async askDespiteDeadline<Answer>(question: (resolver: NameResolver) => Answer): Promise<Answer> {
    for (let round = 0; ; round += 1) {
      const resolver = new NameResolver(this.#facts, this.#map);
      const answer = question(resolver);
      const filesToRead = [...resolver.missingFiles].slice(0, maxFilesAfterDeadline);
      if (filesToRead.length === 0 || round >= maxRounds) return answer;
      for (const path of filesToRead) {
        await this.readFirst(path);
        if (!this.#facts.has(path)) this.#facts.set(path, null);
      }
    }
  }

  facts(path: string): FileFacts | null {
    return this.#facts.get(path) ?? null;
  }

  lines(path: string): readonly string[] {
    return this.#texts.get(path) ?? [];
  }

  listTroubled(why: Trouble): readonly string[] {
    return [...this.#candidates].filter((path) => this.#troubles.get(path) === why);
  }

  /** Which of these files have changed since they were read. */
  async listChanged(paths: Iterable<string>): Promise<ReadonlySet<string>> {
    const changedPaths = new Set<string>();
    for (const path of paths) {
      const linesBefore = this.#texts.get(path);
      if (linesBefore === undefined) continue;
      const stamp = this.#stamps.get(path);
      if (stamp !== undefined && this.#sources.words.stampOf?.(path) === stamp) continue;
      const file = await this.#sources.reader.readText(path);
      if (
        file.kind !== 'text' ||
        file.lines.length !== linesBefore.length ||
        file.lines.some((line, at) => line !== linesBefore[at])
      )
        changedPaths.add(path);
    }
    this.#changedCount += changedPaths.size;
    return changedPaths;
  }

  /** Lists lines that match. Each match must contain one of the words. */
  linesMatching(pattern: string, extensions: readonly string[], words?: readonly string[]) {
    return this.#sources.words.linesMatching(pattern, extensions, this.#signal, words);
  }

  get counts(): WordCounts {
    const count = (...troubles: readonly Trouble[]) =>
      troubles.reduce((sum, why) => sum + this.listTroubled(why).length, 0);
    const failed = count('failed', 'unread');
    const overLimit = count('over_limit');
    const candidates = [...this.#candidates].filter((path) => syntaxLanguage(path) !== null);
    return {
      with_word: this.#candidates.size,
      parsed: candidates.length - failed - overLimit,
      failed,
      over_limit: overLimit,
      stale: this.#changedCount,
    };
  }
}
