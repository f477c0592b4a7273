import { accumulate, gather } from './posting-list.ts';
import type { Bm25 } from './settings.ts';
import type { FoundList, TermLists } from './term-lists.ts';

/** A term of a query. A weight of 1 is an ordinary term. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/**
 * Terms that count as one, such as the forms of a word: their frequencies in a chunk, each times its weight,
 * are added before they saturate, and the group is as frequent as its terms together.
 */
export interface TermGroup {
  readonly weight: number;
  readonly terms: readonly WeightedTerm[];
}

/** What BM25 needs of a corpus. */
export interface ChunkLengths {
  readonly liveChunks: number;
  /** By chunk: terms counted. */
  readonly lengths: Uint16Array;
  readonly averageLength: number;
}

interface FoundTerm {
  readonly term: string;
  readonly lists: readonly FoundList[];
  /** Its weight within the group. */
  readonly share: number;
  /** In how many living chunks it is. */
  readonly frequency: number;
}

/** ln(1 + (N - df + 0.5) / (df + 0.5)): never negative. */
function inverseFrequency(chunks: number, documentFrequency: number): number {
  return Math.log(1 + (chunks - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** BM25 of groups of terms over all chunks of a corpus. */
export class GroupScorer {
  readonly #chunks: ChunkLengths;
  readonly #terms: TermLists;
  #norms: { of: Bm25; values: Float32Array } | undefined;
  /** By chunk, frequencies of a group's rarer terms: all zero between two groups. */
  #others: Float32Array | undefined;
  /** Chunks with such frequencies. */
  #touched: Int32Array | undefined;

  constructor(chunks: ChunkLengths, terms: TermLists) {
    this.#chunks = chunks;
    this.#terms = terms;
  }

  /** Adds to `scores`; chunks of dead files may get a score too. */
  score(groups: readonly TermGroup[], bm25: Bm25, scores: Float32Array): void {
    const norms = this.#normsFor(bm25);
    for (const group of groups) {
      const found: FoundTerm[] = [];
      for (const { term, weight: share } of group.terms) {
        const lists = this.#terms.find(term);
        if (lists.length === 0) continue;
        found.push({ term, lists, share, frequency: this.#terms.frequency(term, lists) });
      }
      if (found.length > 0) this.#scoreGroup(found, group.weight * (bm25.k1 + 1), norms, scores);
    }
  }

  /**
   * Gathers the rarer terms by chunk first and takes them in while it walks the most frequent one, which is
   * nearly all of the work. A chunk that has several of the terms is counted once for each in the group's
   * frequency, which changes its logarithm by little.
   */
  #scoreGroup(found: readonly FoundTerm[], weight: number, norms: Float32Array, scores: Float32Array): void {
    const main = found.reduce((most, term) => (term.frequency > most.frequency ? term : most));
    const { liveChunks, lengths } = this.#chunks;
    this.#others ??= new Float32Array(lengths.length);
    this.#touched ??= new Int32Array(lengths.length);
    const others = this.#others;
    let count = 0;
    for (const { term, lists, share } of found) {
      if (term === main.term) continue;
      for (const { part, postings } of lists) {
        count = gather(postings.bytes, part.firstChunk, part.deadChunks, share, others, this.#touched, count);
      }
    }
    const gain = weight * inverseFrequency(liveChunks, Math.min(liveChunks, main.frequency + count));
    for (const { part, postings } of main.lists) {
      const taken = count === 0 ? null : others;
      accumulate(postings.bytes, part.firstChunk, main.share, gain, norms, taken, scores);
    }
    for (let k = 0; k < count; k++) {
      const chunk = this.#touched[k]!;
      const rest = others[chunk]!;
      if (rest === 0) continue;
      others[chunk] = 0;
      scores[chunk] = scores[chunk]! + (gain * rest) / (rest + norms[chunk]!);
    }
  }

  #normsFor(bm25: Bm25): Float32Array {
    if (this.#norms?.of.k1 === bm25.k1 && this.#norms.of.b === bm25.b) return this.#norms.values;
    const { lengths, averageLength } = this.#chunks;
    const constant = bm25.k1 * (1 - bm25.b);
    const slope = (bm25.k1 * bm25.b) / averageLength;
    const values = new Float32Array(lengths.length);
    for (let c = 0; c < values.length; c++) values[c] = constant + slope * lengths[c]!;
    this.#norms = { of: bm25, values };
    return values;
  }
}
