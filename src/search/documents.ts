/**
 * The contract of a search over documents that are not files: rows of a database, pages of a workspace. The
 * owner of the documents numbers its changes; the index stores the number of the last change that it contains. An
 * implementer must not: store a number before its change is durable, or return a document that was removed before
 * that number.
 */
import type { SearchReply, SearchRequest } from './search.ts';

export interface IndexedDocument {
  /** Unique. Its words are searched too, and its extension decides how it is cut into chunks: `Projects/Plan.md`. */
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
  /** Identifies the collection. An index of another id is rebuilt. */
  readonly id: string;
  /** The number of the last change. It only grows. */
  head(): number;
  /** All documents, as of `head()` or later. */
  all(): Iterable<IndexedDocument>;
  /** Changes after a number. A document may occur several times; the last one counts. */
  changes(after: number): Iterable<DocumentChange>;
  /** The content of a document, for an embedding model; null if the document is gone. */
  read(path: string): string | null;
}

export interface DocumentRequest extends SearchRequest {
  /** A document must match this and `scope`. Filters with the same `key` match the same documents. */
  readonly filter?: { readonly key: string; readonly matches: (path: string) => boolean };
}

export interface FollowReport {
  /** The number of the last change that the index contains. */
  readonly cursor: number;
  readonly documents: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly notes: readonly string[];
}

/** A lifetime: opened on one directory, closed by its owner. */
export interface DocumentIndex {
  /** The number of the last change in the index, read from disk; null if there is no index yet. */
  cursor(): number | null;
  /** Updates the index to the newest change of its source. Rebuilds it if it is missing, damaged or of another source. */
  follow(signal?: AbortSignal): Promise<FollowReport>;
  search(request: DocumentRequest): Promise<SearchReply>;
  close(): void;
}
