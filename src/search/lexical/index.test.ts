import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { indexDocuments, openSegments, rankFiles, topFiles } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'sonde-lexical-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('a small index', () => {
  indexDocuments(directory, [
    { path: 'src/http-client.ts', content: 'export class HttpClient {\n  retryCount = 3;\n}\n' },
    { path: 'src/parser.py', content: 'def parse_header(line):\n    return line.split(":")\n' },
    { path: 'notes/guide.md', content: '# Guide\n\n## Retries\n\nThe client tries three times.\n' },
  ]);
  const corpus = openSegments(directory);
  afterAll(() => corpus.close());

  const check = (query: string, expected: readonly string[]) =>
    test(query, () => {
      const terms = corpus.terms(query).map((term) => ({ term, weight: 1 }));
      const scores = corpus.scoreChunks(terms);
      const ranking = rankFiles(corpus, scores);
      const files = topFiles(corpus, ranking, 10).map(({ file }) => corpus.path(file));
      expect(files).toEqual(expected);
    });

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
    const seen: [number, number][] = [];
    corpus.eachPosting('client', (chunk, frequency) => seen.push([chunk, frequency]));
    // Once in the body and defined there (1 + 4), once in the path (5); once in the text of the guide.
    expect(seen).toEqual([
      [0, 10],
      [2, 1],
    ]);
  });
});
