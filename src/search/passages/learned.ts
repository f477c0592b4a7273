/**
 * Weights that were learned, by `bench/learn-ranking.ts`, on the commits of the repositories in
 * `bench/ranking/repositories.json`. A trait that gained nothing on the half that was held back is not here.
 */

/**
 * Traits of a few lines of a file. Tried without gain, and so left out: the lines around, lines that decide, the
 * length of the piece, whether it holds others. Not tried: imports and the head of a file, which change often and
 * answer nothing.
 */
export interface PassageTraits {
  /** The query's words in it, against the most in the file. */
  readonly own: number;
  /** The piece that it is a part of, against the file's best; the share of the query that this holds. */
  readonly piece: number;
  readonly coverage: number;
  /** The share of it in the span that the search found. */
  readonly found: number;
  /** Shares of its lines. */
  readonly code: number;
  readonly comments: number;
  /** 1 within a definition. */
  readonly defined: number;
  /** The query's words in the name of the definition. */
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
