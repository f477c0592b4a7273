/** Means with their confidence intervals. The random draws have a fixed seed: the same rows give the same figures. */

export interface Estimate {
  readonly n: number;
  readonly mean: number;
  /** The interval of 95 %. */
  readonly low: number;
  readonly high: number;
}

const draws = 2_000;
const z = 1.959964;

/**
 * Null if there are no values. `yesOrNo`: every value is 1 or 0, and the interval is Wilson's; otherwise it is a
 * bootstrap interval.
 */
export function estimate(values: readonly number[], { yesOrNo = false } = {}): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const mean = average(values);
  if (yesOrNo) {
    const middle = (mean + (z * z) / (2 * n)) / (1 + (z * z) / n);
    const half = (z / (1 + (z * z) / n)) * Math.sqrt((mean * (1 - mean)) / n + (z * z) / (4 * n * n));
    return { n, mean, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
  }
  return { n, mean, ...interval(values) };
}

/** The mean of the differences between two answers to the same question. */
export function estimateDifference(differences: readonly number[]): Estimate | null {
  const n = differences.length;
  return n === 0 ? null : { n, mean: average(differences), ...interval(differences) };
}

function interval(values: readonly number[]): Pick<Estimate, 'low' | 'high'> {
  const next = seededRandom(values.length);
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let n = 0; n < values.length; n += 1) sum += values[Math.floor(next() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return { low: means[Math.floor(draws * 0.025)]!, high: means[Math.ceil(draws * 0.975) - 1]! };
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A random generator (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed + 0x6d2b79f5;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
