import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { indexDocuments, openSegments } from './documents.ts';
import { type Corpus, type TermGroup, topFiles } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'sonde-lexical-'));
afterAll(() => rmSync(directory, { recursive: true }));

indexDocuments(directory, [
  { path: 'src/http-client.ts', content: 'export class HttpClient {\n  retryCount = 3;\n}\n' },
  { path: 'src/parser.py', content: 'def parse_header(line):\n    return line.split(":")\n' },
  { path: 'notes/guide.md', content: '# Guide\n\n## Retries\n\nThe client tries three times.\n' },
]);
const corpus = openSegments(directory);
afterAll(() => corpus.close());

/** Each document is one chunk, so the scores of chunks are those of files. */
function found(groups: readonly TermGroup[]): { path: string; score: number }[] {
  const scores = corpus.scoreGroups(groups);
  return topFiles(corpus, scores, { scores }, 10).map(({ file, score }) => ({
    path: corpus.path(file),
    score,
  }));
}

const single = (query: string): TermGroup[] =>
  corpus.terms(query).map((term) => ({ weight: 1, terms: [{ term, weight: 1 }] }));

describe('a small index', () => {
  const check = (query: string, expected: readonly string[]) =>
    test(query, () => expect(found(single(query)).map(({ path }) => path)).toEqual(expected));

  check('retryCount', ['src/http-client.ts']);
  check('parse header', ['src/parser.py']);
  check('retries', ['notes/guide.md']);
  check('http client', ['src/http-client.ts', 'notes/guide.md']);
  check('absent', []);

  test('numbers, lines and frequencies', () => {
    expect(corpus.fileCount).toBe(3);
    expect([...corpus.firstChunks]).toEqual([0, 1, 2, 3]);
    expect([...corpus.lastLines]).toEqual([3, 2, 5]);
    expect(corpus.documentFrequency('client')).toBe(2);
    // Once in the body and defined there (1 + 4), once in the path (5); once in the text of the guide.
    expect(postings(corpus, 'client')).toEqual([
      [0, 10],
      [2, 1],
    ]);
  });

  test('the score is BM25 by the book', () => {
    const [best] = found(single('retrycount'));
    const idf = Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5));
    const length = corpus.lengths[0]! / corpus.averageLength;
    expect(best?.score).toBeCloseTo((idf * 2.2) / (1 + 1.2 * (0.25 + 0.75 * length)), 5);
  });

  test('terms of a group add up before they saturate', () => {
    const group = (...terms: [term: string, weight: number][]): TermGroup[] => [
      { weight: 2, terms: terms.map(([term, weight]) => ({ term, weight })) },
    ];
    const both = found(group(['client', 1], ['retries', 0.5]));
    expect(both.map(({ path }) => path)).toEqual(['src/http-client.ts', 'notes/guide.md']);
    expect(found(group(['client', 1], ['absent', 0.5]))).toEqual(found(group(['client', 1])));
    expect(found(group(['retries', 0.5], ['client', 1]))).toEqual(both);
    // Nothing of one group is left over for the next.
    expect(found(group(['client', 1], ['retries', 0.5]))).toEqual(both);
  });
});

function postings(of: Corpus, wanted: string): [chunk: number, frequency: number][] {
  const all: [number, number][] = [];
  of.forEachTerm((term, walk) => {
    if (term === wanted) walk((chunk, frequency) => all.push([chunk, frequency]));
  });
  return all;
}
