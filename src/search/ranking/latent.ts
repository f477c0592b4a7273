import type { Corpus, TermGroup } from '../lexical/index.ts';
import { toInt8 } from '../vector/int8.ts';
import { openScanner, type Scanner } from '../vector/scanner.ts';
import { project, type SparseRows, trainBasis } from './latent-training.ts';
import type { QueryWord } from './query.ts';
import { buildWordMatrix, type WordMatrix } from './word-matrix.ts';

/**
 * Latent semantic analysis: word vectors trained on the corpus itself. In prose and in collections of small files they
 * find chunks that share no word with the query.
 */

/** More dimensions (128, 200) do not rank better, and take three times as long to train. */
const dimensions = 64;
/**
 * Maximum number of matrix entries to train on, which takes about half a second. Of a larger matrix, rows are sampled.
 */
const maxTrainedEntries = 400_000;
/**
 * Maximum number of postings. A larger corpus gets no model: each process must compute it, which would take too long.
 */
const maxPostings = 4_000_000;
/** Maximum relative change in the number of chunks for which a trained basis is reused. */
const maxSizeChange = 0.1;

/** A trained model as it is stored. */
export interface LatentBasis {
  readonly stems: readonly string[];
  /** `dimensions` numbers for each stem. */
  readonly basis: Float32Array;
  /** Number of chunks in the corpus that it was trained on. */
  readonly chunks: number;
}

/**
 * Trains a model, or reuses the stored basis of an earlier one. Null if the corpus is too large or too small. `reuse`:
 * `while it fits` reuses the stored basis unless the size of the corpus has changed too much; `as it is` always does.
 */
export function trainLatent(
  corpus: Corpus,
  storedBasis: LatentBasis | null = null,
  reuse: 'while it fits' | 'as it is' = 'while it fits',
): LatentModel | null {
  const matrix = buildWordMatrix(corpus, maxPostings);
  if (matrix === null || matrix.stems.length < 2 * dimensions) return null;
  const rows = weighRows(matrix, corpus.liveChunks);
  const hasSimilarSize =
    storedBasis !== null && Math.abs(corpus.liveChunks / storedBasis.chunks - 1) <= maxSizeChange;
  if (storedBasis !== null && (hasSimilarSize || reuse === 'as it is')) {
    return new LatentModel(corpus, matrix, rows, reorderBasis(storedBasis, matrix), storedBasis.chunks);
  }
  const basis = trainBasis(sampleRows(rows), dimensions);
  return new LatentModel(corpus, matrix, rows, basis, corpus.liveChunks);
}

/** The model for one state of the index. Each row of its matrix is a chunk. */
export class LatentModel {
  readonly basis: LatentBasis;
  readonly #corpus: Corpus;
  readonly #matrix: WordMatrix;
  readonly #basis: Float32Array;
  readonly #chunks: number;
  readonly #columns: ReadonlyMap<string, number>;
  readonly #scanner: Scanner;

  constructor(
    corpus: Corpus,
    matrix: WordMatrix,
    rows: SparseRows,
    basis: Float32Array,
    trainedChunks: number,
  ) {
    this.basis = { stems: matrix.stems, basis, chunks: trainedChunks };
    this.#corpus = corpus;
    this.#matrix = matrix;
    this.#basis = basis;
    this.#chunks = corpus.liveChunks;
    this.#columns = new Map(matrix.stems.map((stem, column) => [stem, column]));
    this.#scanner = openScanner(toInt8(project(rows, basis, dimensions), dimensions));
  }

