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
  /** What earlier questions read, as long as it is unchanged. */
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
const minFirstMs = 3_000;
/** Maximum files that are read after the deadline because a line looks like a definition. */
const maxDefining = 3;
/** If no more files contain a word, their order does not matter. */
const fewFiles = 4;

/** Prose mentions names, but contains no code. */
const prose =
  /\.(?:mdx?|markdown|rst|txt|adoc|csv|tsv|log|lock|svg|css|scss|less|po|pot|map|ipynb_checkpoints)$|(?:^|\/)(?:LICENSE|README|AUTHORS|COPYING|CHANGES|CHANGELOG|NEWS|CONTRIBUTORS|NOTICE|TODO)[\w.-]*$|(?:^|\/)\.git\w+$/i;

/** Images, sounds and other media. */
const media =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|pdf|mp[34]|wav|ogg|webm|woff2?|ttf|otf|eot|zip|gz|xz|bz2)$/i;

export const hasNoCode = (path: string): boolean => prose.test(path) || media.test(path);

export class Survey {
  readonly #sources: CodeSources;
  readonly #signal: AbortSignal | undefined;
  readonly #facts = new Map<string, FileFacts | null>();
  readonly #texts = new Map<string, readonly string[]>();
  readonly #trouble = new Map<string, Trouble>();
  readonly #candidates = new Set<string>();
  /** Stamps of files when they were read; absent if a stamp could not be taken. */
  readonly #stamps = new Map<string, string>();
  readonly #looks = new Map<string, ReturnType<WordFinder['filesContaining']>>();
  readonly #deadline: Deadline;
  readonly #now: () => number;
  #map: ModuleMap = createModuleMap(new Set(), new Map());
  #cut = false;
  #stale = 0;

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
    if (listing.cut) this.#cut = true;
    const stampOf = (path: string) => words.stampOf?.(path) ?? null;
    const known = fileCache?.getMap(listing, stampOf) ?? null;
    if (known !== null) {
      this.#map = known;
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
    if (word !== '') void this.#look([word]).catch(() => {});
  }

  #look(words: readonly string[]): ReturnType<WordFinder['filesContaining']> {
    const key = words.join('\0');
    const found = this.#looks.get(key) ?? this.#sources.words.filesContaining(words, this.#signal);
    this.#looks.set(key, found);
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

  /** Applies a function to a file's text, once as long as the file is unchanged. A missing file counts as empty. */
  async derive<Made extends object>(path: string, name: string, make: (text: string) => Made): Promise<Made> {
    const { words, fileCache } = this.#sources;
    const stamp = words.stampOf?.(path) ?? null;
    const known = fileCache?.getDerived(path, stamp, name) as Made | undefined;
    if (known !== undefined) return known;
    const text = (await this.readText(path)) ?? '';
    const made = make(text);
    // The file changed while it was read, so its state is unknown.
    if (stamp === words.stampOf?.(path)) fileCache?.setDerived(path, stamp, name, made, text.length + 100);
    return made;
  }

  /** Lists files that contain all words of one of these names, without reading them. */
  async listContaining(names: readonly string[]): Promise<readonly string[]> {
    const { paths, cut } = await this.#look(names);
    if (cut) this.#cut = true;
    return paths;
  }

