import type { Bm25 } from '../settings.ts';
import { type ScoredCorpus, ScoreMemory } from './score-memory.ts';
import type { FoundList, TermLists } from './term-lists.ts';

/** A term of a query. A weight of 1 is an ordinary term. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/**
 * Terms that count as one, such as the forms of a word: their weighted frequencies in a chunk are added before BM25's
 * saturation, and the group's document frequency is about the sum of theirs.
 */
export interface TermGroup {
  readonly weight: number;
  readonly terms: readonly WeightedTerm[];
}

/** The numbers about a corpus that BM25 needs. */
export interface ChunkLengths extends ScoredCorpus {
  readonly liveChunks: number;
  /** Number of terms of each chunk. */
  readonly lengths: Uint16Array;
  readonly averageLength: number;
}

interface FoundTerm {
  readonly term: string;
  readonly lists: readonly FoundList[];
  /** Its weight within the group. */
  readonly share: number;
  /** The number of live chunks with the term. */
  readonly frequency: number;
}

/** ln(1 + (N - df + 0.5) / (df + 0.5)): never negative. */
function inverseFrequency(chunks: number, documentFrequency: number): number {
  return Math.log(1 + (chunks - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** BM25 of groups of terms over all chunks of a corpus, summed by file. */
export class GroupScorer {
  readonly #chunks: ChunkLengths;
  readonly #terms: TermLists;
  #memory: ScoreMemory | undefined;
  /** The parameters for which the norms in the memory were computed. */
  #norms: Bm25 | undefined;

  constructor(chunks: ChunkLengths, terms: TermLists) {
    this.#chunks = chunks;
    this.#terms = terms;
  }

  get memory(): ScoreMemory {
    this.#memory ??= new ScoreMemory(this.#chunks);
    return this.#memory;
  }

  /** Fills `scores`, an array of the memory. Chunks of dead files may get scores too. */
  score(groups: readonly TermGroup[], bm25: Bm25, scores: Float32Array): void {
    this.#setNorms(bm25);
    scores.fill(0);
    this.memory.setTarget(scores);
    for (const group of groups) {
      const found: FoundTerm[] = [];
      for (const { term, weight: share } of group.terms) {
        const lists = this.#terms.find(term);
        if (lists.length === 0) continue;
        found.push({ term, lists, share, frequency: this.#terms.frequency(term, lists) });
      }
      if (found.length > 0) this.#scoreGroup(found, group.weight * (bm25.k1 + 1));
    }
  }

  /**
   * First sums the rarer terms per chunk, then adds these sums while it reads the postings of the most frequent term,
   * which is nearly all of the work. A chunk with the most frequent and a rarer term counts twice in the group's document
   * frequency, which hardly changes its logarithm.
   */
  #scoreGroup(found: readonly FoundTerm[], weight: number): void {
    const main = found.reduce((max, term) => (term.frequency > max.frequency ? term : max));
    const { memory } = this;
    const { kernel } = memory;
    let count = 0;
    for (const { term, lists, share } of found) {
      if (term === main.term) continue;
      for (const { part, postings } of lists) {
        const { start, end } = memory.copyPostings(postings.bytes, share, part.deadChunks);
        count = kernel.gather(start, end, part.firstChunk - 1, count);
      }
    }
    const { liveChunks } = this.#chunks;
    memory.weighGroup(weight * inverseFrequency(liveChunks, Math.min(liveChunks, main.frequency + count)));
    const accumulate = count === 0 ? kernel.accumulate : kernel.accumulateGroup;
    for (const { part, postings } of main.lists) {
      const { start, end } = memory.copyPostings(postings.bytes, main.share, null);
      accumulate(start, end, part.firstChunk - 1);
    }
    if (count > 0) kernel.settle(count);
  }

  #setNorms(bm25: Bm25): void {
    if (this.#norms?.k1 === bm25.k1 && this.#norms.b === bm25.b) return;
    const { lengths, averageLength } = this.#chunks;
    const slope = (bm25.k1 * bm25.b) / averageLength;
    this.memory.setNorms(lengths, bm25.k1 * (1 - bm25.b), slope);
    this.#norms = bm25;
  }
}
