import { type Corpus, type FileRanking, type Ranked, topFiles } from '../lexical/index.ts';

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
): Ranked[] {
  const firsts = topFiles(corpus, chunkScores, ranking, k);
  const least = firsts.length === k ? firsts[k - 1]!.score : 0;
  const spans = [...firsts, ...furtherSpans(corpus, chunkScores, firsts, further, least)];
  // Stable: among equals the order above stands.
  return spans.sort((one, two) => two.score - one.score).slice(0, k);
}

/** The best span of each of the `k` best files, filled up with further spans where fewer files match. */
export function bestSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  ranking: FileRanking,
  k: number,
  further: number,
): Ranked[] {
  const firsts = topFiles(corpus, chunkScores, ranking, k);
  const left = k - firsts.length;
  if (left === 0 || firsts.length === 0) return firsts;
  const last = firsts.at(-1)!.score;
  const rest = furtherSpans(corpus, chunkScores, firsts, further, 0)
    .sort((one, two) => two.score - one.score)
    .slice(0, left);
  return [...firsts, ...rest.map((span) => ({ ...span, score: Math.min(span.score, last) }))];
}

/** The other matching spans of files, each file's in falling order, as far as they score more than `least`. */
function furtherSpans(
  corpus: Corpus,
  chunkScores: Float32Array,
  firsts: readonly Ranked[],
  further: number,
  least: number,
): Ranked[] {
  const spans: Ranked[] = [];
  for (const { file, chunk: best, score } of firsts) {
    const from = corpus.firstChunks[file]!;
    const to = corpus.firstChunks[file + 1]!;
    const own = chunkScores[best]!;
    if (to - from < 2 || own <= 0 || score * further <= least) continue;
    const others: number[] = [];
    for (let chunk = from; chunk < to; chunk++) {
      if (chunk !== best && chunkScores[chunk]! > 0) others.push(chunk);
    }
    others.sort((one, two) => chunkScores[two]! - chunkScores[one]! || one - two);
    let share = score / own;
    for (const chunk of others) {
      share *= further;
      const scaled = chunkScores[chunk]! * share;
      if (scaled <= least) break;
      spans.push({ chunk, file, score: scaled });
    }
  }
  return spans;
}