  /** The cosine of each chunk with the query, in an array that the next call overwrites. */
  computeCosines(words: Iterable<Pick<QueryWord, 'stem' | 'weight'>>): Float32Array {
    const vector = new Float32Array(dimensions);
    for (const { stem, weight } of words) {
      const column = this.#columns.get(stem);
      if (column === undefined) continue;
      const share = weight * Math.log(this.#chunks / this.#matrix.frequencies[column]!);
      for (let d = 0; d < dimensions; d++) {
        vector[d] = vector[d]! + share * this.#basis[column * dimensions + d]!;
      }
    }
    return this.#scanner.cosines(vector);
  }

  /** All terms of the index with this stem; null if the model does not know the stem. */
  listTerms(stem: string): readonly string[] | null {
    const column = this.#columns.get(stem);
    return column === undefined ? null : this.#matrix.terms[column]!;
  }

  /**
   * The share of the query that a chunk contains, from 0 to 1, weighted by rarity. Words that occur nowhere, or nearly
   * everywhere, don't count.
   */
  computeCoverage(words: readonly QueryWord[], chunk: number): number {
    const { offsets, indices, frequencies } = this.#matrix;
    const chunkColumns = new Set(indices.subarray(offsets[chunk]!, offsets[chunk + 1]!));
    let totalWeight = 0;
    let coveredWeight = 0;
    for (const { term, stem, weight } of words) {
      const column = this.#columns.get(stem);
      const df = column === undefined ? this.#corpus.documentFrequency(term) : frequencies[column]!;
      if (df === 0 || (column === undefined && df > maxWithoutColumn)) continue;
      const share = weight * Math.log(this.#chunks / df);
      totalWeight += share;
      const isInChunk = column === undefined ? this.#hasTerm(term, chunk) : chunkColumns.has(column);
      if (isInChunk) coveredWeight += share;
    }
    return totalWeight === 0 ? 1 : coveredWeight / totalWeight;
  }

  #hasTerm(term: string, chunk: number): boolean {
    return this.#corpus.scoreGroups([{ weight: 1, terms: [{ term, weight: 1 }] }])[chunk]! > 0;
  }

  /** At most `max` words that distinguish these chunks from others, best first. The best has the weight 1. */
  findDistinctiveWords(chunks: readonly { chunk: number; share: number }[], max: number): QueryWord[] {
    const { offsets, indices, counts, frequencies, stems, terms } = this.#matrix;
    const weights = new Map<number, number>();
    for (const { chunk, share } of chunks) {
      for (let at = offsets[chunk]!; at < offsets[chunk + 1]!; at++) {
        const column = indices[at]!;
        const count = counts[at]!;
        const df = frequencies[column]!;
        const rarity = Math.log(1 + (this.#chunks - df + 0.5) / (df + 0.5));
        weights.set(column, (weights.get(column) ?? 0) + (share * rarity * count) / (count + saturation));
      }
    }
    const best = [...weights].sort((one, two) => two[1] - one[1] || one[0] - two[0]).slice(0, max);
    return best.map(([column, weight]) => ({
      term: terms[column]![0]!,
      stem: stems[column]!,
      weight: weight / best[0]![1],
    }));
  }
}

/** Maximum number of chunks of a rare word without a column. Other words without a column are in nearly all chunks. */
const maxWithoutColumn = 2;

/** The saturation of BM25 for a chunk of average length. */
const saturation = 1.2;

/** Merges the words of the query with words of the best chunks, whose weights are multiplied by `weight`. */
export function addFeedback(
  words: readonly QueryWord[],
  feedbackWords: readonly QueryWord[],
  weight: number,
): QueryWord[] {
  const wordsByStem = new Map(words.map((word) => [word.stem, word]));
  for (const word of feedbackWords) {
    const queryWord = wordsByStem.get(word.stem);
    wordsByStem.set(word.stem, {
      ...(queryWord ?? word),
      weight: (queryWord?.weight ?? 0) + weight * word.weight,
    });
  }
  return [...wordsByStem.values()];
}

/**
 * Groups each word with all terms of the index that have its stem. A word unknown to the model is a group by itself.
 */
export function createStemGroups(words: readonly QueryWord[], model: LatentModel): TermGroup[] {
  return words.map(({ term, stem, weight }) => ({
    weight,
    terms: (model.listTerms(stem) ?? [term]).map((form) => ({ term: form, weight: 1 })),
  }));
}

/** Weights entries by (1 + log frequency) × log(chunks / document frequency), and scales rows to length 1. */
function weighRows(matrix: WordMatrix, chunks: number): SparseRows {
  const { offsets, indices, counts, frequencies } = matrix;
  const rarity = Float64Array.from(frequencies, (frequency) => Math.log(chunks / frequency));
  const values = new Float32Array(indices.length);
  for (let row = 0; row < offsets.length - 1; row++) {
    let squares = 0;
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++) {
      const value = (1 + Math.log(counts[at]!)) * rarity[indices[at]!]!;
      values[at] = value;
      squares += value * value;
    }
    const length = squares === 0 ? 1 : Math.sqrt(squares);
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++) values[at] = values[at]! / length;
  }
  return { columns: matrix.stems.length, offsets, indices, values };
}

/** Takes every n-th row, so that at most about `maxTrainedEntries` entries are left. */
function sampleRows(rows: SparseRows): SparseRows {
  const stride = Math.ceil(rows.values.length / maxTrainedEntries);
  if (stride <= 1) return rows;
  const offsets = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (let row = 0; row < rows.offsets.length - 1; row += stride) {
    for (let at = rows.offsets[row]!; at < rows.offsets[row + 1]!; at++) {
      indices.push(rows.indices[at]!);
      values.push(rows.values[at]!);
    }
    offsets.push(indices.length);
  }
  return {
    columns: rows.columns,
    offsets: Uint32Array.from(offsets),
    indices: Uint32Array.from(indices),
    values: Float32Array.from(values),
  };
}

/** Reorders the basis to the columns of another matrix. New words get zeros. */
function reorderBasis(previous: LatentBasis, matrix: WordMatrix): Float32Array {
  const oldColumns = new Map(previous.stems.map((stem, column) => [stem, column]));
  const basis = new Float32Array(matrix.stems.length * dimensions);
  matrix.stems.forEach((stem, column) => {
    const oldColumn = oldColumns.get(stem);
    if (oldColumn === undefined) return;
    basis.set(
      previous.basis.subarray(oldColumn * dimensions, (oldColumn + 1) * dimensions),
      column * dimensions,
    );
  });
  return basis;
}
