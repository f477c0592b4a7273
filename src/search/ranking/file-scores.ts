import type { Corpus, FileRanking } from '../lexical/index.ts';

export interface FileScores extends FileRanking {
  /** The best file's score before factors; 0 where nothing matches. */
  readonly top: number;
}

export interface FileWeights {
  /** By file, its group; by group, what its files are multiplied by. */
  readonly groups: Uint8Array;
  readonly factors: Float64Array;
  /** How much of its score a file's second chunk adds; the third adds the square. More change nothing. */
  readonly support: number;
  /** By file, 0 where it is out of scope. */
  readonly allowed: Uint8Array | undefined;
}

/** From scores of chunks to scores of files. A loop over every chunk for every query, hence its form. */
export function scoreFiles(
  { firstChunks, fileCount, dead }: Pick<Corpus, 'firstChunks' | 'fileCount' | 'dead'>,
  chunkScores: Float32Array,
  { groups, factors, support, allowed }: FileWeights,
  into: FileRanking,
): FileScores {
  const { scores, best } = into;
  const third = support * support;
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
    const sum = a + support * b + third * c;
    if (sum > top) top = sum;
    scores[file] = sum * factors[groups[file]!]!;
  }
  return { scores, best, top };
}
