import { describe, expect, it, test } from 'vitest';
import { type KnownWords, replaceWords, respell } from './spelling.ts';

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
const corpusOf = (chunks: Readonly<Record<string, number>>): KnownWords => ({
  liveChunks: 100,
  documentFrequency: (term) => chunks[term] ?? 0,
  findTermsByPrefix: (starts) =>
    Object.keys(chunks).filter((term) => starts.some((start) => term.startsWith(start))),
});
const corpus = corpusOf(chunks);
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
      { asked: 'reqests', read: 'requests', by: 'error' },
      { asked: 'filtred', read: 'filtered', by: 'error' },
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

describe('notes in another language', () => {
  const german = {
    ...{ und: 40, der: 50, die: 55, das: 30, nicht: 25, ist: 45 },
    ...{
      zahlung: 6,
      zahlungs: 1,
      mahnung: 4,
      mahnungen: 2,
      mahnbescheid: 3,
      mahn_lauf: 9,
      haeuser: 2,
      strasse: 3,
    },
  };
  const ofGerman = (query: string) => respell(query, corpusOf(german)).respelled;

  it('have a word in another form', () => {
    expect(ofGerman('Zahlungen')).toEqual([{ asked: 'zahlungen', read: 'zahlung zahlungs', by: 'form' }]);
    expect(respell('offene Zahlungen?', corpusOf(german)).query).toBe('offene zahlung zahlungs?');
    expect(respell('Zahlungen', corpusOf({ zahlung: 6 })).respelled).toEqual([]);
  });

  it('reads the terms of the index once, however many words are strange', () => {
    let scans = 0;
    const counted = corpusOf(german);
    const findTermsByPrefix: KnownWords['findTermsByPrefix'] = (starts) => {
      scans += 1;
      return counted.findTermsByPrefix(starts);
    };
    const { respelled } = respell('Zahlungen Haeusern', { ...counted, findTermsByPrefix });
    expect(respelled.map(({ read }) => read)).toEqual(['zahlung zahlungs', 'haeuser']);
    expect(scans).toBe(1);
  });

  it('are known by most of their short words', () => {
    const russian = { и: 60, не: 40, что: 30, как: 20, для: 30, это: 25, на: 50, оплата: 3, платежа: 2 };
    expect(respell('оплату', corpusOf(russian)).query).toBe('оплата');
    expect(respell('Платежей', corpusOf(russian)).query).toBe('платежа');
    expect(respell('плптежа', corpusOf(russian)).query).toBe('платежа');
  });

  it.each([
    ['szyfrem', 'szyfr'],
    ['kolizjami', 'kolizja'],
    ['warstwy', 'warstwa'],
    ['splotowej', 'splotowa'],
  ])('are known in Polish: %s', (asked, read) => {
    const polish = {
      nie: 40,
      sie: 50,
      jest: 45,
      oraz: 20,
      dla: 30,
      szyfr: 3,
      kolizja: 2,
      warstwa: 5,
      splotowa: 4,
    };
    expect(respell(asked, corpusOf(polish)).query).toBe(read);
    // An English text has none of its short words, or too few.
    expect(respell(asked, corpusOf({ ...chunks, to: 95, do: 40 })).respelled).toEqual([]);
  });

  it('have words with accents, which the index has without', () => {
    const french = { les: 50, des: 60, est: 40, dans: 30, une: 30, pour: 20, abregees: 2 };
    expect(respell('Abrégé', corpusOf(french)).query).toBe('abregees');
  });
});

describe('a word that is not finished', () => {
  const ofMany = corpusOf({
    ...chunks,
    authenticate: 4,
    authenticator: 9,
    authentic: 2,
    authenticity: 1,
    auth_token: 7,
  });
  const of = (query: string) => respell(query, ofMany).respelled;

  it('is read as the most frequent words that begin with it', () => {
    expect(of('authe')).toEqual([
      { asked: 'authe', read: 'authenticator authenticate authentic', by: 'beginning' },
    ]);
  });

  it.each([
    ['in a question', 'where is the authe called from'],
    ['where it is short', 'aut'],
    ['where a typing error makes it', 'timeot'],
    ['as code', 'auth_'],
  ])('is not completed %s', (_, query) => {
    expect(of(query).filter(({ by }) => by === 'beginning')).toEqual([]);
  });
});

it('changes whole words alone', () => {
  expect(replaceWords('reqests of reqestsPool', [{ asked: 'reqests', read: 'requests' }])).toBe(
    'requests of reqestsPool',
  );
});
