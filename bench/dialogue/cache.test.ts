import { expect, it } from 'vitest';
import { anthropicCache, type Block, openAiCache } from './cache.ts';
import { tokensOf } from './tokens.ts';

/** A text of so many tokens: another one for each word. */
const text = (tokens: number, word = 'the'): string => ` ${word}`.repeat(tokens);

const block = (tokens: number, { word = 'the', mark = false, level = 'messages' as Block['level'] } = {}) => {
  const said = text(tokens, word);
  return { level, text: said, key: said, mark };
};

const marked = { mark: true };
const minute = 60_000;

it('texts of these tests have the tokens that they are said to have', () => {
  for (const word of ['the', 'for', 'and', 'not']) expect(tokensOf(text(1024, word))).toBe(1024);
});

it('Anthropic: what is marked is written at 1.25 and read at 0.1, what follows costs the whole price', () => {
  const call = anthropicCache();
  const head = block(2000, { ...marked, level: 'system' });
  expect(call([head, block(500, { word: 'for' })], 0)).toEqual({
    input: 2500,
    read: 0,
    write: 2000,
    billed: 3000,
  });
  expect(call([head, block(600, { word: 'and' })], minute)).toEqual({
    input: 2600,
    read: 2000,
    write: 0,
    billed: 800,
  });
});

it('Anthropic: a mark that moves on reads up to the old one and writes the rest', () => {
  const call = anthropicCache();
  call([block(2000, marked)], 0);
  const grown = [block(2000), block(300, { word: 'for' }), block(200, { ...marked, word: 'and' })];
  expect(call(grown, minute)).toEqual({ input: 2500, read: 2000, write: 500, billed: 825 });
});

it('Anthropic: without a mark nothing is kept', () => {
  const call = anthropicCache();
  call([block(3000)], 0);
  expect(call([block(3000)], 0)).toEqual({ input: 3000, read: 0, write: 0, billed: 3000 });
});

it.each([
  [1023, undefined, 0],
  [1024, undefined, 1024],
  [4095, 4096, 0],
  [4096, 4096, 4096],
])('Anthropic: a prefix of %i tokens where the minimum is %s reads %i', (tokens, minimum, read) => {
  const call = anthropicCache(minimum === undefined ? {} : { minimum });
  call([block(tokens, marked)], 0);
  expect(call([block(tokens, marked)], 0).read).toBe(read);
});

it.each([
  [19, 2000],
  [20, 0],
])('Anthropic: with %i blocks since the last mark it reads %i', (fresh, read) => {
  const call = anthropicCache();
  call([block(2000, marked)], 0);
  const added = Array.from({ length: fresh }, (_, n) => block(10, { word: 'for', mark: n === fresh - 1 }));
  expect(call([block(2000), ...added], 0).read).toBe(read);
});

it('Anthropic: a second mark further up bridges what the first one does not reach', () => {
  const call = anthropicCache();
  call([block(2000, marked)], 0);
  const added = Array.from({ length: 25 }, (_, n) => block(10, { word: 'for', mark: n === 9 || n === 24 }));
  expect(call([block(2000), ...added], 0)).toMatchObject({ read: 2000, write: 250 });
});

it('Anthropic: what changes above a mark loses all that follows', () => {
  const call = anthropicCache();
  const conversation = block(2000, marked);
  call([block(10, { word: 'for', level: 'system' }), conversation], 0);
  expect(call([block(10, { word: 'and', level: 'system' }), conversation], 0).read).toBe(0);
});

it('Anthropic: kept for five minutes since the last use', () => {
  const call = anthropicCache();
  const once = () => [block(2000, marked)];
  call(once(), 0);
  expect(call(once(), 5 * minute).read).toBe(2000);
  expect(call(once(), 10 * minute).read).toBe(2000);
  expect(call(once(), 15 * minute + 1).read).toBe(0);
});

it('Anthropic: four marks are taken, five are refused', () => {
  const marks = (count: number) => Array.from({ length: count }, () => block(10, marked));
  expect(anthropicCache()(marks(4), 0).input).toBe(40);
  expect(() => anthropicCache()(marks(5), 0)).toThrow('5 marks, at most 4 are taken');
});

it('OpenAI: the common beginning is read in steps of 128', () => {
  const call = openAiCache();
  call([block(2000), block(100, { word: 'for' })], 0);
  const reply = call([block(2000), block(200, { word: 'and' })], minute);
  // 15 steps of 128 are 1,920; 280 remain.
  expect(reply).toEqual({ input: 2200, read: 1920, write: 0, billed: 280 + 192 });
});

it.each([
  [1023, 0],
  [1024, 1024],
  [1151, 1024],
  [1152, 1152],
])('OpenAI: of %i common tokens it reads %i', (common, read) => {
  const call = openAiCache();
  call([block(common), block(500, { word: 'for' })], 0);
  expect(call([block(common), block(500, { word: 'and' })], 0).read).toBe(read);
});

it('OpenAI: one token that changes in front loses everything', () => {
  const call = openAiCache();
  call([block(1, { word: 'for' }), block(4000)], 0);
  expect(call([block(1, { word: 'and' }), block(4000)], 0).read).toBe(0);
});

it('OpenAI: the longest of several kept beginnings is read', () => {
  const call = openAiCache();
  call([block(1280), block(1280, { word: 'for' })], 0);
  call([block(1280), block(1280, { word: 'and' })], 0);
  expect(call([block(1280), block(1280, { word: 'for' }), block(10, { word: 'not' })], 0).read).toBe(2560);
});

it('OpenAI: kept for five minutes since the last use', () => {
  const call = openAiCache();
  call([block(1280)], 0);
  expect(call([block(1280), block(10, { word: 'for' })], 5 * minute).read).toBe(1280);
  expect(call([block(1280), block(10, { word: 'and' })], 10 * minute + 1).read).toBe(0);
});
