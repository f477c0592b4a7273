import { type Corpus, type FileRanking, type RankedChunk, topFiles } from '../lexical/index.ts';

/**
 * The best spans of a wide reply. A file's first span gets the file's score. Each further span gets a score in
 * proportion to its chunk's, and is reduced by `further` once per span, so that many files come early.
 */
export function rankWideSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  ranking: FileRanking,
  k: number,
  further: number,
): RankedChunk[] {
  const firstSpans = topFiles(corpus, chunkScores, ranking, k);
  const minScore = firstSpans.length === k ? firstSpans[k - 1]!.score : 0;
  const furtherChunks = findFurtherSpans(corpus, chunkScores, firstSpans, further, minScore);
  return mergeRanked(firstSpans, furtherChunks.sort(compareScores), k);
}

/** The best span of each of the `k` best files, filled up with further spans where fewer files match. */
export function rankBestSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  ranking: FileRanking,
  k: number,
  further: number,
): RankedChunk[] {
  const firstSpans = topFiles(corpus, chunkScores, ranking, k);
  const missingCount = k - firstSpans.length;
  if (missingCount === 0 || firstSpans.length === 0) return firstSpans;
  const lastScore = firstSpans.at(-1)!.score;
  const furtherChunks = findFurtherSpans(corpus, chunkScores, firstSpans, further, 0)
    .sort(compareScores)
    .slice(0, missingCount);
  return [
    ...firstSpans,
    ...furtherChunks.map((span) => ({ ...span, score: Math.min(span.score, lastScore) })),
  ];
}

function compareScores(one: RankedChunk, two: RankedChunk): number {
  return two.score - one.score;
}

/** The best `k` of two lists in descending order. Of equal scores, that of the first list comes first. */
function mergeRanked(
  first: readonly RankedChunk[],
  second: readonly RankedChunk[],
  k: number,
): RankedChunk[] {
  const spans: RankedChunk[] = [];
  let nextFirst = 0;
  let nextSecond = 0;
  while (spans.length < k && (nextFirst < first.length || nextSecond < second.length)) {
    const takesFirst =
      nextSecond === second.length ||
      (nextFirst < first.length && first[nextFirst]!.score >= second[nextSecond]!.score);
    spans.push(takesFirst ? first[nextFirst++]! : second[nextSecond++]!);
  }
  return spans;
}

/** The other matching spans of these files with a score above `minScore`, best first within each file. */
function findFurtherSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  firstSpans: readonly RankedChunk[],
  further: number,
  minScore: number,
): RankedChunk[] {
  const spans: RankedChunk[] = [];
  for (const { file, chunk: best, score } of firstSpans) {
    const from = corpus.firstChunks[file]!;
    const to = corpus.firstChunks[file + 1]!;
    const bestChunkScore = chunkScores[best]!;
    if (to - from < 2 || bestChunkScore <= 0 || score * further <= minScore) continue;
    let share = score / bestChunkScore;
    const otherChunks: number[] = [];
    for (let chunk = from; chunk < to; chunk++) {
      const otherScore = chunkScores[chunk]!;
      if (otherScore > 0 && otherScore * share * further > minScore && chunk !== best)
        otherChunks.push(chunk);
    }
    if (otherChunks.length > 1)
      otherChunks.sort((one, two) => chunkScores[two]! - chunkScores[one]! || one - two);
    for (const chunk of otherChunks) {
      share *= further;
      const spanScore = chunkScores[chunk]! * share;
      if (spanScore <= minScore) break;
      spans.push({ chunk, file, score: spanScore });
    }
  }
  return spans;
}
