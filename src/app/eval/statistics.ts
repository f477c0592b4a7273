/** Means with their confidence intervals. The random draws have a fixed seed: the same rows give the same figures. */

export interface Estimate {
  readonly n: number;
  readonly mean: number;
  /** The bounds of the 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
}

const resamples = 2_000;
const z95 = 1.959964;

/**
 * Null if there are no values. `yesOrNo`: every value is 1 or 0, and the interval is Wilson's; otherwise it is a
 * bootstrap interval.
 */
export function estimate(values: readonly number[], { yesOrNo = false } = {}): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const mean = average(values);
  if (yesOrNo) {
    const center = (mean + (z95 * z95) / (2 * n)) / (1 + (z95 * z95) / n);
    const halfWidth =
      (z95 / (1 + (z95 * z95) / n)) * Math.sqrt((mean * (1 - mean)) / n + (z95 * z95) / (4 * n * n));
    return { n, mean, low: Math.max(0, center - halfWidth), high: Math.min(1, center + halfWidth) };
  }
  return { n, mean, ...bootstrapInterval(values) };
}

/** The mean of the differences between two answers to the same question. */
export function estimateDifference(differences: readonly number[]): Estimate | null {
  const n = differences.length;
  return n === 0 ? null : { n, mean: average(differences), ...bootstrapInterval(differences) };
}

function bootstrapInterval(values: readonly number[]): Pick<Estimate, 'low' | 'high'> {
  const random = createSeededRandom(values.length);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let n = 0; n < values.length; n += 1) sum += values[Math.floor(random() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return { low: means[Math.floor(resamples * 0.025)]!, high: means[Math.ceil(resamples * 0.975) - 1]! };
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A random generator (mulberry32). */
function createSeededRandom(seed: number): () => number {
  let state = seed + 0x6d2b79f5;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
