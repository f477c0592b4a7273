import { findKnownModel, knownModels, type Price } from './known-models.ts';
import type { Model, Usage } from './model.ts';

/** A user's own prices, by model as written (`openai-compatible:my-model`) or by its id alone (`my-model`). */
export type Prices = Readonly<Record<string, Price>>;

/**
 * The price of a call. `known`: from the user's prices or the table. `free`: a server on this machine, or of a kind
 * that people run themselves (ollama, lmstudio, vllm). `unknown`: all others. These are reserved and settled at the
 * highest price in the table, so that a limit in dollars still holds, and are shown as unknown.
 */
export interface Cost {
  readonly kind: 'known' | 'free' | 'unknown';
  readonly price: Price;
}

const freePrice: Price = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

const mostExpensive: Price = Object.values(knownModels)
  .map((model) => model.price)
  .reduce((a, b) => (b.output > a.output ? b : a));

/** Uses the user's prices first, then the table of known models. A local model in neither is free. */
export function costOf(model: Pick<Model, 'name' | 'local'>, prices: Prices = {}): Cost {
  const id = model.name.slice(model.name.indexOf(':') + 1);
  for (const name of [model.name, id]) {
    const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
    if (price) return { kind: 'known', price: price };
  }
  if (unbilledProviders.has(providerOf(model.name))) return { kind: 'free', price: freePrice };
  const knownModel = findKnownModel(id);
  if (knownModel) return { kind: 'known', price: knownModel.price };
  return model.local ? { kind: 'free', price: freePrice } : { kind: 'unknown', price: mostExpensive };
}

/** Never billed by the token, whatever the model is called. */
const unbilledProviders: ReadonlySet<string> = new Set(['scripted', 'extractive']);

function providerOf(name: string): string {
  return name.split(':', 1)[0] ?? name;
}

/** The cost in US dollars. Cached parts of the input are billed at their own prices. */
export function usdOf(usage: Usage, price: Price): number {
  const rates = price.long && usage.input > price.long.over ? price.long : price;
  const uncached = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const dollars =
    uncached * rates.input +
    usage.cacheRead * rates.cacheRead +
    usage.cacheWrite * rates.cacheWrite +
    usage.output * rates.output;
  return dollars / 1_000_000;
}
