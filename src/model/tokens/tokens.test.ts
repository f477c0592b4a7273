import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { createTokenCounter, type RankTable } from './bpe.ts';
import { countTokens, estimateTokens, tokenizer } from './tokens.ts';

test.each([
  ['', 0],
  ['hello world', 2],
  ['tiktoken is great!', 6],
  ['<|endoftext|>', 7],
  ['お誕生日おめでとう', 8],
] as const)(`${tokenizer} counts %j as %i`, (text, tokens) => {
  expect(countTokens(text)).toBe(tokens);
});

test('runs that would take the library minutes are counted in slices', () => {
  expect(countTokens('a'.repeat(20_000))).toBeGreaterThan(2_000);
  expect(countTokens(' '.repeat(20_000))).toBeGreaterThan(20);
  const words = 'const total = items.reduce((sum, item) => sum + item.price, 0);\n'.repeat(50);
  expect(countTokens(words)).toBe(50 * countTokens(words.slice(0, words.indexOf('\n') + 1)));
});

test('an estimate of code and prose is not below the count', () => {
  for (const text of [
    'export function estimate(text: string): number { return Math.ceil(text.length / 3); }',
    'The pool is never overspent, and its end is an answer marked partial, never an exception.',
  ])
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
});

test('what a look through the table finds gives the counts of the whole table', () => {
  const table = createRequire(import.meta.url)('js-tiktoken/ranks/o200k_base') as RankTable & {
    default?: RankTable;
  };
  const whole = createTokenCounter(table.default ?? table);
  // More than is looked for: the whole table is read.
  whole(Array.from({ length: 9_000 }, (_, n) => `word${n}ing`).join(' '));
  const looks = createTokenCounter(table.default ?? table);
  for (const text of [
    'function quickCount(text: string): number {\n\treturn 1;\n}',
    'antidisestablishmentarianism ß 配送は',
    'x = a.b ?? "…";',
  ])
    expect(looks(text)).toBe(whole(text));
});
