import type { LineSpan } from '../core/index.ts';
/**
 * The contract of a search over one tree of code, Markdown or text.
 *
 * An implementer must not: cite lines that are not the file's own, return anything outside `scope`, drop a
 * failure silently (it goes into `notes`), or mix vectors of two models.
 */

export interface SearchRequest {
  readonly query: string;
  /** Most hits to return. Default 10, or 1,000 where `wide`. */
  readonly k?: number;
  /**
   * Wide seed: hundreds to thousands of hits, ranked, several spans of a file among them. Otherwise the best
   * span of each file, filled up with further spans only where fewer than `k` files match.
   */
  readonly wide?: boolean;
  /**
   * Comma-separated path globs relative to the root; a hit must match one and no negated one.
   * `src/**`, `lib,!lib/vendor`. A bare folder or file means itself and all below it.
   */
  readonly scope?: string;
  /**
   * Adds `spans` to hits: passages of at most this many lines of a file together. Reading the best files takes time.
   */
  readonly lines?: number;
  readonly signal?: AbortSignal;
}

/** A span of a file. Lines are 1-based and inclusive, as in the file on disk when it was indexed. */
export interface SearchHit {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Comparable within one reply only. */
  readonly score: number;
  readonly provenance: 'bm25' | 'vector' | 'hybrid';
  /**
   * The passages of the file that fit the query best, best first; they may lie far apart and outside of the hit. Given
   * on the first hit of each of the best files if several words were searched in a repository.
   */
  readonly spans?: readonly LineSpan[];
}

export interface SearchReply {
  readonly hits: readonly SearchHit[];
  /** `partial` where something was skipped or failed, told in `notes`. */
  readonly completeness: 'complete' | 'partial';
  /** For people: a fallback that was taken, a file that could not be read. */
  readonly notes: readonly string[];
  /** Words of the query that occur nowhere, and what was searched for instead. Absent if there are none. */
  readonly respelled?: readonly Respelling[];
}

/**
 * A word of a query, in lower case, and the word that was searched for instead, or several with spaces between them.
 */
export interface Respelling {
  readonly asked: string;
  readonly read: string;
  /** They are forms of the word, or the word without its typing error, or words that begin with it. */
  readonly by: 'form' | 'error' | 'beginning';
}

/** The number of files that were skipped, by reason. An ignored folder counts once, since it is not entered. */
export interface SkippedFiles {
  readonly ignored: number;
  readonly binary: number;
  /** Always 0: such files are cut and indexed. Kept for programs that read it. */
  readonly minified: number;
  readonly huge: number;
  readonly unreadable: number;
  /** Links that lead out of the tree. */
  readonly linked: number;
}

export interface IndexReport {
  readonly root: string;
  readonly files: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly skipped: SkippedFiles;
  /** The work of this refresh; all zero if nothing had changed. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly wall_ms: number;
  /** The part of that time spent waiting for another process. */
  readonly waited_ms: number;
  readonly notes: readonly string[];
  /** Whether the index is up to date; false: another process holds it. */
  readonly current: boolean;
  /** For people: what of the tree is not in the index, a line for each reason, with names. Empty if all is. */
  readonly left_out: readonly string[];
  /** The same without pictures, programs and what the project's rules ignore: there may be text in it. */
  readonly texts_left_out: readonly string[];
}

export interface IndexProgress {
  readonly phase: 'walk' | 'index' | 'history' | 'vectors' | 'write';
  readonly done: number;
  /** 0 if it is not known yet. */
  readonly total: number;
}

export interface RefreshOptions {
  /**
   * Only these files or folders, relative to the root, may have changed; the rest of the tree is not checked. For
   * callers that know what was written. Throws `outside_root` if one is outside.
   */
  readonly paths?: readonly string[];
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
  /**
   * Maximum time to wait for another process that refreshes the same index, in milliseconds; a stopped process is never
   * waited for beyond a few seconds. After that the index is used as it is, and the notes say so.
   */
  readonly wait?: number;
}

/**
 * Files that a tool would pass over, or misread, which goes by the rules of the folder and takes all text for UTF-8.
 */
export interface UnusualFiles {
  /** In since version control tracks them, though a rule leaves them out. */
  readonly tracked: readonly string[];
  /** Files with their encodings, by the names of the WHATWG standard; `utf-8` if they contain NUL bytes. */
  readonly encoded: readonly (readonly [path: string, encoding: string])[];
}

/** A lifetime: opened on one root, closed by its owner. Searching during a refresh sees the state before it. */
export interface SearchIndex {
  readonly root: string;
  /** Brings the index up to the state of the tree. Only what changed is read. */
  refresh(options?: RefreshOptions): Promise<IndexReport>;
  search(request: SearchRequest): Promise<SearchReply>;
  /** Which files need special treatment by whoever reads them. */
  unusual(): Promise<UnusualFiles>;
  /** The paths of all indexed files in the scope, in order; none before the first refresh. */
  paths(scope?: string): Promise<readonly string[]>;
  close(): void;
}

/** An embedding model, given from outside. Vectors are compared by cosine. */
export interface Embedder {
  /** Identifies the vector space: vectors of different ids are never compared. E.g. `openai:text-embedding-3-small`. */
  readonly id: string;
  readonly dimensions: number;
  /** One vector a text, in order. Throws when it fails; the search then falls back to lexical and says so. */
  embed(texts: readonly string[], kind: 'passage' | 'query', signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Git's past of a tree, given from outside (room `code`), as ranking evidence. */
export interface HistoryReader {
  /** A value that changes with the history, such as the commit id of HEAD. Null if there is no repository. */
  head(): Promise<string | null>;
  /** Newest first, merges left out, at most `limit`. Paths relative to the root of the search. */
  commits(limit: number, signal?: AbortSignal): Promise<readonly PastCommit[]>;
}

export interface PastCommit {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly time: number;
  readonly message: string;
  readonly paths: readonly string[];
}
