import { fileKinds } from '../../core/index.ts';
import type { Corpus, FileScores, RankedChunk, TermGroup } from '../lexical/index.ts';
import type { SearchHit } from '../search.ts';
import type { FileFacts } from './file-facts.ts';
import { addFeedback, createStemGroups, type LatentModel } from './latent.ts';
import { findMentionedFiles } from './mentions.ts';
import type { PastMessages } from './past.ts';
import { parseQuery, type Query, type QueryWord } from './query.ts';
import { rankBestSpans, rankWideSpans } from './spans.ts';
import { createTermGroups } from './term-groups.ts';
import type { RankingWeights } from './weights.ts';

/** The data for ranking one state of an index. If `past` or `latent` is null, the ranking does not use it. */
export interface RankingData {
  readonly corpus: Corpus;
  readonly facts: FileFacts;
  readonly past: PastMessages | null;
  readonly latent: LatentModel | null;
}

export interface RankingRequest {
  readonly query: string;
  readonly k: number;
  readonly wide: boolean;
  /** For each file, 0 if it is out of scope. */
  readonly allowed?: Uint8Array;
  /** The cosine of each chunk by an embedding model; negative if the chunk has no vector. */
  readonly vector?: Float32Array;
}

export interface RankedSpan extends RankedChunk {
  readonly provenance: SearchHit['provenance'];
}

/** Ranks the spans for a query. Scores are between 0 and about 2, and comparable within one reply. */
export function rank(data: RankingData, request: RankingRequest, weights: RankingWeights): RankedSpan[] {
  const { corpus } = data;
  const query = parseQuery(request.query, weights);
  const wordScores = corpus.scoreQuery(createGroups(query, data, weights));
  const { scores, cosines } = addVectorScores(query, wordScores, data, request, weights);
  const files = weighFiles(query, scores, data, request, weights);
  const rankSpans = request.wide ? rankWideSpans : rankBestSpans;
  const topScore = files.top || 1;
  return rankSpans(corpus, scores, files, request.k, weights.further).map(({ file, chunk, score }) => ({
    file,
    chunk,
    score: score / topScore,
    provenance: toProvenance(wordScores[chunk]!, cosines?.[chunk] ?? 0),
  }));
}

function toProvenance(wordScore: number, cosine: number): SearchHit['provenance'] {
  if (!(cosine > 0)) return 'bm25';
  return wordScore > 0 ? 'hybrid' : 'vector';
}

/** The terms to look up. In prose, all forms of a word have the same weight, since the latent model knows them. */
function createGroups(query: Query, { latent, facts }: RankingData, weights: RankingWeights): TermGroup[] {
  const usesStems = latent !== null && facts.material === 'prose' && weights.inflection > 0;
  return usesStems ? createStemGroups(query.words, latent) : createTermGroups(query, weights);
}

interface ChunkScores {
  /** The score of each chunk. */
  readonly scores: Float32Array;
  /** The cosine of each chunk that was added to its score; null if no vectors were used. */
  readonly cosines: Float32Array | null;
}

/** Adds scores of vectors to the word scores: from an embedding model if there is one, else from the latent model. */
function addVectorScores(
  query: Query,
  wordScores: Float32Array,
  { latent, corpus, facts }: RankingData,
  { vector }: RankingRequest,
  weights: RankingWeights,
): ChunkScores {
  if (vector !== undefined) return { scores: mixScores(wordScores, vector, weights.vector), cosines: vector };
  if (latent === null || weights.latent === 0) return { scores: wordScores, cosines: null };
  const missingShare = computeMissingShare(query.words, wordScores, latent, weights);
  if (missingShare === 0) return { scores: wordScores, cosines: null };
  const share = weights.latent * missingShare;
  const cosines = latent.computeCosines(query.words);
  const firstScores = mixScores(wordScores, cosines, share);
  const { feedback } = weights;
  if (facts.material !== 'prose' || feedback.weight === 0) return { scores: firstScores, cosines };
  const expandedWords = addFeedbackWords(query.words, firstScores, latent, {
    ...feedback,
    weight: feedback.weight * missingShare,
  });
  const expandedCosines = latent.computeCosines(expandedWords);
  const scores = mixScores(
    corpus.scoreGroups(createStemGroups(expandedWords, latent)),
    expandedCosines,
    share,
  );
  return { scores, cosines: expandedCosines };
}

