import { expect, test } from 'vitest';
import { byteCeiling, createLearnedCeiling } from './input-ceiling.ts';
import { madeTexts } from './made-texts.contract.ts';
import { countTokens } from './tokens.ts';

const code = madeTexts['code']!;
const input = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

test('reports that are far too high end no later run, and are forgotten with one that is true', () => {
  const ceiling = createLearnedCeiling('any');
  for (const seed of ['a', 'b', 'c']) ceiling.learn(input(code(seed)), 10 * code(seed).length);
  expect(ceiling.maxTokens(input(code('d')))).toBeLessThanOrEqual(byteCeiling(input(code('d'))) + 32_000);
  ceiling.learn(input(code('d')), countTokens(code('d')));
  expect(ceiling.maxTokens(input(code('e')))).toBeLessThanOrEqual(byteCeiling(input(code('e'))));
});
