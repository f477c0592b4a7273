/** What is measured of a ranked list, and how sure a difference is. */

export interface Measured {
  readonly r1: number;
  readonly r10: number;
  readonly r200: number;
  readonly ndcg: number;
}

/** `ranked`: distinct paths, best first. */
export function measure(ranked: readonly string[], gold: ReadonlySet<string>): Measured {
  const recall = (k: number): number =>
    ranked.slice(0, k).filter((path) => gold.has(path)).length / gold.size;
  let dcg = 0;
  let ideal = 0;
  for (let rank = 0; rank < 10; rank++) {
    const gain = 1 / Math.log2(rank + 2);
    if (rank < gold.size) ideal += gain;
    if (rank < ranked.length && gold.has(ranked[rank]!)) dcg += gain;
  }
  return { r1: recall(1), r10: recall(10), r200: recall(200), ndcg: dcg / ideal };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

const resamples = 2_000;

/** The middle 95 % of the mean of `values` over resamples with replacement; the same for the same values. */
export function interval(values: readonly number[]): readonly [low: number, high: number] {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const means = Array.from({ length: resamples }, () =>
    mean(values.map(() => values[Math.floor(next() * values.length)]!)),
  ).sort((one, two) => one - two);
  return [means[Math.floor(resamples * 0.025)]!, means[Math.floor(resamples * 0.975)]!];
}

/** `.427`, `1.000`. */
export function decimals(value: number): string {
  return value.toFixed(3).replace(/^0/, '').replace(/^-0/, '-');
}

export function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${decimals(value)}`;
}
