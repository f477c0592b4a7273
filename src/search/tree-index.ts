import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { type MaskRecipe, SondeError, scopeMatcher, type UnitFinder } from '../core/index.ts';
import { FileReader } from './lexical/build/file-reader.ts';
import { addMaskVersion, type Corpus, type IndexSettings } from './lexical/index.ts';
import { type LockResult, lockNote } from './lexical/lock.ts';
import { throwIfCancelled } from './lexical/pausing.ts';
import { IndexReader, type Snapshot } from './lexical/read/reader.ts';
import { parentFolder } from './lexical/refresh/changes.ts';
import { type RefreshOutcome, refreshIndex } from './lexical/refresh/refresh.ts';
import { readTreeState } from './lexical/refresh/tree-state.ts';
import { type Manifest, readManifest, readWriteTime } from './manifest.ts';
import { type RankingOptions, RankingState } from './ranking/ranking-state.ts';
import { readRepositoryStamp, writeRepositoryStamp } from './repository-stamp.ts';
import type {
  IndexReport,
  RefreshOptions,
  SearchIndex,
  SearchReply,
  SearchRequest,
  SkippedFiles,
  UnusualFiles,
} from './search.ts';
import { searchSnapshot } from './search-snapshot.ts';
import { type LeftOut, listLeftOut } from './walk/left-out.ts';
import type { TreeWatch } from './walk/tree-watch.ts';
import { sourceStamp } from './walk/walk-ignore.ts';
import { defaultLimits, type WalkLimits } from './walk/walk-limits.ts';

export interface TreeIndexOptions extends RankingOptions {
  /** The tree. */
  readonly root: string;
  /** The folder of the index, which is created if missing and holds nothing else. */
  readonly directory: string;
  readonly settings?: IndexSettings;
  readonly limits?: Partial<WalkLimits>;
  /** How secrets are hidden from the index. Absent: they are not hidden. */
  readonly mask?: MaskRecipe;
  /**
   * The paths below the root that version control tracks; they are indexed even if a rule ignores them. Null if they
   * can't be listed.
   */
  readonly tracked?: (signal?: AbortSignal) => Promise<readonly string[] | null>;
  /**
   * A value that changes whenever the tracked files or the history may have changed; cheap to read. While it is the same,
   * neither `tracked` nor `history` is called. Null if it is not known.
   */
  readonly repositoryStamp?: () => string | null;
  /**
   * Watches the tree, so that most refreshes check only the paths that the system reports as changed. For a process that
   * keeps running: watching begins with the second refresh.
   */
  readonly watch?: boolean;
  /** Finds the definitions of a file. If given, the best files are read, and hits have `spans`. */
  readonly units?: (() => Promise<UnitFinder>) | null;
}

/** Opens the index of a tree. Reads and builds nothing before `refresh` or `search`. */
export function openTreeIndex(options: TreeIndexOptions): SearchIndex {
  return new TreeIndex(options);
}

class TreeIndex implements SearchIndex {
  readonly root: string;
  readonly #directory: string;
  readonly #settings: IndexSettings;
  readonly #limits: WalkLimits;
  readonly #mask: MaskRecipe | undefined;
  readonly #reader: IndexReader;
  readonly #ranking: RankingState;
  readonly #tracked: TreeIndexOptions['tracked'];
  readonly #repositoryStamp: TreeIndexOptions['repositoryStamp'];
  readonly #units: TreeIndexOptions['units'];
  readonly #verified = new Set<string>();
  #refreshing: Promise<unknown> = Promise.resolve();
  readonly #isWatching: boolean;
  #watch: TreeWatch | undefined;
  /** The last refresh that checked the whole tree. */
  #pass: FullPass | undefined;

  constructor(options: TreeIndexOptions) {
    this.root = resolveFolder(options.root);
    this.#directory = options.directory;
    this.#mask = options.mask;
    this.#settings = addMaskVersion(options.settings, options.mask);
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#tracked = options.tracked;
    this.#repositoryStamp = options.repositoryStamp;
    this.#units = options.units;
    this.#isWatching = options.watch === true;
    this.#reader = new IndexReader(options.directory);
    this.#ranking = new RankingState(this.root, options.directory, options);
  }

  refresh(options: RefreshOptions = {}): Promise<IndexReport> {
    const next = this.#refreshing.then(() => this.#refresh(options));
    this.#refreshing = next.catch(() => {});
    return next;
  }

