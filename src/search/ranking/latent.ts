import type { Corpus, TermGroup } from '../lexical/index.ts';
import { toInt8 } from '../vector/int8.ts';
import { openScanner, type Scanner } from '../vector/scanner.ts';
import { project, type SparseRows, trainBasis } from './latent-training.ts';
import type { QueryWord } from './query.ts';
import { buildWordMatrix, type WordMatrix } from './word-matrix.ts';

/**
 * Latent semantic analysis: vectors that are trained on the corpus itself. In prose and in collections of small files
 * they find chunks that share no word with the query.
 */

/** 64 rank as well as 128 or 200 do, for a third of the training time. */
const dimensions = 64;
/**
 * Maximum entries of the matrix that is trained on, which takes about half a second. A larger one is sampled by row.
 */
const maxTrainedEntries = 400_000;
/** With more postings, computing the model would take too long; each process computes it anew. */
const maxPostings = 4_000_000;
/** A basis is kept while the corpus has not grown or shrunk by more than this share since it was trained. */
const maxSizeChange = 0.1;

/** A trained model as it is stored. */
export interface LatentBasis {
  readonly stems: readonly string[];
  /** `dimensions` numbers for each stem. */
  readonly basis: Float32Array;
  /** Chunks it was trained on. */
  readonly chunks: number;
}

/**
 * Null if the corpus is too large or too small. `while it fits`: the earlier basis is used again unless the corpus has
 * grown or shrunk too much since; `as it is`: in any case.
 */
export function trainLatent(
  corpus: Corpus,
  before: LatentBasis | null = null,
  reuse: 'while it fits' | 'as it is' = 'while it fits',
): LatentModel | null {
  const matrix = buildWordMatrix(corpus, maxPostings);
  if (matrix === null || matrix.stems.length < 2 * dimensions) return null;
  const rows = weighRows(matrix, corpus.liveChunks);
  const fits = before !== null && Math.abs(corpus.liveChunks / before.chunks - 1) <= maxSizeChange;
  if (before !== null && (fits || reuse === 'as it is')) {
    return new LatentModel(corpus, matrix, rows, reorderBasis(before, matrix), before.chunks);
  }
  const basis = trainBasis(sampleRows(rows), dimensions);
  return new LatentModel(corpus, matrix, rows, basis, corpus.liveChunks);
}

/** The model of one state of the index. Each row of its matrix is a chunk of that state. */
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

  /** The cosine of each chunk with the query. The array is reused by the next call. */
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

  /** All terms of the index that have this stem, or null if the model does not know it. */
  listTerms(stem: string): readonly string[] | null {
    const column = this.#columns.get(stem);
    return column === undefined ? null : this.#matrix.terms[column]!;
  }

  /**
   * Which part of the query a chunk has, from 0 to 1, rare words counting for more. Words that are nowhere, or
   * nearly everywhere, don't count.
   */
  computeCoverage(words: readonly QueryWord[], chunk: number): number {
    const { offsets, indices, frequencies } = this.#matrix;
    const own = new Set(indices.subarray(offsets[chunk]!, offsets[chunk + 1]!));
    let all = 0;
    let covered = 0;
    for (const { term, stem, weight } of words) {
      const column = this.#columns.get(stem);
      const df = column === undefined ? this.#corpus.documentFrequency(term) : frequencies[column]!;
      if (df === 0 || (column === undefined && df > maxWithoutColumn)) continue;
      const share = weight * Math.log(this.#chunks / df);
      all += share;
      const isInChunk = column === undefined ? this.#hasTerm(term, chunk) : own.has(column);
      if (isInChunk) covered += share;
    }
    return all === 0 ? 1 : covered / all;
  }

  #hasTerm(term: string, chunk: number): boolean {
    return this.#corpus.scoreGroups([{ weight: 1, terms: [{ term, weight: 1 }] }])[chunk]! > 0;
  }

  /** The words that tell these chunks from the others, best first; the best weighs 1. */
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

/** A word in more chunks than this lacks a column only because nearly all chunks contain it. */
const maxWithoutColumn = 2;

/** BM25's, for a chunk of average length. */
const saturation = 1.2;

/** The query's own words and those that the best chunks added. */
export function addFeedback(
  words: readonly QueryWord[],
  added: readonly QueryWord[],
  weight: number,
): QueryWord[] {
  const found = new Map(words.map((word) => [word.stem, word]));
  for (const word of added) {
    const queryWord = found.get(word.stem);
    found.set(word.stem, { ...(queryWord ?? word), weight: (queryWord?.weight ?? 0) + weight * word.weight });
  }
  return [...found.values()];
}

/** Groups of all forms that a stem has in the corpus; words the model does not know stand for themselves. */
export function createStemGroups(words: readonly QueryWord[], model: LatentModel): TermGroup[] {
  return words.map(({ term, stem, weight }) => ({
    weight,
    terms: (model.listTerms(stem) ?? [term]).map((form) => ({ term: form, weight: 1 })),
  }));
}

/** (1 + log frequency) x log(chunks / document frequency), rows of length 1. */
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

/** Every n-th row, with n so large that at most about `maxTrained` entries are left. */
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

/** The basis with its columns in the order of another matrix. Words that the basis does not have are zero in it. */
function reorderBasis(previous: LatentBasis, matrix: WordMatrix): Float32Array {
  const places = new Map(previous.stems.map((stem, column) => [stem, column]));
  const basis = new Float32Array(matrix.stems.length * dimensions);
  matrix.stems.forEach((stem, column) => {
    const from = places.get(stem);
    if (from === undefined) return;
    basis.set(previous.basis.subarray(from * dimensions, (from + 1) * dimensions), column * dimensions);
  });
  return basis;
}
