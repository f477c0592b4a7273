import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { SondeError, scopeMatcher } from '../core/index.ts';
import type { Corpus, Ranked } from './lexical/index.ts';
import { defaultSettings, type IndexSettings, rankFiles, topChunks, topFiles } from './lexical/index.ts';
import { throwIfCancelled } from './lexical/parallel.ts';
import { IndexReader, type Snapshot } from './lexical/reader.ts';
import { type RefreshOutcome, refreshIndex } from './lexical/refresh.ts';
import type {
  IndexReport,
  RefreshOptions,
  SearchHit,
  SearchIndex,
  SearchReply,
  SearchRequest,
  Skipped,
} from './search.ts';
import { defaultLimits, type WalkLimits } from './walk-limits.ts';

export interface TreeIndexOptions {
  /** The tree. */
  readonly root: string;
  /** Where the index is kept; made where it is missing. Belongs to this index alone. */
  readonly directory: string;
  readonly settings?: IndexSettings;
  readonly limits?: Partial<WalkLimits>;
}

/** Opens the index of a tree. Nothing is read or built before `refresh` or `search` asks. */
export function openTreeIndex(options: TreeIndexOptions): SearchIndex {
  return new TreeIndex(options);
}

class TreeIndex implements SearchIndex {
  readonly root: string;
  readonly #directory: string;
  readonly #settings: IndexSettings;
  readonly #limits: WalkLimits;
  readonly #reader: IndexReader;
  readonly #verified = new Set<string>();
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(options: TreeIndexOptions) {
    this.root = folder(options.root);
    this.#directory = options.directory;
    this.#settings = options.settings ?? defaultSettings;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#reader = new IndexReader(options.directory);
  }

  refresh(options: RefreshOptions = {}): Promise<IndexReport> {
    const next = this.#refreshing.then(() => this.#refresh(options));
    this.#refreshing = next.catch(() => {});
    return next;
  }

  async #refresh(options: RefreshOptions): Promise<IndexReport> {
    const started = performance.now();
    folder(this.root);
    const outcome = await refreshIndex(
      { root: this.root, directory: this.#directory, settings: this.#settings, limits: this.#limits },
      {
        paths: options.paths?.map((path) => withinRoot(this.root, path)),
        signal: options.signal,
        onProgress: options.onProgress ?? (() => {}),
        verified: this.#verified,
      },
    );
    return this.#reader.use((snapshot) => report(this.root, outcome, snapshot, performance.now() - started));
  }

  search(request: SearchRequest): Promise<SearchReply> {
    return this.#reader.use((snapshot) => {
      throwIfCancelled(request.signal);
      if (snapshot === null) return notIndexed;
      return searchCorpus(snapshot, request);
    });
  }

  close(): void {
    this.#reader.close();
  }
}

const notIndexed: SearchReply = Object.freeze({
  hits: [],
  completeness: 'partial',
  notes: ['The tree has not been indexed yet.'],
});

function searchCorpus({ corpus, notes }: Snapshot, request: SearchRequest): SearchReply {
  const k = request.k ?? (request.wide === true ? 1_000 : 10);
  const terms = [...new Set(corpus.terms(request.query))].map((term) => ({ term, weight: 1 }));
  const scores = corpus.scoreChunks(terms);
  const matches = scopeMatcher(request.scope);
  const allowed = Uint8Array.from({ length: corpus.fileCount }, (_, file) =>
    matches(corpus.path(file)) ? 1 : 0,
  );
  const ranking = rankFiles(corpus, scores, request.scope === undefined ? {} : { allowed });
  const ranked =
    request.wide === true
      ? topChunks(corpus, scores, ranking, k)
      : filledUp(topFiles(corpus, ranking, k), () => topChunks(corpus, scores, ranking, 2 * k), k);
  return {
    hits: ranked.map((one) => hit(corpus, one)),
    completeness: notes.length === 0 ? 'complete' : 'partial',
    notes,
  };
}

/** The best span of each file, and where these are fewer than `k`, further spans after them. */
function filledUp(best: readonly Ranked[], chunks: () => readonly Ranked[], k: number): readonly Ranked[] {
  if (best.length >= k) return best;
  const taken = new Set(best.map(({ chunk }) => chunk));
  return [...best, ...chunks().filter(({ chunk }) => !taken.has(chunk))].slice(0, k);
}

function hit(corpus: Corpus, { file, chunk, score }: Ranked): SearchHit {
  return {
    path: corpus.path(file),
    start: corpus.firstLines[chunk]!,
    end: corpus.lastLines[chunk]!,
    score,
    provenance: 'bm25',
  };
}

function report(root: string, outcome: RefreshOutcome, snapshot: Snapshot | null, wall: number): IndexReport {
  const { manifest } = outcome;
  return Object.freeze({
    root,
    files: snapshot?.corpus.liveFiles ?? 0,
    chunks: snapshot?.corpus.liveChunks ?? 0,
    bytes: manifest.bytes,
    skipped: manifest.skipped,
    added: outcome.added,
    changed: outcome.changed,
    removed: outcome.removed,
    wall_ms: wall,
    notes: [...outcome.notes, ...skippedNotes(manifest.skipped)],
  });
}

function skippedNotes(skipped: Skipped): string[] {
  const notes: string[] = [];
  if (skipped.huge > 0) notes.push(`${skipped.huge} files are too large to be indexed.`);
  if (skipped.unreadable > 0) notes.push(`${skipped.unreadable} files or folders could not be read.`);
  return notes;
}

/** The real path of a folder. Throws `not_found` where it is none. */
function folder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SondeError('not_found', {
      message: `There is no folder ${path}.`,
      remedy: 'Give the path of the tree to search.',
    });
  }
  return realpathSync(path);
}

/** A path given by the caller, relative to the root and with `/`; empty for the root. */
function withinRoot(root: string, path: string): string {
  const inside = isAbsolute(path) ? relative(root, path) : relative(root, `${root}${sep}${path}`);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new SondeError('outside_root', {
      message: `${path} lies outside ${root}.`,
      remedy: 'Give paths relative to the root of the tree.',
    });
  }
  return inside.split(sep).join('/');
}
