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

/**
 * From scores of chunks to scores of files. A loop over every chunk for every query, hence its form: scores are
 * not negative, and the bits of such floats rise as they do, so the three best of a file are kept by arithmetic
 * on whole numbers, without a branch that the processor would guess wrong.
 */
export function scoreFiles(
  { firstChunks, fileCount, dead }: Pick<Corpus, 'firstChunks' | 'fileCount' | 'dead'>,
  chunkScores: Float32Array,
  { groups, factors, support, allowed }: FileWeights,
  into: FileRanking,
): FileScores {
  const { scores } = into;
  const bits = new Int32Array(chunkScores.buffer, chunkScores.byteOffset, chunkScores.length);
  const third = support * support;
  let top = 0;
  let chunk = 0;
  for (let file = 0; file < fileCount; file++) {
    const end = firstChunks[file + 1]!;
    let a = 0;
    let b = 0;
    let c = 0;
    for (; chunk < end; chunk++) {
      let rest = bits[chunk]!;
      // `more` is by how much `rest` is above, or 0: the larger of the two stays, the smaller goes on.
      let more = rest - a;
      more &= ~(more >> 31);
      a += more;
      rest -= more;
      more = rest - b;
      more &= ~(more >> 31);
      b += more;
      rest -= more;
      more = rest - c;
      c += more & ~(more >> 31);
    }
    if (a === 0 || dead[file] === 1 || (allowed !== undefined && allowed[file] === 0)) {
      scores[file] = 0;
      continue;
    }
    asBits[0] = a;
    asBits[1] = b;
    asBits[2] = c;
    const sum = asFloats[0]! + support * asFloats[1]! + third * asFloats[2]!;
    if (sum > top) top = sum;
    scores[file] = sum * factors[groups[file]!]!;
  }
  return { scores, top };
}

const asBits = new Int32Array(3);
const asFloats = new Float32Array(asBits.buffer);
