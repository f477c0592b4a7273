import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { splitTerms } from '../../tokens/tokens.ts';
import { stemmings } from '../../tokens/tokens-stem.ts';
import { indexDocuments, openSegments } from '../documents.ts';

const directory = mkdtempSync(join(tmpdir(), 'sonde-builder-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Numbers from 0 up to `below`, the same at every run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What the loops treat in ways of their own: lengths about 16, 64 and 128, humps, joiners, other scripts. */
const pieces = [
  ...'a b Z 9 _ $ é 中 ß'.split(' '),
  ...'foo Bar HTTP x1 zzzzzzzz snake_case camelCase \u0301 データ ü8'.split(' '),
  'q'.repeat(15),
  'Q'.repeat(16),
  'w'.repeat(17),
  'ab'.repeat(31),
  'aB'.repeat(33),
  '_'.repeat(5),
  '漢'.repeat(43),
];
const separators = [' ', '\t', '.', '::', '(', ' '.repeat(17), '-'.repeat(40), '"'];

function text(draw: (below: number) => number): string {
  let written = '';
  for (let run = 0; run < 60; run++) {
    for (let piece = draw(5); piece >= 0; piece--) written += pieces[draw(pieces.length)]!;
    written += separators[draw(separators.length)]!;
  }
  return written;
}

/** By document, how often it has each term, as the index holds it. */
function indexed(name: string, texts: readonly string[], stemming: (typeof stemmings)[number]) {
  const place = join(directory, name);
  indexDocuments(
    place,
    texts.map((content, k) => ({ path: `${k}.txt`, content })),
    {
      tokens: { stemming },
      chunks: { lines: 40 },
      fields: { body: 1, path: 0, definition: 0, heading: 0 },
    },
  );
  const corpus = openSegments(place);
  const found = texts.map(() => new Map<string, number>());
  expect(corpus.chunkCount).toBe(texts.length);
  corpus.forEachTerm((term, postings) => {
    postings((chunk, frequency) => found[chunk]!.set(term, frequency));
  });
  corpus.close();
  return found;
}

function counted(content: string, stemming: (typeof stemmings)[number]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of splitTerms(content, { stemming })) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

const rising = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

describe.each(stemmings)('the index holds what a query asks for: stemming %s', (stemming) => {
  test('texts of all kinds of runs', () => {
    const draw = draws(7);
    const texts = Array.from({ length: 60 }, () => text(draw));
    const found = indexed(stemming, texts, stemming);
    texts.forEach((content, k) => {
      expect(rising(found[k]!)).toEqual(rising(counted(content, stemming)));
    });
  });
});

test('tables grow, and nothing is lost', () => {
  // More distinct identifiers, parts and bytes than any first table holds.
  const draw = draws(3);
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_';
  const word = () => Array.from({ length: 3 + draw(60) }, () => letters[draw(letters.length)]!).join('');
  const texts = Array.from({ length: 400 }, () => Array.from({ length: 150 }, word).join(' '));
  const found = indexed('grown', texts, 'none');
  texts.forEach((content, k) => {
    expect(rising(found[k]!)).toEqual(rising(counted(content, 'none')));
  });
});

test('what stands before a name says as much when the tables have grown', () => {
  const definition = 'export function parcel() {}\n';
  const names = Array.from({ length: 40_000 }, (_, k) => `name${k}`).join(' ');
  const place = join(directory, 'definitions');
  indexDocuments(
    place,
    [
      { path: 'first.ts', content: definition },
      { path: 'between.txt', content: names },
      { path: 'last.ts', content: definition },
    ],
    {
      tokens: { stemming: 'none' },
      chunks: { lines: 40 },
      fields: { body: 1, path: 0, definition: 5, heading: 0 },
    },
  );
  const corpus = openSegments(place);
  const frequencies: number[] = [];
  corpus.forEachTerm((term, postings) => {
    if (term === 'parcel') postings((_, frequency) => frequencies.push(frequency));
  });
  corpus.close();
  expect(frequencies).toEqual([6, 6]);
});

test('a text of one run, of one byte, of none', () => {
  const texts = ['x', 'name', '', '\n', '中', 'end\n'];
  const place = indexed('short', texts.filter(Boolean), 'none');
  expect(place.map((counts) => [...counts.keys()])).toEqual([[], ['name'], [], ['中'], ['end']]);
});

test('a file of many lines, and one larger than any room before', () => {
  const many = Array.from({ length: 300_000 }, (_, k) => (k % 1_000 === 0 ? `line${k}` : '')).join('\n');
  const long = Array.from({ length: 400_000 }, (_, k) => `w${k % 500}`).join(' ');
  const place = join(directory, 'large');
  indexDocuments(place, [
    { path: 'many.txt', content: many },
    { path: 'long.txt', content: long },
  ]);
  const corpus = openSegments(place);
  expect(corpus.lastLines[corpus.firstChunks[1]! - 1]).toBe(299_999);
  expect(corpus.documentFrequency('line299000')).toBe(1);
  expect(corpus.documentFrequency('w499')).toBe(corpus.chunkCount - corpus.firstChunks[1]!);
  corpus.close();
});
