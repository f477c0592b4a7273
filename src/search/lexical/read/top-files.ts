import type { Corpus } from './corpus.ts';

export interface FileRanking {
  /** The score of each file; 0 if it does not match. */
  readonly scores: Float32Array;
}

export interface RankedChunk {
  readonly chunk: number;
  readonly file: number;
  readonly score: number;
}

/** The best `k` files, each with its best chunk. Files with equal scores are sorted by path. */
export function topFiles(
  corpus: Corpus,
  chunkScores: Float32Array,
  { scores }: FileRanking,
  k: number,
): RankedChunk[] {
  const files = bestFiles(scores, Math.max(0, Math.min(k, scores.length)), (a, b) =>
    comparePaths(corpus, a, b),
  );
  const ranked: RankedChunk[] = [];
  for (const file of files)
    ranked.push({ file, chunk: bestChunk(corpus, chunkScores, file), score: scores[file]! });
  return ranked;
}

function bestChunk({ firstChunks }: Corpus, chunkScores: Float32Array, file: number): number {
  let best = firstChunks[file]!;
  for (let chunk = best + 1; chunk < firstChunks[file + 1]!; chunk++)
    if (chunkScores[chunk]! > chunkScores[best]!) best = chunk;
  return best;
}

function comparePaths(corpus: Corpus, a: number, b: number): number {
  const left = corpus.path(a);
  const right = corpus.path(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The bits of positive floats have the same order as the floats. Without the lowest 16 bits they differ by under 1 %. */
const stepShift = 16;
const steps = 1 << (32 - stepShift - 1);
/** A sort key has the bits of the score above the number of the file. */
const keyShift = 2 ** 22;

/**
 * The files with the `k` highest positive scores, best first. A histogram of scores gives a threshold first, so that
 * little more than `k` are sorted.
 */
function bestFiles(scores: Float32Array, k: number, compareTies: (a: number, b: number) => number): number[] {
  if (k === 0) return [];
  const bits = new Int32Array(scores.buffer, scores.byteOffset, scores.length);
  const min = scoreThreshold(bits, k);
  const keys = new Float64Array(scores.length);
  let count = 0;
  for (let file = 0; file < bits.length; file++)
    if (bits[file]! >= min) keys[count++] = bits[file]! * keyShift + file;
  const sorted = keys.subarray(0, count).sort();
  const files: number[] = [];
  for (let end = count; end > 0 && files.length < k; ) {
    const score = Math.floor(sorted[end - 1]! / keyShift);
    let start = end - 1;
    while (start > 0 && sorted[start - 1]! >= score * keyShift) start--;
    if (end - start === 1) files.push(sorted[start]! - score * keyShift);
    else {
      const equals = Array.from(sorted.subarray(start, end), (key) => key - score * keyShift);
      files.push(...equals.sort(compareTies));
    }
    end = start;
  }
  return files.slice(0, k);
}

const counts = new Uint32Array(steps);

/** The bits of a score that at least `k` files reach; 1 if fewer than `k` files have a score. */
function scoreThreshold(bits: Int32Array, k: number): number {
  counts.fill(0);
  let max = 0;
  for (let file = 0; file < bits.length; file++) {
    const score = bits[file]!;
    if (score <= 0) continue;
    const step = score >>> stepShift;
    counts[step] = counts[step]! + 1;
    if (step > max) max = step;
  }
  let total = 0;
  for (let step = max; step > 0; step--) {
    total += counts[step]!;
    if (total >= k) return step << stepShift;
  }
  return 1;
}
