import { expect, test } from 'vitest';
import { knownModels } from './known-models.ts';
import { costOf, usdOf } from './prices.ts';

const usage = { input: 100_000, output: 1_000, cacheRead: 60_000, cacheWrite: 20_000, estimated: false };
const own = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1 };

test.each([
  ['anthropic:claude-sonnet-5-5', false, {}, 'known', 2],
  ['anthropic:claude-sonnet-4-5-20250929', false, {}, 'known', 3],
  ['openai-compatible:anthropic/claude-opus-5', false, {}, 'known', 5],
  ['openai:gpt-5-2025-08-07', false, {}, 'known', 1.25],
  ['openai:gpt-99', false, {}, 'unknown', 10],
  ['openai:gpt-99', false, { 'gpt-99': own }, 'known', 1],
  ['openai:gpt-5', false, { 'openai:gpt-5': own }, 'known', 1],
  ['openai-compatible:toString', false, {}, 'unknown', 10],
  ['ollama:llama', true, {}, 'free', 0],
  ['openai-compatible:mine', true, { mine: own }, 'known', 1],
  ['scripted:gpt-5', true, {}, 'free', 0],
  ['claude-cli', false, {}, 'unknown', 10],
  ['mcp', false, {}, 'unknown', 10],
] as const)('%s, local %s, own prices %j: %s', (name, local, prices, kind, input) => {
  expect(costOf({ name, local }, prices)).toMatchObject({ kind, price: { input } });
});

test('cached parts of the input have prices of their own', () => {
  // 20,000 fresh at 2, 60,000 read at 0.1, 20,000 written at 2.5, 1,000 out at 10, a million each.
  expect(usdOf(usage, knownModels['claude-sonnet-5-5']!.price)).toBeCloseTo(0.04 + 0.006 + 0.05 + 0.01, 12);
});

test('a long input changes the price of the whole request', () => {
  const { price } = knownModels['claude-haiku-5-5']!;
  const flat = { ...usage, cacheRead: 0, cacheWrite: 0, output: 0 };
  expect(usdOf(flat, price)).toBeCloseTo(0.01, 12);
  expect(usdOf({ ...flat, input: 100_001 }, price)).toBeCloseTo(0.0500005, 12);
});

test('every row of the table is whole', () => {
  for (const [name, { context, maxOutput, price }] of Object.entries(knownModels)) {
    expect(context, name).toBeGreaterThan(maxOutput);
    expect(price.output, name).toBeGreaterThan(price.input);
    expect(price.cacheRead, name).toBeLessThan(price.input);
    expect(price.cacheWrite, name).toBeGreaterThanOrEqual(price.input);
  }
});
