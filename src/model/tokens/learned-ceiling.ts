/**
 * The most tokens that a text can take with a tokenizer that is not at hand: a token a byte, less what
 * similar texts were reported to take. Tokens are taken to be a sum over the kinds of bytes in a text, each
 * at a rate that is unknown but never above one. So if a text holds no more of any kind than a multiple of
 * one that was counted, it takes no more than that multiple of its tokens; the rest counts in full. A text
 * unlike all before it (identifiers after prose, Amharic after code) stays at a token a byte until a similar
 * one was counted.
 */
import type { Shape } from './text-shape.ts';

/** A request and the input tokens that were reported of it. */
export interface Counted {
  readonly shape: readonly (readonly [kind: number, amount: number])[];
  readonly tokens: number;
}

/** What is kept of a model, the latest last. */
export type Learned = readonly Counted[];

/** Enough for the pages of several kinds of runs. */
const maxKept = 48;
/** What texts of the same make-up differ by. */
const margin = 1.08;
/** Together the multiples rarely need more. */
const maxParts = 4;

/** A ceiling for a text of `shape`; `rates` gives the most tokens of a kind. */
export function ceilingOf(shape: Shape, rates: (kind: number) => number, learned: Learned): number {
  const full = sumOf(shape, rates);
  return Math.ceil(Math.min(full, cover(shape, rates, learned).tokens * margin));
}

function sumOf(shape: Shape, rates: (kind: number) => number): number {
  let sum = 0;
  for (const [kind, amount] of shape) sum += amount * rates(kind);
  return sum;
}

interface Cover {
  readonly tokens: number;
  /** Which of the learned it rests on. */
  readonly used: ReadonlySet<Counted>;
}

/** The cheapest multiples of what was counted that cover the shape, found one at a time. */
function cover(shape: Shape, rates: (kind: number) => number, learned: Learned): Cover {
  let rest = shape;
  let tokens = 0;
  const used = new Set<Counted>();
  for (let part = 0; part < maxParts; part += 1) {
    let best: { readonly counted: Counted; readonly times: number; readonly cost: number } | null = null;
    for (const counted of learned) {
      const found = multiple(rest, rates, counted);
      if (found !== null && (best === null || found.cost < best.cost)) best = { counted, ...found };
    }
    if (best === null) break;
    tokens += best.times * best.counted.tokens;
    rest = without(rest, best.counted, best.times);
    used.add(best.counted);
  }
  return { tokens: tokens + sumOf(rest, rates), used };
}

/** How often one that was counted is best taken: what that costs with all that is left over. Null: not at all. */
function multiple(
  rest: Shape,
  rates: (kind: number) => number,
  { shape, tokens }: Counted,
): { readonly times: number; readonly cost: number } | null {
  const full = sumOf(rest, rates);
  const ends = shape
    .filter(([kind, amount]) => amount > 0 && (rest.get(kind) ?? 0) > 0)
    .map(([kind, amount]) => ({ at: (rest.get(kind) ?? 0) / amount, saves: amount * rates(kind) }))
    .sort((a, b) => a.at - b.at);
  // Each kind saves its rate until all of it is covered; it pays while together they save more than it costs.
  let saving = ends.reduce((sum, { saves }) => sum + saves, 0);
  let cost = full;
  let times = 0;
  for (const { at, saves } of ends) {
    if (saving <= tokens) break;
    cost -= (at - times) * (saving - tokens);
    times = at;
    saving -= saves;
  }
  return times > 0 && cost < full * 0.999 ? { times, cost } : null;
}

function without(shape: Shape, { shape: taken }: Counted, times: number): Shape {
  const left = new Map(shape);
  for (const [kind, amount] of taken) {
    const rest = (left.get(kind) ?? 0) - amount * times;
    if (rest > 0) left.set(kind, rest);
    else left.delete(kind);
  }
  return left;
}

/** What is known after `tokens` were reported of `shape`; the same value where it says nothing new. */
export function learn(
  shape: Shape,
  tokens: number,
  rates: (kind: number) => number,
  learned: Learned,
): Learned {
  const { tokens: expected, used } = cover(shape, rates, learned);
  if (tokens > expected * 0.95 && tokens <= expected) return learned;
  // Above its ceiling: the earlier counts were of texts that are cheaper than their make-up says.
  const known =
    tokens > expected
      ? learned.map((one) =>
          used.has(one)
            ? { ...one, tokens: Math.min(one.tokens * (tokens / expected), fullOf(one, rates)) }
            : one,
        )
      : learned;
  return Object.freeze([...known, { shape: [...shape], tokens }].slice(-maxKept));
}

function fullOf({ shape, tokens }: Counted, rates: (kind: number) => number): number {
  return Math.max(tokens, sumOf(new Map(shape), rates));
}
