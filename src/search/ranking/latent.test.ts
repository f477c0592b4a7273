import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { indexDocuments, openSegments } from '../lexical/documents.ts';
import { addFeedback, trainLatent } from './latent.ts';
import { readLatent, writeLatent } from './latent-file.ts';
import { createSubjectTexts } from './subject-texts.ts';

const documents = createSubjectTexts(300);

const directory = mkdtempSync(join(tmpdir(), 'sonde-latent-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('vectors trained on a corpus', () => {
  indexDocuments(directory, documents);
  const corpus = openSegments(directory);
  afterAll(() => corpus.close());
  const model = trainLatent(corpus)!;
  const word = { stem: corpus.terms(documents[0]!.content)[0]!, weight: 1 };

  test('a word is near the texts of its subject that do not have it, and near no others', () => {
    const cosines = [...model.computeCosines([word])];
    const without = documents.flatMap(({ subject, content }, d) =>
      content.includes(word.stem) ? [] : [{ own: subject === documents[0]!.subject, cosine: cosines[d]! }],
    );
    const own = without.filter((text) => text.own).map(({ cosine }) => cosine);
    const others = without.filter((text) => !text.own).map(({ cosine }) => cosine);
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(own.length).toBeGreaterThan(3);
    expect(mean(own)).toBeGreaterThan(0.1);
    expect(Math.abs(mean(others))).toBeLessThan(0.05);
  });

  test('the same corpus gives the same vectors', () => {
    expect([...trainLatent(corpus)!.computeCosines([word])]).toEqual([...model.computeCosines([word])]);
  });

  test('a stored basis gives the same vectors again, and is not trained anew', () => {
    writeLatent(directory, model.basis);
    const stored = readLatent(directory)!;
    expect(stored).toEqual(model.basis);
    expect([...trainLatent(corpus, stored)!.computeCosines([word])]).toEqual([
      ...model.computeCosines([word]),
    ]);
  });

  test('words that tell texts are of their subject', () => {
    const chunks = [0, 20, 40].map((chunk) => ({ chunk, share: 1 }));
    const telling = model.findDistinctiveWords(chunks, 5);
    expect(telling).toHaveLength(5);
    expect(telling[0]!.weight).toBe(1);
    const own = chunks.map(({ chunk }) => documents[chunk]!.content).join();
    expect(telling.every(({ term }) => own.includes(term))).toBe(true);
  });

  test('a word that is nowhere is near nothing', () => {
    expect(model.computeCosines([{ stem: 'zebra', weight: 1 }]).every((cosine) => cosine === 0)).toBe(true);
  });
});

test('a corpus with too few words has no such vectors', () => {
  const small = join(directory, 'small');
  indexDocuments(small, [{ path: 'a.txt', content: 'one word and another' }]);
  const corpus = openSegments(small);
  expect(trainLatent(corpus)).toBeNull();
  corpus.close();
});

test('feedback adds to the words of the query and keeps their own weight', () => {
  const of = (stem: string, weight: number) => ({ term: stem, stem, weight });
  expect(addFeedback([of('a', 1), of('b', 2)], [of('c', 1), of('b', 0.5)], 0.4)).toEqual([
    of('a', 1),
    of('b', 2.2),
    of('c', 0.4),
  ]);
});
