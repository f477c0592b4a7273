import { type Corpus, type FileRanking, type RankedChunk, topFiles } from '../lexical/index.ts';

/**
 * The best spans of a wide reply. A file's first span has the file's score; each further one has the score in
 * proportion to its own, times `further` once more, so that many files come early.
 */
export function wideSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  ranking: FileRanking,
  k: number,
  further: number,
): RankedChunk[] {
  const firsts = topFiles(corpus, chunkScores, ranking, k);
  const minScore = firsts.length === k ? firsts[k - 1]!.score : 0;
  const furtherChunks = furtherSpans(corpus, chunkScores, firsts, further, minScore);
  return mergeRanked(firsts, furtherChunks.sort(byScore), k);
}

/** The best span of each of the `k` best files, filled up with further spans where fewer files match. */
export function bestSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  ranking: FileRanking,
  k: number,
  further: number,
): RankedChunk[] {
  const firsts = topFiles(corpus, chunkScores, ranking, k);
  const left = k - firsts.length;
  if (left === 0 || firsts.length === 0) return firsts;
  const last = firsts.at(-1)!.score;
  const furtherChunks = furtherSpans(corpus, chunkScores, firsts, further, 0).sort(byScore).slice(0, left);
  return [...firsts, ...furtherChunks.map((span) => ({ ...span, score: Math.min(span.score, last) }))];
}

function byScore(rankedChunk: RankedChunk, two: RankedChunk): number {
  return two.score - rankedChunk.score;
}

/** The best `k` of two lists in falling order; among equals the first list goes first. */
function mergeRanked(
  first: readonly RankedChunk[],
  second: readonly RankedChunk[],
  k: number,
): RankedChunk[] {
  const spans: RankedChunk[] = [];
  let a = 0;
  let b = 0;
  while (spans.length < k && (a < first.length || b < second.length)) {
    const takesFirst = b === second.length || (a < first.length && first[a]!.score >= second[b]!.score);
    spans.push(takesFirst ? first[a++]! : second[b++]!);
  }
  return spans;
}

/** The other matching spans of files, each file's in falling order, while they score above `least`. */
function furtherSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  firsts: readonly RankedChunk[],
  further: number,
  min: number,
): RankedChunk[] {
  const spans: RankedChunk[] = [];
  for (const { file, chunk: best, score } of firsts) {
    const from = corpus.firstChunks[file]!;
    const to = corpus.firstChunks[file + 1]!;
    const own = chunkScores[best]!;
    if (to - from < 2 || own <= 0 || score * further <= min) continue;
    let share = score / own;
    const others: number[] = [];
    for (let chunk = from; chunk < to; chunk++) {
      const other = chunkScores[chunk]!;
      if (other > 0 && other * share * further > min && chunk !== best) others.push(chunk);
    }
    if (others.length > 1) others.sort((one, two) => chunkScores[two]! - chunkScores[one]! || one - two);
    for (const chunk of others) {
      share *= further;
      const scaled = chunkScores[chunk]! * share;
      if (scaled <= min) break;
      spans.push({ chunk, file, score: scaled });
    }
  }
  return spans;
}
