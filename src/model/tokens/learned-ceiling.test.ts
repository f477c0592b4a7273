import { describe, expect, test } from 'vitest';
import { byteCeiling, createCountedCeiling, createLearnedCeiling, hasTokenizer } from './input-ceiling.ts';
import { createSeededBytes, madeTexts } from './made-texts.contract.ts';
import { countTokens } from './tokens.ts';

const texts = madeTexts;
const code = madeTexts['code']!;

const input = (text: string) => ({ messages: [{ role: 'user' as const, text }] });
/** Tokenizers of very different kinds. */
const tokenizers: Readonly<Record<string, (text: string) => number>> = {
  o200k: countTokens,
  'a digit is a token': (text) => countTokens(text.replace(/\d/g, '')) + (text.match(/\d/g)?.length ?? 0),
  'two characters are a token': (text) => Math.ceil(text.length / 2),
  'a byte is a token': (text) => Buffer.byteLength(text),
};

describe.each(Object.entries(tokenizers))('where %s', (_name, count) => {
  test('no text is ever above the ceiling, whatever came before it, and what is known is close', () => {
    const order = Object.values(texts);
    const ceiling = createLearnedCeiling('any');
    const shares: number[] = [];
    for (let n = 0; n < 64; n += 1) {
      const kind = order[createSeededBytes(`kind ${n}`, 1)[0]! % order.length]!;
      const asked = input(`${code('the same head').slice(0, 2_000)}\n${kind(`text ${n}`)}`);
      const tokens = count(asked.messages[0]!.text);
      expect(tokens).toBeLessThanOrEqual(ceiling.maxTokens(asked));
      if (n >= 48) shares.push(tokens / ceiling.maxTokens(asked));
      ceiling.learn(asked, tokens);
    }
    expect(shares.sort((a, b) => a - b)[shares.length >> 1]).toBeGreaterThan(0.8);
  });
});

test.each(Object.entries(texts))('%s begin at a token a byte, though code is known', (name, text) => {
  const ceiling = createLearnedCeiling('any');
  for (const seed of ['a', 'b', 'c']) ceiling.learn(input(code(seed)), countTokens(code(seed)));
  const asked = input(text('x'));
  if (name === 'code') expect(ceiling.maxTokens(asked)).toBeLessThan(byteCeiling(asked) / 2);
  else expect(ceiling.maxTokens(asked)).toBeGreaterThanOrEqual(countTokens(text('x')));
});

test('what was learned is kept, and a damaged file is as none', () => {
  const kept = new Map<string, unknown>();
  const store = {
    load: (model: string) => kept.get(model),
    save: (model: string, value: unknown) => kept.set(model, JSON.parse(JSON.stringify(value))),
  };
  const asked = input(code('a'));
  createLearnedCeiling('m', store).learn(asked, countTokens(code('a')));
  expect(createLearnedCeiling('m', store).maxTokens(asked)).toBeLessThan(byteCeiling(asked) / 2);
  for (const damaged of [
    null,
    5,
    'x',
    [1],
    [{ shape: 5, tokens: 1 }],
    [{ shape: [[1, null]], tokens: 1 }],
    { factor: 'x' },
  ]) {
    kept.set('m', damaged);
    expect(createLearnedCeiling('m', store).maxTokens(asked)).toBe(byteCeiling(asked));
    expect(createCountedCeiling('m', store).maxTokens(asked)).toBeGreaterThan(0);
  }
});

test('a text that the provider puts before each request is learned, whatever the next one is', () => {
  const ceiling = createLearnedCeiling('any');
  ceiling.learn(input('hello there'), 9_000);
  for (const text of ['hi', code('a'), texts['UUIDs']!('x')])
    expect(ceiling.maxTokens(input(text))).toBeGreaterThanOrEqual(8_900 + countTokens(text));
});

test('a report of next to nothing is not believed', () => {
  const ceiling = createLearnedCeiling('any');
  ceiling.learn(input(code('a')), 1);
  expect(ceiling.maxTokens(input(code('a')))).toBe(byteCeiling(input(code('a'))));
});

test('the schema and each message count', () => {
  const ceiling = createLearnedCeiling('any');
  const bare = ceiling.maxTokens(input('x'));
  const json = { type: 'object', properties: { animal: { type: 'string' } } };
  expect(ceiling.maxTokens({ ...input('x'), schema: { name: 'box', json } })).toBeGreaterThan(
    bare + JSON.stringify(json).length,
  );
  expect(ceiling.maxTokens({ messages: [...input('x').messages, ...input('x').messages] })).toBeGreaterThan(
    bare + 1,
  );
});

test("OpenAI's models are counted by their own tokenizer, and by more where they report more", () => {
  expect(['gpt-6.1-sol', 'gpt-4o-2024-08-06', 'openai/gpt-5', 'o3'].map(hasTokenizer)).not.toContain(false);
  expect(['gpt-4-turbo', 'claude-opus-5', 'llama-3', 'gpt-oss:20b'].map(hasTokenizer)).not.toContain(true);
  const ceiling = createCountedCeiling('any');
  const asked = input(texts['UUIDs']!('x'));
  const tokens = countTokens(asked.messages[0]!.text);
  expect(ceiling.maxTokens(asked)).toBeGreaterThan(tokens);
  expect(ceiling.maxTokens(asked)).toBeLessThan(tokens * 1.02 + 100);
  ceiling.learn(asked, tokens * 1.3);
  expect(ceiling.maxTokens(input(texts['CSV']!('x')))).toBeGreaterThan(
    countTokens(texts['CSV']!('x')) * 1.29,
  );
});
