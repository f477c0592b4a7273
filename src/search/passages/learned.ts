/**
 * Weights that were learned, by `bench/learn-ranking.ts`, on the commits of the repositories in
 * `bench/ranking/repositories.json`. A trait without gain on the held-out half was removed.
 */

/**
 * Features of a passage. Tried without gain: the lines around it, the share of lines with conditions, the length of its
 * piece, whether the piece contains others. Not tried: imports and the head of a file, which change often and answer
 * nothing.
 */
export interface PassageTraits {
  /** The score of the query's words in it, divided by the best score in the file. */
  readonly own: number;
  /** The score of its piece, divided by the best in the file. */
  readonly piece: number;
  /** The share of the query that its piece contains. */
  readonly coverage: number;
  /** The share of its lines in the span that the search found. */
  readonly found: number;
  /** The shares of its lines that are code, and comments. */
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
