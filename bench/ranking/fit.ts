/** Linear weights under which what is wanted comes first: softmax within each group, by gradient. Small, and exact enough. */

export interface Group {
  /** By candidate, its traits in one order. */
  readonly rows: readonly (readonly number[])[];
  /** By candidate, whether it is wanted. */
  readonly wanted: readonly boolean[];
}

const steps = 300;
const rate = 0.03;
const decay = { first: 0.9, second: 0.999 };
const shrink = 0.01;

/** By trait; 0 where it is not among `kept`. */
export function learnWeights(groups: readonly Group[], kept: readonly number[]): number[] {
  const told = groups.filter(({ wanted }) => wanted.includes(true) && wanted.includes(false));
  const width = told[0]?.rows[0]?.length ?? 0;
  const scale = deviations(told, width);
  const used = Array.from({ length: width }, (_, trait) => kept.includes(trait));
  const weights = new Float64Array(width);
  const [first, second] = [new Float64Array(width), new Float64Array(width)];
  for (let step = 1; step <= steps; step += 1) {
    const slope = new Float64Array(width);
    for (const group of told) addSlope(group, weights, scale, slope);
    for (let trait = 0; trait < width; trait += 1) {
      if (!used[trait]) continue;
      const down = slope[trait]! / told.length + shrink * weights[trait]!;
      first[trait] = decay.first * first[trait]! + (1 - decay.first) * down;
      second[trait] = decay.second * second[trait]! + (1 - decay.second) * down * down;
      const mean = first[trait]! / (1 - decay.first ** step);
      const size = Math.sqrt(second[trait]! / (1 - decay.second ** step));
      weights[trait]! -= (rate * mean) / (size + 1e-8);
    }
  }
  return [...weights].map((weight, trait) => weight / scale[trait]!);
}

export const scoreOf = (row: readonly number[], weights: readonly number[]): number =>
  row.reduce((sum, value, trait) => sum + value * weights[trait]!, 0);

function deviations(groups: readonly Group[], width: number): number[] {
  const rows = groups.flatMap((group) => group.rows);
  return Array.from({ length: width }, (_, trait) => {
    const mean = rows.reduce((sum, row) => sum + row[trait]!, 0) / rows.length;
    return Math.sqrt(rows.reduce((sum, row) => sum + (row[trait]! - mean) ** 2, 0) / rows.length) + 1e-6;
  });
}

function addSlope(
  { rows, wanted }: Group,
  weights: Float64Array,
  scale: readonly number[],
  slope: Float64Array,
): void {
  const scores = rows.map((row) => row.reduce((sum, value, t) => sum + (value * weights[t]!) / scale[t]!, 0));
  const top = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - top));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const good = shares.reduce((sum, share, n) => sum + (wanted[n] ? share : 0), 0);
  for (const [n, row] of rows.entries()) {
    const pull = shares[n]! / all - (wanted[n] ? shares[n]! / good : 0);
    if (Math.abs(pull) > 1e-9)
      for (let t = 0; t < row.length; t += 1) slope[t]! += (pull * row[t]!) / scale[t]!;
  }
}

/** Mean of differences, and what 95 of 100 draws from them lie between; the same draws each time. */
export function interval(values: readonly number[]): { mean: number; low: number; high: number } {
  let seed = 1;
  const draw = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const means = Array.from({ length: 1_000 }, () =>
    mean(values.map(() => values[Math.floor(draw() * values.length)]!)),
  ).sort((a, b) => a - b);
  return { mean: mean(values), low: means[25]!, high: means[974]! };
}
