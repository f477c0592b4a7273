/**
 * An upper bound of the tokens of a text, for an unknown tokenizer: one token per byte, or less if similar texts were
 * reported to take fewer. Tokens are modelled as a sum over the kinds of bytes in a text, each at an unknown rate of at
 * most one. If a text holds no more of any kind than a multiple of a counted text, it takes no more than that multiple
 * of its tokens; the rest counts in full. A text unlike all before it (identifiers after prose, Amharic after code)
 * stays at one token per byte until a similar one was counted.
 */
import type { ByteCounts } from './text-shape.ts';

/** A request and the input tokens that were reported of it. */
export interface TokenSample {
  readonly shape: readonly (readonly [kind: number, amount: number])[];
  readonly tokens: number;
}

/** Texts of one model whose tokens were counted, the latest last. */
export type TokenSamples = readonly TokenSample[];

/** Enough for the pages of several kinds of runs. */
const maxSamples = 48;
/** The safety factor for texts of the same composition. */
const safetyFactor = 1.08;
/** A cover rarely needs more counted texts than this. */
const maxParts = 4;

/** A ceiling for a text of `shape`; `rates` gives the most tokens of a kind. */
export function ceilingOf(shape: ByteCounts, rates: (kind: number) => number, learned: TokenSamples): number {
  const fullTokens = sumOf(shape, rates);
  return Math.ceil(Math.min(fullTokens, findCover(shape, rates, learned).tokens * safetyFactor));
}

function sumOf(shape: ByteCounts, rates: (kind: number) => number): number {
  let sum = 0;
  for (const [kind, amount] of shape) sum += amount * rates(kind);
  return sum;
}

interface Cover {
  readonly tokens: number;
  /** The counted texts in the cover. */
  readonly used: ReadonlySet<TokenSample>;
}

/** Covers the shape with multiples of counted texts, each time the cheapest one. */
function findCover(shape: ByteCounts, rates: (kind: number) => number, learned: TokenSamples): Cover {
  let restCounts = shape;
  let tokens = 0;
  const used = new Set<TokenSample>();
  for (let part = 0; part < maxParts; part += 1) {
    let best: { readonly counted: TokenSample; readonly times: number; readonly cost: number } | null = null;
    for (const sample of learned) {
      const found = findBestMultiple(restCounts, rates, sample);
      if (found !== null && (best === null || found.cost < best.cost)) best = { counted: sample, ...found };
    }
    if (best === null) break;
    tokens += best.times * best.counted.tokens;
    restCounts = subtract(restCounts, best.counted, best.times);
    used.add(best.counted);
  }
  return { tokens: tokens + sumOf(restCounts, rates), used };
}

/** The best multiple of one counted text, and the total cost with the rest counted in full. Null: it saves nothing. */
function findBestMultiple(
  restCounts: ByteCounts,
  rates: (kind: number) => number,
  { shape, tokens }: TokenSample,
): { readonly times: number; readonly cost: number } | null {
  const fullTokens = sumOf(restCounts, rates);
  const limits = shape
    .filter(([kind, amount]) => amount > 0 && (restCounts.get(kind) ?? 0) > 0)
    .map(([kind, amount]) => ({ at: (restCounts.get(kind) ?? 0) / amount, saves: amount * rates(kind) }))
    .sort((a, b) => a.at - b.at);
  // A kind saves tokens until all of it is covered. A larger multiple pays as long as the kinds together save more
  // than it costs.
  let saving = limits.reduce((sum, { saves }) => sum + saves, 0);
  let cost = fullTokens;
  let times = 0;
  for (const { at, saves } of limits) {
    if (saving <= tokens) break;
    cost -= (at - times) * (saving - tokens);
    times = at;
    saving -= saves;
  }
  return times > 0 && cost < fullTokens * 0.999 ? { times, cost } : null;
}

function subtract(shape: ByteCounts, { shape: sampleShape }: TokenSample, times: number): ByteCounts {
  const remaining = new Map(shape);
  for (const [kind, amount] of sampleShape) {
    const amountLeft = (remaining.get(kind) ?? 0) - amount * times;
    if (amountLeft > 0) remaining.set(kind, amountLeft);
    else remaining.delete(kind);
  }
  return remaining;
}

/** Adds a report to the counted texts; returns the same value if the report adds nothing. */
export function addSample(
  shape: ByteCounts,
  tokens: number,
  rates: (kind: number) => number,
  learned: TokenSamples,
): TokenSamples {
  const { tokens: expected, used } = findCover(shape, rates, learned);
  if (tokens > expected * 0.95 && tokens <= expected) return learned;
  // The text took more than its ceiling, so the texts of its cover were too cheap for their kinds: raises their
  // counts.
  const tokenSamples =
    tokens > expected
      ? learned.map((tokenSample) =>
          used.has(tokenSample)
            ? {
                ...tokenSample,
                tokens: Math.min(tokenSample.tokens * (tokens / expected), maxTokensOf(tokenSample, rates)),
              }
            : tokenSample,
        )
      : learned;
  return Object.freeze([...tokenSamples, { shape: [...shape], tokens }].slice(-maxSamples));
}

function maxTokensOf({ shape, tokens }: TokenSample, rates: (kind: number) => number): number {
  return Math.max(tokens, sumOf(new Map(shape), rates));
}