/**
 * The share of the query that the best chunk lacks, times `weights.doubt`, at most 1. A chunk with all words is likely
 * the right one, and words that are added to the query would only lead away from it.
 */
function computeMissingShare(
  words: readonly QueryWord[],
  scores: Float32Array,
  latent: LatentModel,
  weights: RankingWeights,
): number {
  const [best] = findBestChunks(scores, 1);
  return best === undefined ? 1 : Math.min(1, weights.doubt * (1 - latent.computeCoverage(words, best)));
}

/** Adds two lists of scores, each divided by its highest score. `share`: the weight of the second list, from 0 to 1. */
function mixScores(wordScores: Float32Array, vectorScores: Float32Array, share: number): Float32Array {
  const wordFactor = (1 - share) / (findMax(wordScores) || 1);
  const vectorFactor = share / (findMax(vectorScores) || 1);
  return wordScores.map(
    (score, chunk) => wordFactor * score + vectorFactor * Math.max(0, vectorScores[chunk]!),
  );
}

function addFeedbackWords(
  words: readonly QueryWord[],
  scores: Float32Array,
  latent: LatentModel,
  { chunks, words: maxWords, weight }: RankingWeights['feedback'],
): QueryWord[] {
  const best = findBestChunks(scores, chunks);
  const topScore = best.length === 0 ? 1 : scores[best[0]!]!;
  const distinctiveWords = latent.findDistinctiveWords(
    best.map((chunk) => ({ chunk, share: scores[chunk]! / topScore })),
    maxWords,
  );
  return addFeedback(words, distinctiveWords, weight);
}

function findBestChunks(scores: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (let chunk = 0; chunk < scores.length; chunk++) {
    const score = scores[chunk]!;
    if (score <= 0 || (best.length === count && score <= scores[best.at(-1)!]!)) continue;
    let position = best.length < count ? best.push(chunk) - 1 : count - 1;
    for (; position > 0 && scores[best[position - 1]!]! < score; position--)
      best[position] = best[position - 1]!;
    best[position] = chunk;
  }
  return best;
}

/** Scores files by their chunks, their kind, their history, and whether the query names them. */
function weighFiles(
  query: Query,
  chunkScores: Float32Array,
  { facts, past, corpus }: RankingData,
  { allowed }: RankingRequest,
  weights: RankingWeights,
): FileScores {
  const { kinds } = facts;
  const kindFactors = weights.kinds[query.intent];
  const factors = Float64Array.from(fileKinds, (kind) =>
    facts.material === 'prose' ? 1 : kindFactors[kind],
  );
  const files = corpus.scoreFiles(chunkScores, {
    groups: kinds,
    factors,
    support: weights.support,
    allowed,
  });
  const { scores } = files;
  const topScore = files.top || 1;
  const addToFile = (file: number, share: number): void => {
    if (corpus.dead[file] === 1 || allowed?.[file] === 0) return;
    scores[file] = scores[file]! + share * topScore * factors[kinds[file]!]!;
  };
  if (past !== null && weights.history > 0) {
    for (const [path, likeness] of past.scorePaths(query.words.map(({ stem }) => stem))) {
      const file = facts.findFile(path);
      if (file !== undefined) addToFile(file, weights.history * likeness);
    }
  }
  if (weights.mention > 0) {
    const mentioned = findMentionedFiles(query.text, () => facts.endings);
    for (const [file, certainty] of mentioned) addToFile(file, weights.mention * certainty);
  }
  return files;
}

function findMax(values: Float32Array): number {
  let max = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > max) max = values[i]!;
  return max;
}
