import { describe, expect, test } from 'vitest';
import { classifyIntent } from './intent.ts';
import { parseQuery } from './query.ts';
import { createTermGroups } from './term-groups.ts';
import { rankingWeights } from './weights.ts';

describe('intent', () => {
  const check = (query: string, expected: string) =>
    test(query.slice(0, 40), () => expect(classifyIntent(query)).toBe(expected));

  check('How are failed deliveries retried?', 'question');
  check('where is the retry limit set', 'question');
  check('retry limit', 'keywords');
  check('fix: retries are lost\n\nThe queue drops them when the worker stops.', 'report');
  check(`The worker ${'drops tasks '.repeat(20)}`, 'report');
  check(`${'I see this in the log. '.repeat(40)}\nWhy does it fail?`, 'report');
});

const weightsOf = (query: string): Record<string, number> =>
  Object.fromEntries(parseQuery(query, rankingWeights).words.map(({ term, weight }) => [term, weight]));

test('stop words are left out, unless there is nothing else', () => {
  expect(Object.keys(weightsOf('where is the retry limit'))).toEqual(['retry', 'limit']);
  expect(Object.keys(weightsOf('what is this'))).toEqual(['what', 'is', 'this']);
  expect(weightsOf('  ?! ')).toEqual({});
});

test('forms of one word count once', () => {
  expect(Object.keys(weightsOf('retry retries retried'))).toEqual(['retry']);
});

test('identifiers and quoted words weigh more than the words around them', () => {
  const weights = weightsOf('parseHeader fails on `empty` lines');
  expect(weights['parseheader']).toBe(rankingWeights.code);
  expect(weights['empty']).toBe(rankingWeights.code);
  expect(weights['parse']).toBe(1);
  expect(weights['lines']).toBe(1);
});

test('the first line of a report weighs more, the longer the report is', () => {
  const body = (words: number) => Array.from({ length: words }, (_, k) => `noise${k}x`).join(' ');
  expect(weightsOf(`parser crash\n${body(3)}`)['crash']).toBe(1);
  const longer = weightsOf(`parser crash\n${body(30)}`);
  expect(longer['crash']).toBeCloseTo(2, 1);
  expect(longer['noise0x']).toBe(1);
  expect(weightsOf(`parser crash\n${body(500)}`)['crash']).toBe(3);
  expect(weightsOf('parser crash')['crash']).toBe(1);
});

test('what a template says is not the query', () => {
  expect(Object.keys(weightsOf('crash <!-- please fill in\nall the fields --> report'))).toEqual([
    'crash',
    'report',
  ]);
});

describe('what else a word is looked for as', () => {
  const forms = (query: string, of: string): Record<string, number> => {
    const parsed = parseQuery(query, rankingWeights);
    const groups = createTermGroups(parsed, rankingWeights);
    const group = groups[parsed.words.findIndex(({ term }) => term === of)]!;
    return Object.fromEntries(group.terms.map(({ term, weight }) => [term, weight]));
  };

  test('the word itself first, its forms for less', () => {
    const found = forms('stopped workers', 'stopped');
    expect(found).toMatchObject({ stopped: 1, stop: 0.5, stops: 0.5, stopping: 0.5 });
    expect(forms('stopped workers', 'workers')).toMatchObject({ workers: 1, worker: 0.5 });
  });

  test('abbreviations both ways, synonyms one way', () => {
    expect(forms('configuration of the cache', 'configuration')).toMatchObject({ conf: 0.5, cfg: 0.5 });
    expect(forms('cfg of the cache', 'cfg')).toMatchObject({ configuration: 0.5 });
    expect(forms('delete a key', 'delete')).toMatchObject({ remove: 0.2 });
    expect(forms('biggest key', 'biggest')).toMatchObject({ max: 0.2 });
    expect(forms('max key', 'max')).not.toHaveProperty('biggest');
  });

  test('no synonyms for a report, which quotes the code', () => {
    expect(forms('delete fails\n\nThe key stays.', 'delete')).not.toHaveProperty('remove');
  });

  test('identifiers have no forms', () => {
    expect(Object.keys(forms('max_retries', 'max_retries'))).toEqual(['max_retries']);
  });
});

test('a query as long as a log is read in no time', () => {
  for (const text of [
    'a'.repeat(200_000),
    'a.'.repeat(100_000),
    'x/'.repeat(100_000),
    '<!--'.repeat(50_000),
    '`a'.repeat(100_000),
  ]) {
    expect(parseQuery(text, rankingWeights).words.length).toBeLessThan(300);
  }
  const words = Array.from({ length: 5_000 }, (_, k) => `w${k}`).join(' ');
  expect(parseQuery(words, rankingWeights).words).toHaveLength(300);
});
