/**
 * The contract of a search over documents that are not files: rows of a database, pages of a workspace. The
 * owner of the documents numbers its changes; the index remembers the last number that it has followed. An
 * implementer must not: acknowledge a number before its change can be found after a crash, or return a
 * document that was removed before that number.
 */
import type { SearchReply, SearchRequest } from './search.ts';

export interface IndexedDocument {
  /** Unique; its words count for the document, and its ending says how it is cut: `Projects/Plan.md`. */
  readonly path: string;
  readonly content: string;
}

/** `content` is null if the document is gone. */
export interface DocumentChange {
  readonly path: string;
  readonly content: string | null;
}

/** A collection of documents to index. */
export interface DocumentSource {
  /** Identifies the collection: an index of another one is built anew. */
  readonly id: string;
  /** The number of the last change; grows, and never goes back. */
  head(): number;
  /** Every document there is, at `head()` or later. */
  all(): Iterable<IndexedDocument>;
  /** Changes after a number. A document may occur several times; the last one counts. */
  changes(after: number): Iterable<DocumentChange>;
  /** The content of one, for an embedding model; null if it is gone. */
  read(path: string): string | null;
}

export interface DocumentRequest extends SearchRequest {
  /** Only documents for which `is` is true; beside `scope`. With the same `key` the answers are the same, too. */
  readonly filter?: { readonly key: string; readonly matches: (path: string) => boolean };
}

export interface FollowReport {
  /** The number that was followed to. */
  readonly cursor: number;
  readonly documents: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly notes: readonly string[];
}

/** A lifetime: opened on one directory, closed by its owner. */
export interface DocumentIndex {
  /** The last change that the index contains, or null if there is no index yet. Reads the newest state on disk. */
  cursor(): number | null;
  /** Updates the index to the newest change of its source; builds it if it is missing, damaged or of another source. */
  follow(signal?: AbortSignal): Promise<FollowReport>;
  search(request: DocumentRequest): Promise<SearchReply>;
  close(): void;
}
