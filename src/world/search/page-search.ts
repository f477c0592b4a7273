/**
 * The contract of a search over the pages of a world: the same router as for code, with the pages as documents.
 *
 * An implementer must not: return a page that is deleted or out of scope, show a candidate without saying that it
 * is one, or fail a write because the index is behind.
 */
import type { Completeness, Provenance as Finding } from '../../core/index.ts';
import type { ContentId, Lifecycle, View } from '../world.ts';

export interface PageQuery {
  readonly query: string;
  /** Maximum number of hits. Default 10, or 400 with `wide`. */
  readonly k?: number;
  /** Returns hundreds of hits, ranked, possibly several of one page. Otherwise only the best part of each page. */
  readonly wide?: boolean;
  /** A page path: only this page and the pages below it are searched. */
  readonly under?: string;
  readonly tag?: string;
  /** Default `all`: candidates are included, and marked by their lifecycle. */
  readonly view?: View;
  readonly signal?: AbortSignal;
}

export interface PageHit {
  readonly page: ContentId;
  readonly path: string;
  readonly title: string;
  /** The page's lifecycle; a hit in a candidate block counts as a candidate. */
  readonly lifecycle: Lifecycle;
  /**
   * The blocks that were found, in order. The first block of the page if only its title or links of others led to it.
   */
  readonly blocks: readonly ContentId[];
  /** title: its title, aliases, tags or properties. links: the best pages lead to it. */
  readonly found_in: 'text' | 'title' | 'links';
  /** The lines of the blocks that hold the most words of the query, at most 300 characters. */
  readonly snippet: string;
  /** The block in which the shown text begins. */
  readonly shown?: ContentId;
  /** Comparable within one reply only. */
  readonly score: number;
  readonly provenance: Finding;
}

export interface PageReply {
  readonly hits: readonly PageHit[];
  readonly completeness: Completeness;
  readonly notes: readonly string[];
}

/** A search with a lifetime: opened on a world, and closed by the opener. */
export interface PageSearch {
  search(query: PageQuery): Promise<PageReply>;
  /** Brings the index up to the last write. Returns the number of the event followed to. */
  follow(signal?: AbortSignal): Promise<number>;
  /**
   * Follows writes by itself from now on, in the background, with a delay of at most this many milliseconds
   * when idle.
   */
  watch(everyMs?: number): void;
  close(): Promise<void>;
}