  async #refresh(options: RefreshOptions, pathsAreFiles = false): Promise<IndexReport> {
    const started = performance.now();
    resolveFolder(this.root);
    // Read first: the next refresh then finds changes that are made during this one.
    const stamp = options.paths === undefined ? (this.#repositoryStamp?.() ?? null) : null;
    const isUnchanged = stamp !== null && stamp === readRepositoryStamp(this.#directory);
    if (this.#isWatching && options.paths === undefined) {
      const changed = await this.#listChanges(stamp);
      if (changed !== null) return this.#refreshPaths(changed, options, started);
      this.#pass = undefined;
      this.#watch?.startPass();
    }
    let areListed = true;
    let hasTracked = false;
    const paths = async () => {
      if (this.#tracked === undefined) return [];
      const tracked = await this.#tracked(options.signal);
      areListed = tracked !== null;
      hasTracked = tracked !== null && tracked.length > 0;
      return tracked;
    };
    const locked = await refreshIndex(
      {
        root: this.root,
        directory: this.#directory,
        settings: this.#settings,
        limits: this.#limits,
        mask: this.#mask,
      },
      {
        paths: options.paths?.map((path) => toRelativePath(this.root, path)),
        pathsAreFiles,
        tracked: { isUnchanged, paths },
        signal: options.signal,
        wait: options.wait,
        onProgress: options.onProgress ?? (() => {}),
        verified: this.#verified,
      },
    );
    if (locked.kind === 'held') return this.#reportHeld(locked, started);
    const outcome = locked.value;
    if (this.#isWatching && options.paths === undefined) {
      await this.#watchFolders(outcome.manifest);
      this.#pass = { at: performance.now(), stamp, isRepository: stamp !== null || hasTracked };
    }
    return this.#reader.use(async (snapshot) => {
      const notes = snapshot === null ? [] : await this.#ranking.refresh(snapshot, options, isUnchanged);
      if (stamp !== null && !isUnchanged && areListed && notes.length === 0)
        writeRepositoryStamp(this.#directory, stamp);
      const leftOut = listLeftOut(
        readTreeState(this.#directory, outcome.manifest.tree),
        outcome.manifest.skipped,
      );
      return createReport({
        root: this.root,
        outcome,
        notes,
        snapshot,
        leftOut,
        started,
        waited: locked.waited,
        current: true,
      });
    });
  }

  /** Paths that have changed since the last refresh; null if the whole tree must be checked. */
  async #listChanges(stamp: string | null): Promise<readonly string[] | null> {
    const pass = this.#pass;
    if (pass === undefined || this.#watch === undefined) return null;
    const isOtherRepository = pass.isRepository && (stamp === null || stamp !== pass.stamp);
    if (isOtherRepository || performance.now() - pass.at > maxWatchMs) return null;
    const state = readTreeState(this.#directory, readManifest(this.#directory)?.tree ?? '');
    if (state?.sources.every((source) => sourceStamp(source.path) === source.stamp) !== true) return null;
    return this.#watch.takeChanges();
  }

  /** Updates the index at the paths that are known to have changed. */
  async #refreshPaths(
    paths: readonly string[],
    options: RefreshOptions,
    started: number,
  ): Promise<IndexReport> {
    try {
      throwIfCancelled(options.signal);
      if (paths.length > 0) {
        const report = await this.#refresh({ ...options, paths }, true);
        if (!report.current) this.#watch?.invalidate();
        return report;
      }
      return await this.#reader.use(async (snapshot) => {
        const manifest = snapshot?.manifest ?? null;
        const leftOut = listLeftOut(
          readTreeState(this.#directory, manifest?.tree ?? ''),
          manifest?.skipped ?? noneSkipped,
        );
        const outcome = { ...{ added: 0, changed: 0, removed: 0, notes: [] }, manifest };
        return createReport({
          root: this.root,
          outcome,
          notes: [],
          snapshot,
          leftOut,
          started,
          waited: 0,
          current: true,
        });
      });
    } catch (thrown) {
      this.#watch?.invalidate();
      throw thrown;
    }
  }

  /** Watches the folders of the tree, and the folders of files that are indexed only because they are tracked. */
  async #watchFolders({ tree }: Manifest): Promise<void> {
    const state = readTreeState(this.#directory, tree);
    if (state === null) return;
    if (this.#watch === undefined) {
      const { TreeWatch } = await import('./walk/tree-watch.ts');
      this.#watch = new TreeWatch(this.root);
    }
    this.#watch.watchFolders([...state.folders.map(({ path }) => path), ...state.tracked.map(parentFolder)]);
  }

  /** The report of a refresh that did not happen because another process holds the lock. */
  #reportHeld({ holder, waited }: HeldLock, started: number): Promise<IndexReport> {
    return this.#reader.use(async (snapshot) => {
      const manifest = readManifest(this.#directory);
      const notes = [lockNote(holder, manifest === null ? null : readWriteTime(this.#directory))];
      const leftOut =
        manifest === null ? [] : listLeftOut(readTreeState(this.#directory, manifest.tree), manifest.skipped);
      const outcome = { ...{ added: 0, changed: 0, removed: 0, notes: [] }, manifest };
      return createReport({
        root: this.root,
        outcome,
        notes,
        snapshot,
        leftOut,
        started,
        waited,
        current: false,
      });
    });
  }

  search(request: SearchRequest): Promise<SearchReply> {
    return this.#reader.use((snapshot) => {
      throwIfCancelled(request.signal);
      if (snapshot === null) return notIndexedReply;
      const { scope } = request;
      const allowed = scope === undefined ? null : filesInScope(snapshot.corpus, scope);
      const reading = this.#units == null ? null : { units: this.#units, linesOf: this.#createLineReader() };
      return searchSnapshot(snapshot, this.#ranking, request, { allowed, reading });
    });
  }

  /** Reads the lines of a file, with secrets: the caller uses them only to find line numbers. */
  #createLineReader(): (path: string) => readonly string[] | null {
    const reader = new FileReader(this.root, this.#limits);
    return (path) => {
      const read = reader.read(path);
      if (read.kind !== 'text') return null;
      return Buffer.from(read.bytes.subarray(0, read.length)).toString('utf8').replace(/\n$/, '').split('\n');
    };
  }

  paths(scope?: string): Promise<readonly string[]> {
    const matches = scopeMatcher(scope);
    return this.#reader.use(async (snapshot) =>
      snapshot === null ? [] : livePaths(snapshot.corpus, matches),
    );
  }

  async unusual(): Promise<UnusualFiles> {
    const state = readTreeState(this.#directory, readManifest(this.#directory)?.tree ?? '');
    return { tracked: state?.tracked ?? [], encoded: state?.encoded ?? [] };
  }

  close(): void {
    this.#watch?.close();
    this.#reader.close();
  }
}

/**
 * Milliseconds after which the whole tree is checked again: the system does not report a file that is written through
 * another hard link or through mapped memory.
 */
const maxWatchMs = 60_000;

interface FullPass {
  /** By the process's monotonic clock. */
  readonly at: number;
  readonly stamp: string | null;
  readonly isRepository: boolean;
}

const notIndexedReply: SearchReply = Object.freeze({
  hits: [],
  completeness: 'partial',
  notes: ['The tree has not been indexed yet.'],
});

function livePaths(corpus: Corpus, matches: (path: string) => boolean): readonly string[] {
  const paths: string[] = [];
  for (let file = 0; file < corpus.fileCount; file++)
    if (corpus.dead[file] === 0 && matches(corpus.path(file))) paths.push(corpus.path(file));
  return paths.sort();
}

function filesInScope(corpus: Corpus, scope: string): Uint8Array {
  const matches = scopeMatcher(scope);
  return Uint8Array.from({ length: corpus.fileCount }, (_, file) => (matches(corpus.path(file)) ? 1 : 0));
}

type HeldLock = Extract<LockResult<unknown>, { readonly kind: 'held' }>;

interface RefreshReport {
  readonly root: string;
  readonly outcome: Omit<RefreshOutcome, 'manifest'> & { readonly manifest: Manifest | null };
  readonly notes: readonly string[];
  readonly snapshot: Snapshot | null;
  readonly leftOut: readonly LeftOut[];
  /** By the process's monotonic clock. */
  readonly started: number;
  readonly waited: number;
  readonly current: boolean;
}

function createReport({
  root,
  outcome,
  notes,
  snapshot,
  leftOut,
  started,
  waited,
  current,
}: RefreshReport): IndexReport {
  const { manifest } = outcome;
  const skipped = manifest?.skipped ?? noneSkipped;
  return Object.freeze({
    root,
    files: snapshot?.corpus.liveFiles ?? 0,
    chunks: snapshot?.corpus.liveChunks ?? 0,
    bytes: manifest?.bytes ?? 0,
    skipped,
    added: outcome.added,
    changed: outcome.changed,
    removed: outcome.removed,
    wall_ms: performance.now() - started,
    waited_ms: waited,
    notes: [
      ...outcome.notes,
      ...notes,
      ...leftOut.filter(({ needsAttention }) => needsAttention).map(({ line }) => line),
    ],
    current,
    left_out: leftOut.map(({ line }) => line),
    texts_left_out: leftOut.filter(({ mayHoldText }) => mayHoldText).map(({ line }) => line),
  });
}

const noneSkipped: SkippedFiles = Object.freeze({
  ...{ ignored: 0, binary: 0, minified: 0, huge: 0, unreadable: 0, linked: 0 },
});

/** The real path of a folder. Throws `not_found` if there is no such folder. */
function resolveFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SondeError('not_found', {
      message: `There is no folder ${path}.`,
      remedy: 'Give the path of the tree to search.',
    });
  }
  return realpathSync(path);
}

/** Converts a caller's path to one relative to the root, with `/`; empty for the root. */
function toRelativePath(root: string, path: string): string {
  const inside = isAbsolute(path) ? relative(root, path) : relative(root, `${root}${sep}${path}`);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new SondeError('outside_root', {
      message: `${path} lies outside ${root}.`,
      remedy: 'Give paths relative to the root of the tree.',
    });
  }
  return inside.split(sep).join('/');
}
