import type { LineSpan } from '../core/index.ts';
/**
 * The contract of a search over one tree of code, Markdown or text.
 *
 * An implementer must not: return lines that are not in the file, return anything outside `scope`, drop a failure
 * silently (it goes into `notes`), or mix vectors of two models.
 */

export interface SearchRequest {
  readonly query: string;
  /** Maximum number of hits. Default 10, or 1,000 if `wide`. */
  readonly k?: number;
  /**
   * True: hundreds to thousands of ranked hits, several of them in one file. Otherwise the best span of each file, and
   * further spans only if fewer than `k` files match.
   */
  readonly wide?: boolean;
  /**
   * Comma-separated path globs relative to the root; a hit must match one and no negated one.
   * `src/**`, `lib,!lib/vendor`. A folder or file without a glob means itself and all below it.
   */
  readonly scope?: string;
  /**
   * Adds `spans` to hits: passages of a file with at most this many lines in total. Takes longer, since files are read.
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
   * The passages of the file that fit the query best, best first. They may lie outside of the hit. Only on the first hit
   * of each of the best files, and only if several words were searched in a repository.
   */
  readonly spans?: readonly LineSpan[];
}

export interface SearchReply {
  readonly hits: readonly SearchHit[];
  /** `partial` if something was skipped or failed; `notes` says what. */
  readonly completeness: 'complete' | 'partial';
  /** For people: for example a fallback, or a file that could not be read. */
  readonly notes: readonly string[];
  /** Words of the query that occur nowhere, and what was searched for instead. Absent if there are none. */
  readonly respelled?: readonly Respelling[];
}

/**
 * A word of a query, in lower case, and the word that was searched for instead, or several words separated by spaces.
 */
export interface Respelling {
  readonly asked: string;
  readonly read: string;
  /** How the word was replaced: by its forms, by a correction of a typing error, or by words that begin with it. */
  readonly by: 'form' | 'error' | 'beginning';
}

/** The number of files that were skipped, by reason. An ignored folder counts as one. */
export interface SkippedFiles {
  readonly ignored: number;
  readonly binary: number;
  /** Always 0, since such files are indexed. Kept for compatibility. */
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
  /** The part of `wall_ms` spent waiting for another process. */
  readonly waited_ms: number;
  readonly notes: readonly string[];
  /** Whether the index is up to date. False if another process holds its lock. */
  readonly current: boolean;
  /** For people: the files that are not in the index, one line per reason, with names. Empty if there are none. */
  readonly left_out: readonly string[];
  /** The lines of `left_out` about files that may contain text: without pictures, programs and ignored files. */
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
   * The files or folders, relative to the root, that may have changed; the rest of the tree is not checked. For callers
   * that know what was written. Throws `outside_root` if a path is outside the root.
   */
  readonly paths?: readonly string[];
  readonly onProgress?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
  /**
   * Maximum time to wait for another process that refreshes the same index, in milliseconds; a few seconds if that
   * process has stopped. After that the index is used as it is, and the notes say so.
   */
  readonly wait?: number;
}

/**
 * Files that another tool would skip or misread if it follows the ignore rules and takes all text for UTF-8.
 */
export interface UnusualFiles {
  /** Indexed because version control tracks them, though a rule ignores them. */
  readonly tracked: readonly string[];
  /** Files with their encodings, by the names of the WHATWG standard; `utf-8` if they contain NUL bytes. */
  readonly encoded: readonly (readonly [path: string, encoding: string])[];
}

/** A lifetime: opened on one root, closed by its owner. Searching during a refresh sees the state before it. */
export interface SearchIndex {
  readonly root: string;
  /** Updates the index to the state of the tree. Only changed files are read. */
  refresh(options?: RefreshOptions): Promise<IndexReport>;
  search(request: SearchRequest): Promise<SearchReply>;
  /** Files that other tools would skip or misread. */
  unusual(): Promise<UnusualFiles>;
  /** The paths of all indexed files in the scope, in order; none before the first refresh. */
  paths(scope?: string): Promise<readonly string[]>;
  close(): void;
}

/** An embedding model. Vectors are compared by cosine. */
export interface Embedder {
  /** Identifies the vector space: vectors of different ids are never compared. E.g. `openai:text-embedding-3-small`. */
  readonly id: string;
  readonly dimensions: number;
  /** One vector per text, in order. Throws on failure; the search then uses words only, and says so. */
  embed(texts: readonly string[], kind: 'passage' | 'query', signal?: AbortSignal): Promise<Float32Array[]>;
}

/** The git history of a tree, used for ranking. Implemented in the room `code`. */
export interface HistoryReader {
  /** A value that changes with the history, such as the commit id of HEAD. Null if there is no repository. */
  head(): Promise<string | null>;
  /** Newest first, without merges, at most `limit`. Paths are relative to the root of the search. */
  commits(limit: number, signal?: AbortSignal): Promise<readonly PastCommit[]>;
}

export interface PastCommit {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly time: number;
  readonly message: string;
  readonly paths: readonly string[];
}
