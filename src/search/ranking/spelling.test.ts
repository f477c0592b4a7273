import { describe, expect, it, test } from 'vitest';
import { respell, withRespelled } from './spelling.ts';

const chunks: Readonly<Record<string, number>> = {
  requests: 40,
  request: 60,
  filtered: 3,
  timeout: 9,
  connection: 20,
  connections: 5,
  rarely: 1,
  pool: 12,
  start: 30,
  lunch: 4,
  env: 8,
  envirnment: 3,
};
const corpus = { documentFrequency: (term: string) => chunks[term] ?? 0 };
const read = (query: string) => respell(query, corpus).query;

describe('a word that occurs nowhere', () => {
  test.each([
    ['a letter missing', 'reqests', 'requests'],
    ['a letter too many', 'timeoout', 'timeout'],
    ['a wrong letter', 'conmection', 'connection'],
    ['two letters swapped', 'tiemout', 'timeout'],
    ['the first two swapped', 'itmeout', 'timeout'],
    ['a capital', 'Timeuot', 'timeout'],
  ])('%s', (_, asked, expected) => {
    expect(read(`why ${asked}?`)).toBe(`why ${expected}?`);
  });

  it('is told with what was read instead, once', () => {
    expect(respell('reqests or reqests, filtred', corpus).respelled).toEqual([
      { asked: 'reqests', read: 'requests' },
      { asked: 'filtred', read: 'filtered' },
    ]);
  });

  it.each([
    ['a form of it occurs', 'timeouts'],
    ['another word for it occurs', 'launch'],
    ['its short form occurs', 'environment'],
    ['it is short', 'poll'],
    ['the nearest is as rare as an error', 'rarelly'],
    ['it is further away', 'conecton'],
    ['it is written as code', '`reqests` reqests() time_outs reqests.go src/reqests reqests-max reqests2'],
    ['it is part of a word of another language', 'größereqests'],
  ])('stays where %s', (_, query) => {
    const { respelled } = respell(query.replace('reqests()', '$reqests'), corpus);
    expect(respelled).toEqual([]);
  });
});

it('changes whole words alone', () => {
  expect(withRespelled('reqests of reqestsPool', [{ asked: 'reqests', read: 'requests' }])).toBe(
    'requests of reqestsPool',
  );
});
