/**
 * The contract of a search over the pages of a world. It uses the index of code search, with pages as documents.
 *
 * An implementer must not: return a page that is deleted or out of scope, show a candidate without saying that it is
 * one, or fail a write because the index is behind.
 */
import type { Completeness, Provenance as Finding } from '../../core/index.ts';
import type { ContentId, Lifecycle, View } from '../world.ts';

export interface PageQuery {
  readonly query: string;
  /** Maximum number of hits. Default 10, or 400 with `wide`. */
  readonly k?: number;
  /** True: up to hundreds of hits, also several of one page. Otherwise the best part of each page. */
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
  /** The blocks of the hit, in order; the first block of the page if only its title or links to it matched. */
  readonly blocks: readonly ContentId[];
  /** What matched. title: title, aliases, tags or properties. links: the best pages link to it. */
  readonly found_in: 'text' | 'title' | 'links';
  /** The lines with the most words of the query, at most 300 characters. */
  readonly snippet: string;
  /** The block in which the snippet begins. */
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
  /** Updates the index to the last write. Returns the number of the last indexed event. */
  follow(signal?: AbortSignal): Promise<number>;
  /** Starts to update the index in the background. `everyMs`: milliseconds between checks for new writes. */
  watch(everyMs?: number): void;
  close(): Promise<void>;
}
