/**
 * The traits of passages, and their weights. `bench/learn-ranking.ts` learned the weights from commits of the
 * repositories in `bench/ranking/repositories.json`. Traits that did not improve the ranking of the test half were
 * removed.
 */

/**
 * Features of a passage. Tried without gain: the lines around it, the share of lines with conditions, the length of its
 * piece, whether the piece contains other pieces. Not tried: imports and the head of a file, since they change often
 * and answer no question.
 */
export interface PassageTraits {
  /** The score of the query's words in the passage, divided by the best such score in the file. */
  readonly own: number;
  /** The score of the piece that contains the passage, divided by the best score of a piece in the file. */
  readonly piece: number;
  /** The share of the query that the piece contains. */
  readonly coverage: number;
  /** The share of the lines of the passage that are in the span that the search found. */
  readonly found: number;
  /** The share of its lines that are code; `comments`: the share that are comments. */
  readonly code: number;
  readonly comments: number;
  /** 1 if it is in a definition, else 0. */
  readonly defined: number;
  /** The share of the query in the name of the definition, times 3, at most 1. */
  readonly name: number;
  /** Its number of lines, divided by 20. */
  readonly length: number;
}

export const traitWeights: Readonly<Record<keyof PassageTraits, number>> = {
  own: 1.9,
  piece: 0.59,
  coverage: 4.08,
  found: 0.8,
  code: -0.36,
  comments: -1.88,
  defined: -0.56,
  name: 1.91,
  length: 3.82,
};

export function scoreTraits(traits: PassageTraits): number {
  let sum = 0;
  for (const name of Object.keys(traitWeights) as (keyof PassageTraits)[])
    sum += traits[name] * traitWeights[name];
  return sum;
}
