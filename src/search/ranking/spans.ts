import { type Corpus, type FileRanking, type RankedChunk, topFiles } from '../lexical/index.ts';

/**
 * The best spans of a wide reply. A file's first span gets the file's score. Each further span gets a score in proportion
 * to its chunk's, and is reduced by `further` once per span, so that many files come early.
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
  const left = k - firstSpans.length;
  if (left === 0 || firstSpans.length === 0) return firstSpans;
  const last = firstSpans.at(-1)!.score;
  const furtherChunks = findFurtherSpans(corpus, chunkScores, firstSpans, further, 0)
    .sort(compareScores)
    .slice(0, left);
  return [...firstSpans, ...furtherChunks.map((span) => ({ ...span, score: Math.min(span.score, last) }))];
}

function compareScores(one: RankedChunk, two: RankedChunk): number {
  return two.score - one.score;
}

/** The best `k` of two lists in descending order. For equal scores the first list comes first. */
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

/** The other matching spans of these files that score above `min`; the spans of each file in descending order. */
function findFurtherSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  firstSpans: readonly RankedChunk[],
  further: number,
  min: number,
): RankedChunk[] {
  const spans: RankedChunk[] = [];
  for (const { file, chunk: best, score } of firstSpans) {
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
