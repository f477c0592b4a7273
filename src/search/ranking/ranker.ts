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

/** The data for ranking one state of an index. A feature is left out if its part is null. */
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
  const words = corpus.scoreQuery(createGroups(query, data, weights));
  const { scores, cosines } = addVectorScores(query, words, data, request, weights);
  const files = weighFiles(query, scores, data, request, weights);
  const spans = request.wide ? rankWideSpans : rankBestSpans;
  const scale = files.top || 1;
  return spans(corpus, scores, files, request.k, weights.further).map(({ file, chunk, score }) => ({
    file,
    chunk,
    score: score / scale,
    provenance: toProvenance(words[chunk]!, cosines?.[chunk] ?? 0),
  }));
}

function toProvenance(words: number, cosines: number): SearchHit['provenance'] {
  if (!(cosines > 0)) return 'bm25';
  return words > 0 ? 'hybrid' : 'vector';
}

/** In prose all forms of a word count the same, since the latent model knows them. */
function createGroups(query: Query, { latent, facts }: RankingData, weights: RankingWeights): TermGroup[] {
  const prose = latent !== null && facts.material === 'prose' && weights.inflection > 0;
  return prose ? createStemGroups(query.words, latent) : createTermGroups(query, weights);
}

interface ChunkScores {
  /** The score of each chunk. */
  readonly scores: Float32Array;
  /** The cosine of each chunk that was added to its score; null if no vectors were used. */
  readonly cosines: Float32Array | null;
}

/** Adds scores of vectors, from an embedding model if there is one, else from the latent model. */
function addVectorScores(
  query: Query,
  words: Float32Array,
  { latent, corpus, facts }: RankingData,
  { vector }: RankingRequest,
  weights: RankingWeights,
): ChunkScores {
  if (vector !== undefined) return { scores: mixScores(words, vector, weights.vector), cosines: vector };
  if (latent === null || weights.latent === 0) return { scores: words, cosines: null };
  const missing = computeMissingShare(query.words, words, latent, weights);
  if (missing === 0) return { scores: words, cosines: null };
  const share = weights.latent * missing;
  const cosines = latent.computeCosines(query.words);
  const first = mixScores(words, cosines, share);
  const { feedback } = weights;
  if (facts.material !== 'prose' || feedback.weight === 0) return { scores: first, cosines };
  const expandedWords = addFeedbackWords(query.words, first, latent, {
    ...feedback,
    weight: feedback.weight * missing,
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
 * the right one, and additions to the query only lead away from it.
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

/** Adds two lists of scores, each scaled to its highest score. `share` is the weight of the second. */
function mixScores(words: Float32Array, vectors: Float32Array, share: number): Float32Array {
  const wordFactor = (1 - share) / (findMax(words) || 1);
  const vectorFactor = share / (findMax(vectors) || 1);
  return words.map((score, chunk) => wordFactor * score + vectorFactor * Math.max(0, vectors[chunk]!));
}

function addFeedbackWords(
  words: readonly QueryWord[],
  scores: Float32Array,
  latent: LatentModel,
  { chunks, words: max, weight }: RankingWeights['feedback'],
): QueryWord[] {
  const best = findBestChunks(scores, chunks);
  const top = best.length === 0 ? 1 : scores[best[0]!]!;
  const distinctive = latent.findDistinctiveWords(
    best.map((chunk) => ({ chunk, share: scores[chunk]! / top })),
    max,
  );
  return addFeedback(words, distinctive, weight);
}

function findBestChunks(scores: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (let chunk = 0; chunk < scores.length; chunk++) {
    const score = scores[chunk]!;
    if (score <= 0 || (best.length === count && score <= scores[best.at(-1)!]!)) continue;
    let at = best.length < count ? best.push(chunk) - 1 : count - 1;
    for (; at > 0 && scores[best[at - 1]!]! < score; at--) best[at] = best[at - 1]!;
    best[at] = chunk;
  }
  return best;
}

/** Adds what is known about files: their kind, their history, whether the query names them. */
function weighFiles(
  query: Query,
  chunkScores: Float32Array,
  { facts, past, corpus }: RankingData,
  { allowed }: RankingRequest,
  weights: RankingWeights,
): FileScores {
  const { kinds } = facts;
  const byKind = weights.kinds[query.intent];
  const factors = Float64Array.from(fileKinds, (kind) => (facts.material === 'prose' ? 1 : byKind[kind]));
  const files = corpus.scoreFiles(chunkScores, {
    groups: kinds,
    factors,
    support: weights.support,
    allowed,
  });
  const { scores } = files;
  const scale = files.top || 1;
  const add = (file: number, share: number): void => {
    if (corpus.dead[file] === 1 || allowed?.[file] === 0) return;
    scores[file] = scores[file]! + share * scale * factors[kinds[file]!]!;
  };
  if (past !== null && weights.history > 0) {
    for (const [path, likeness] of past.scorePaths(query.words.map(({ stem }) => stem))) {
      const file = facts.findFile(path);
      if (file !== undefined) add(file, weights.history * likeness);
    }
  }
  if (weights.mention > 0) {
    const mentioned = findMentionedFiles(query.text, () => facts.endings);
    for (const [file, certainty] of mentioned) add(file, weights.mention * certainty);
  }
  return files;
}

function findMax(values: Float32Array): number {
  let max = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > max) max = values[i]!;
  return max;
}