  /** Waits for work that has its own time limit. */
  async waitOutsideLimit<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const from = this.#now();
    const answer = await work();
    this.#deadline.extend(this.#now() - from);
    return answer;
  }

  get moduleMap(): ModuleMap {
    return this.#map;
  }

  /** Tells the milliseconds until the deadline, which is at least `minMs` away; undefined if timers don't count. */
  #timeLeft(minMs: number): (() => number) | undefined {
    if (this.#sources.now !== undefined) return undefined;
    const from = this.#now();
    return () => Math.max(this.#deadline.left, minMs - (this.#now() - from));
  }

  get isOver(): boolean {
    return this.#deadline.isOver;
  }

  /** Whether something was left out or not read. */
  get wasCut(): boolean {
    return this.#cut;
  }

  /** The files that contain one of the words; each is read. */
  async readContaining(words: readonly string[]): Promise<readonly string[]> {
    const { paths, cut } = await this.#look(words);
    if (cut) this.#cut = true;
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
        if (!prose.test(path)) this.#trouble.set(path, 'other');
        continue;
      }
      // A file outside of the tree is never read.
      if (this.#map.paths.size > 0 && !this.#map.paths.has(path)) {
        this.#facts.set(path, null);
        continue;
      }
      if (this.isOver || this.#facts.size > maxFiles) {
        this.#cut = true;
        this.#facts.set(path, null);
        this.#trouble.set(path, 'unread');
        continue;
      }
      this.#take(path, await this.#fileAt(path));
    }
  }

  /** Read even after the deadline: without it there is no answer. */
  async readFirst(path: string): Promise<void> {
    const isLeft = this.#trouble.get(path) === 'unread';
    if ((this.#facts.has(path) && !isLeft) || syntaxLanguage(path) === null || !this.#map.paths.has(path))
      return;
    this.#trouble.delete(path);
    this.#take(path, await this.#fileAt(path, minFirstMs));
  }

  /**
   * Reads files with lines that look like a definition of a name before other files that contain it: if time runs out,
   * these decide whether there is an answer.
   */
  async readDefining(name: string): Promise<void> {
    const { paths } = await this.#look([name]);
    if (paths.length <= fewFiles || !/^[\w$]+$/.test(name)) return;
    const word = `${name.replaceAll('$', '\\$')}`;
    const introduced = `\\b(?:${definingKeywords})\\b[^={]{0,120}?[^\\w$]${word}(?:[^\\w$]|$)`;
    const lines = await this.linesMatching(
      `${introduced}|^(?:[A-Za-z_][\\w \\t*]*[ \\t*])?${word}[ \\t]*\\([^;]*$`,
      syntaxExtensions,
      [name],
    );
    // In C, a call may look like a definition; but not after one of these keywords.
    const isIntroduced = new RegExp(introduced);
    const rank = ({ path, text }: (typeof lines)[number]): number =>
      Number(isTestOrVendored(path)) + (isIntroduced.test(text) ? 0 : 2);
    const ranked = [...new Set(lines.toSorted((a, b) => rank(a) - rank(b)).map(({ path }) => path))];
    for (const path of ranked.slice(0, maxDefining)) await this.readFirst(path);
  }

  async #fileAt(path: string, minMs = 0): Promise<CachedFile> {
    const { words, reader, syntax, fileCache } = this.#sources;
    const stamp = words.stampOf?.(path) ?? null;
    if (stamp !== null) this.#stamps.set(path, stamp);
    const heldFile = fileCache?.get(path, stamp);
    if (heldFile !== undefined) return heldFile;
    const file = await reader.readText(path);
    if (file.kind !== 'text') return { kind: 'unreadable', isTooLarge: file.reason === 'too_large' };
    const read = await syntax.read(path, file.lines.join('\n'), this.#signal, this.#timeLeft(minMs));
    const found: CachedFile = { kind: 'read', lines: file.lines, read };
    // The file changed while it was read, so its state is unknown.
    if (stamp !== null && words.stampOf?.(path) !== stamp) this.#stamps.delete(path);
    else if (read.kind === 'facts') fileCache?.set(path, stamp, found);
    return found;
  }

  #take(path: string, file: CachedFile): void {
    if (file.kind === 'unreadable') {
      this.#facts.set(path, null);
      this.#trouble.set(path, file.isTooLarge ? 'over_limit' : 'failed');
      return;
    }
    const { lines, read } = file;
    this.#facts.set(path, read.kind === 'facts' ? read.facts : null);
    this.#texts.set(path, lines);
    if (read.kind === 'none') {
      this.#trouble.set(path, read.why);
      if (read.why === 'unread') this.#cut = true;
    } else if (read.facts.errors.length > 0) this.#trouble.set(path, 'failed');
  }

  /** Repeats the question until the answer needs no further file. */
  async askUntilSettled<Answer>(ask: (names: NameResolver) => Answer): Promise<Answer> {
    for (let round = 0; ; round += 1) {
      const names = new NameResolver(this.#facts, this.#map);
      const answer = ask(names);
      if (names.missingFiles.size === 0) return answer;
      if (round >= maxRounds) this.#cut = true;
      if (round >= maxRounds || this.isOver) {
        this.#cut = true;
        return answer;
      }
      await this.read(names.missingFiles);
    }
  }

  /**
   * Like `askUntilSettled`, for a question without which there is no answer: a few files are read even after the
   * deadline.
   */
  async askDespiteDeadline<Answer>(ask: (names: NameResolver) => Answer): Promise<Answer> {
    for (let round = 0; ; round += 1) {
      const names = new NameResolver(this.#facts, this.#map);
      const answer = ask(names);
      const wanted = [...names.missingFiles].slice(0, maxDefining);
      if (wanted.length === 0 || round >= maxRounds) return answer;
      for (const path of wanted) {
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
    return [...this.#candidates].filter((path) => this.#trouble.get(path) === why);
  }

  /** Which of these files have changed since they were read. */
  async listChanged(paths: Iterable<string>): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const path of paths) {
      const before = this.#texts.get(path);
      if (before === undefined) continue;
      const stamp = this.#stamps.get(path);
      if (stamp !== undefined && this.#sources.words.stampOf?.(path) === stamp) continue;
      const file = await this.#sources.reader.readText(path);
      if (
        file.kind !== 'text' ||
        file.lines.length !== before.length ||
        file.lines.some((line, at) => line !== before[at])
      )
        found.add(path);
    }
    this.#stale += found.size;
    return found;
  }

  /** Lists lines that match. Each match must contain one of the words. */
  linesMatching(pattern: string, extensions: readonly string[], words?: readonly string[]) {
    return this.#sources.words.linesMatching(pattern, extensions, this.#signal, words);
  }

  get counts(): WordCounts {
    const count = (...whys: readonly Trouble[]) =>
      whys.reduce((sum, why) => sum + this.listTroubled(why).length, 0);
    const failed = count('failed', 'unread');
    const over = count('over_limit');
    const candidates = [...this.#candidates].filter((path) => syntaxLanguage(path) !== null);
    return {
      with_word: this.#candidates.size,
      parsed: candidates.length - failed - over,
      failed,
      over_limit: over,
      stale: this.#stale,
    };
  }
}
