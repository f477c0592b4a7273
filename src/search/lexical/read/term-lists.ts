import { hashText } from '../build/byte-table.ts';
import { countLive } from './posting-list.ts';
import type { Segment, TermPostings } from './segment.ts';

/** A segment within a corpus. */
export interface CorpusSegment {
  readonly segment: Segment;
  /** The numbers of its first chunk and file in the corpus. */
  readonly firstChunk: number;
  readonly firstFile: number;
  /** For each chunk of the segment, 1 if its file is dead; null if none is. */
  readonly deadChunks: Uint8Array | null;
}

export interface FoundList {
  readonly part: CorpusSegment;
  readonly postings: TermPostings;
}

const noLists: readonly FoundList[] = [];

/** Maximum number of cached counts. */
const maxCounted = 10_000;

/** Finds terms in all segments of a corpus. */
export class TermLists {
  readonly #parts: readonly CorpusSegment[];
  /** Cached document frequencies of terms in segments with dead files, where postings must be counted. */
  readonly #counted = new Map<string, number>();

  constructor(parts: readonly CorpusSegment[]) {
    this.#parts = parts;
  }

  find(term: string): readonly FoundList[] {
    const hash = hashText(term);
    let lists: FoundList[] | undefined;
    for (const part of this.#parts) {
      if (!part.segment.mayHave(hash)) continue;
      const postings = part.segment.find(Buffer.from(term), hash);
      if (postings === null) continue;
      lists ??= [];
      lists.push({ part, postings });
    }
    return lists ?? noLists;
  }

  /** The number of live chunks in the term's lists. */
  frequency(term: string, lists: readonly FoundList[]): number {
    if (lists.every(({ part }) => part.deadChunks === null)) {
      return lists.reduce((sum, { postings }) => sum + postings.documentFrequency, 0);
    }
    let count = this.#counted.get(term);
    if (count === undefined) {
      count = lists.reduce((sum, { part, postings }) => sum + countLivePostings(part, postings), 0);
      if (this.#counted.size >= maxCounted) this.#counted.clear();
      this.#counted.set(term, count);
    }
    return count;
  }
}

function countLivePostings(
  { deadChunks }: CorpusSegment,
  { bytes, documentFrequency }: TermPostings,
): number {
  return deadChunks === null ? documentFrequency : countLive(bytes, deadChunks);
}
