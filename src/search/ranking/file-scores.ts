import type { Corpus, FileRanking } from '../lexical/index.ts';

/** A file's second and third best chunks support the best with so much each: further ones change nothing. */
const supports = [0.3, 0.09] as const;

export interface FileScores extends FileRanking {
  /** The best file's score before factors; 0 where nothing matches. */
  readonly top: number;
}

/**
 * From scores of chunks to scores of files, each times the factor of its group. A loop over every chunk of
 * the index for every query, hence its form.
 */
export function scoreFiles(
  { firstChunks, fileCount, dead }: Pick<Corpus, 'firstChunks' | 'fileCount' | 'dead'>,
  chunkScores: Float32Array,
  groups: Uint8Array,
  factors: Float64Array,
  allowed: Uint8Array | undefined,
  into: FileRanking,
): FileScores {
  const { scores, best } = into;
  const [second, third] = supports;
  let top = 0;
  let chunk = 0;
  for (let file = 0; file < fileCount; file++) {
    const end = firstChunks[file + 1]!;
    let a = 0;
    let b = 0;
    let c = 0;
    let bestChunk = chunk;
    for (; chunk < end; chunk++) {
      const score = chunkScores[chunk]!;
      if (score <= c) continue;
      if (score > a) {
        c = b;
        b = a;
        a = score;
        bestChunk = chunk;
      } else if (score > b) {
        c = b;
        b = score;
      } else c = score;
    }
    best[file] = bestChunk;
    if (a === 0 || dead[file] === 1 || (allowed !== undefined && allowed[file] === 0)) {
      scores[file] = 0;
      continue;
    }
    const sum = a + second * b + third * c;
    if (sum > top) top = sum;
    scores[file] = sum * factors[groups[file]!]!;
  }
  return { scores, best, top };
}
