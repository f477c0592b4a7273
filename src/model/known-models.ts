/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** A request whose input is longer than `over` tokens is billed as a whole at these prices. */
  readonly long?: { readonly over: number } & Omit<Price, 'long'>;
}

export interface KnownModel {
  readonly context: number;
  readonly maxOutput: number;
  readonly price: Price;
}

const price = (input: number, output: number, cacheRead: number, cacheWrite: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

/**
 * OpenAI's prices from GPT-6 on: with more than 272,000 input tokens, input costs twice and output 1.5 times as much.
 */
const priceWithLongInput = (input: number, output: number, cacheRead: number, cacheWrite: number): Price => ({
  ...price(input, output, cacheRead, cacheWrite),
  long: { over: 272_000, ...price(input * 2, output * 1.5, cacheRead * 2, cacheWrite * 2) },
});

const million = { context: 1_000_000, maxOutput: 128_000 };
const claude4 = { context: 200_000, maxOutput: 64_000 };
const gpt6 = { context: 1_050_000, maxOutput: 128_000 };
const gpt5 = { context: 400_000, maxOutput: 128_000 };
const gpt41 = { context: 1_047_576, maxOutput: 32_768 };
const gpt4o = { context: 128_000, maxOutput: 16_384 };

/**
 * Sizes in tokens and prices of well-known models, as their providers published them up to 2026-11-06; cache writes at
 * the shortest lifetime. A user's own table comes first. A model in neither table has an unknown price, never zero.
 */
export const knownModels: Readonly<Record<string, KnownModel>> = Object.freeze({
  'claude-fable-5-1': { ...million, price: price(10, 50, 0.25, 12.5) },
  'claude-opus-5-5': { ...million, price: price(4, 20, 0.2, 5) },
  'claude-opus-5': { ...million, price: price(5, 25, 0.5, 6.25) },
  'claude-opus-4-8': { ...million, price: price(5, 25, 0.5, 6.25) },
  'claude-opus-4-7': { ...million, price: price(5, 25, 0.5, 6.25) },
  'claude-opus-4-6': { ...million, price: price(5, 25, 0.5, 6.25) },
  'claude-opus-4-5': { ...claude4, price: price(5, 25, 0.5, 6.25) },
  'claude-sonnet-5-5': { ...million, price: price(2, 10, 0.1, 2.5) },
  'claude-sonnet-5': { ...million, price: price(2, 10, 0.2, 2.5) },
  'claude-sonnet-4-6': { ...million, price: price(3, 15, 0.3, 3.75) },
  'claude-sonnet-4-5': { ...claude4, price: price(3, 15, 0.3, 3.75) },
  'claude-haiku-5-5': {
    ...million,
    price: { ...price(0.1, 0.5, 0.01, 0.125), long: { over: 100_000, ...price(0.5, 2.5, 0.05, 0.625) } },
  },
  'claude-haiku-4-5': { ...claude4, price: price(1, 5, 0.1, 1.25) },
  'gpt-6-astra': { ...gpt6, price: priceWithLongInput(10, 50, 1, 12.5) },
  'gpt-6.1-sol': { ...gpt6, price: priceWithLongInput(2, 10, 0.1, 2.5) },
  'gpt-6.1-terra': { ...gpt6, price: priceWithLongInput(1, 5, 0.05, 1.25) },
  'gpt-6-sol': { ...gpt6, price: priceWithLongInput(2, 10, 0.2, 2.5) },
  'gpt-6-luna': { ...gpt6, price: priceWithLongInput(0.1, 0.5, 0.01, 0.125) },
  'gpt-5.4': { ...gpt5, price: price(2.5, 15, 0.25, 2.5) },
  'gpt-5.4-mini': { ...gpt5, price: price(0.75, 4.5, 0.075, 0.75) },
  'gpt-5.1': { ...gpt5, price: price(1.25, 10, 0.125, 1.25) },
  'gpt-5': { ...gpt5, price: price(1.25, 10, 0.125, 1.25) },
  'gpt-5-mini': { ...gpt5, price: price(0.25, 2, 0.025, 0.25) },
  'gpt-5-nano': { ...gpt5, price: price(0.05, 0.4, 0.005, 0.05) },
  'gpt-4.1': { ...gpt41, price: price(2, 8, 0.5, 2) },
  'gpt-4.1-mini': { ...gpt41, price: price(0.4, 1.6, 0.1, 0.4) },
  'gpt-4o': { ...gpt4o, price: price(2.5, 10, 1.25, 2.5) },
  'gpt-4o-mini': { ...gpt4o, price: price(0.15, 0.6, 0.075, 0.15) },
});

/** Sizes for unknown models, in tokens: small enough for the usual local server. */
export const unknownSizes = Object.freeze({ context: 32_768, maxOutput: 8_192 });

/** Removes date and vendor from an id: `claude-sonnet-4-5-20250929`, `gpt-5-2025-08-07`, `anthropic/claude-opus-5`. */
export function bareModelId(id: string): string {
  return id.replace(/^.*\//, '').replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}

export function findKnownModel(id: string): KnownModel | undefined {
  const bareId = bareModelId(id);
  return Object.hasOwn(knownModels, bareId) ? knownModels[bareId] : undefined;
}
