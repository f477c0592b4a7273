import { RegionMemory } from '../../kernel/region-memory.ts';
import { openScoreKernel, type ScoreKernel } from '../../kernel/score-kernel.ts';
import { factors, firstFree, header, maxGroups } from '../../kernel/score-layout.ts';

/** Maximum bytes of a posting: a varint of 32 bits and a frequency. */
const maxPostingLength = 6;
/** How far the kernel may read beyond the end of a list. Bytes. */
const overreach = 16;
const outOfScope = 255;

/** The corpus for which the memory is laid out. */
export interface ScoredCorpus {
  readonly chunkCount: number;
  readonly fileCount: number;
  readonly firstChunks: Uint32Array;
  /** For each file: 1 if it was replaced or removed. */
  readonly dead: Uint8Array;
}

export interface FileWeights {
  /** The group of each file, below 16; and the factor of each group. */
  readonly groups: Uint8Array;
  readonly factors: Float64Array;
  /** The share of its score that a file's second best chunk adds. The third adds the square of it, others nothing. */
  readonly support: number;
  /** For each file, 0 if it is out of scope. */
  readonly allowed: Uint8Array | undefined;
}

export interface FileScores {
  /** The score of each file; 0 if it does not match. Overwritten by the next call. */
  readonly scores: Float32Array;
  /** The best file's score before factors; 0 if nothing matches. */
  readonly top: number;
}

/** The arrays in which the queries of one index state are computed, and the WebAssembly kernel over them. */
export class ScoreMemory {
  readonly kernel: ScoreKernel;
  /** The score of each chunk for the query, and another such array for expanded queries. */
  readonly scores: Float32Array;
  readonly extraScores: Float32Array;
  readonly #corpus: ScoredCorpus;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #doubles: Float64Array;
  readonly #fileScores: Float32Array;
  readonly #groups: Uint8Array;
  /** The source of `#groups`, which is a copy except for dead files. */
  #groupsOf: Uint8Array | undefined;
  readonly #dead: Uint8Array;
  readonly #postings: Uint8Array;

  constructor(corpus: ScoredCorpus) {
    const { chunkCount, fileCount } = corpus;
    this.#corpus = corpus;
    const expected = chunkCount * (5 * 4 + 1 + maxPostingLength) + fileCount * 9;
    const memory = new RegionMemory(firstFree, expected + 4_096);
    const places = {
      scores: memory.allocate(chunkCount * 4).at,
      extraScores: memory.allocate(chunkCount * 4).at,
      norms: memory.allocate(chunkCount * 4).at,
      others: memory.allocate(chunkCount * 4).at,
      // One more: the kernel writes a chunk before it knows whether it is new.
      touched: memory.allocate(chunkCount * 4 + 4).at,
      dead: memory.allocate(chunkCount).at,
      firstChunks: memory.allocate(fileCount * 4 + 4).at,
      fileScores: memory.allocate(fileCount * 4).at,
      groups: memory.allocate(fileCount).at,
      postings: memory.allocate(chunkCount * maxPostingLength + overreach).at,
    };
    const { buffer } = memory.bytes;
    this.#bytes = memory.bytes;
    this.#words = new Uint32Array(buffer, 0, firstFree / 4);
    this.#doubles = new Float64Array(buffer, 0, firstFree / 8);
    this.scores = new Float32Array(buffer, places.scores, chunkCount);
    this.extraScores = new Float32Array(buffer, places.extraScores, chunkCount);
    this.#fileScores = new Float32Array(buffer, places.fileScores, fileCount);
    this.#groups = new Uint8Array(buffer, places.groups, fileCount);
    this.#dead = new Uint8Array(buffer, places.dead, chunkCount);
    this.#postings = new Uint8Array(buffer, places.postings, chunkCount * maxPostingLength);
    new Uint32Array(buffer, places.firstChunks, fileCount + 1).set(corpus.firstChunks);
    const words = this.#words;
    words[header.norms >> 2] = places.norms;
    words[header.others >> 2] = places.others;
    words[header.touched >> 2] = places.touched;
    words[header.chunks >> 2] = chunkCount;
    words[header.files >> 2] = fileCount;
    words[header.firstChunks >> 2] = places.firstChunks;
    words[header.groups >> 2] = places.groups;
    words[header.fileScores >> 2] = places.fileScores;
    this.kernel = openScoreKernel(memory.memory);
  }

  /** Makes the kernel write to `scores`, an array of this memory. */
  setTarget(scores: Float32Array): void {
    this.#words[header.scores >> 2] = scores.byteOffset;
  }

  /** Computes the length normalisation of BM25's denominator: `constant`, plus `slope` times the length. */
  setNorms(lengths: Uint16Array, constant: number, slope: number): void {
    this.#doubles[header.constant >> 3] = constant;
    this.#doubles[header.slope >> 3] = slope;
    // The list of touched chunks is unused between queries.
    const at = this.#words[header.touched >> 2]!;
    new Uint16Array(this.#words.buffer, at, lengths.length).set(lengths);
    this.kernel.normalise(at);
  }

  /** Sets the weight of the current group of terms. */
  weighGroup(gain: number): void {
    this.#doubles[header.gain >> 3] = gain;
  }

  /** Copies a posting list to where the kernel reads it. Its frequencies count `weight` times. */
  copyPostings(
    postings: Uint8Array,
    weight: number,
    dead: Uint8Array | null,
  ): { start: number; end: number } {
    const copied =
      postings.length > this.#postings.length ? postings.subarray(0, this.#postings.length) : postings;
    this.#postings.set(copied);
    this.#doubles[header.weight >> 3] = weight;
    if (dead !== null) this.#dead.set(dead);
    this.#words[header.dead >> 2] = dead === null ? 0 : this.#dead.byteOffset;
    const at = this.#postings.byteOffset;
    return { start: at, end: at + copied.length };
  }

  #setGroups(groups: Uint8Array, allowed: Uint8Array | undefined): void {
    // Without a scope the groups are the same for every query.
    if (allowed === undefined && this.#groupsOf === groups) return;
    this.#groupsOf = allowed === undefined ? groups : undefined;
    const { dead, fileCount } = this.#corpus;
    for (let file = 0; file < fileCount; file++) {
      const isOut = dead[file] === 1 || (allowed !== undefined && allowed[file] === 0);
      this.#groups[file] = isOut ? outOfScope : groups[file]!;
    }
  }

  /** Computes scores of files from scores of chunks, which need not be in this memory. */
  scoreFiles(
    chunkScores: Float32Array,
    { groups, factors: groupFactors, support, allowed }: FileWeights,
  ): FileScores {
    let scores = chunkScores;
    if (chunkScores.buffer !== this.#bytes.buffer) {
      this.extraScores.set(chunkScores);
      scores = this.extraScores;
    }
    this.#setGroups(groups, allowed);
    this.#doubles[header.support >> 3] = support;
    this.#doubles.set(groupFactors.subarray(0, maxGroups), factors >> 3);
    this.setTarget(scores);
    this.kernel.files();
    return { scores: this.#fileScores, top: this.#doubles[header.top >> 3]! };
  }
}
