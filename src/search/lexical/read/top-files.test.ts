import { expect, test } from 'vitest';
import type { Corpus } from './corpus.ts';
import { topFiles } from './top-files.ts';

/** A corpus of files of one chunk; paths run against the numbers, so that ties show. */
function corpus(files: number): Corpus {
  return {
    firstChunks: Uint32Array.from({ length: files + 1 }, (_, file) => file),
    path: (file: number) => `${files - file}`.padStart(6, '0'),
  } as unknown as Corpus;
}

/** Scores with many ties, and many so near to each other that they are of one step. */
function someScores(files: number): Float32Array {
  return Float32Array.from({ length: files }, (_, file) => {
    if (file % 7 === 0) return 0;
    return file % 3 === 0 ? 1 + ((file * 37) % 11) / 1e6 : ((file * 7_919) % 97) / 10;
  });
}

test.each([0, 1, 2, 10, 97, 1_000, 5_000, 9_999])('the best %i are those of a full sort', (k) => {
  const files = 6_000;
  const tree = corpus(files);
  const scores = someScores(files);
  const expected = Array.from(scores, (score, file) => ({ file, score }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (tree.path(a.file) < tree.path(b.file) ? -1 : 1))
    .slice(0, k)
    .map(({ file, score }) => ({ file, chunk: file, score }));
  expect(topFiles(tree, scores, { scores }, k)).toEqual(expected);
});

test('a file is shown by the first of its best chunks', () => {
  const tree = { ...corpus(1), firstChunks: Uint32Array.of(0, 4) } as Corpus;
  const chunks = Float32Array.of(1, 3, 3, 2);
  expect(topFiles(tree, chunks, { scores: Float32Array.of(5) }, 1)).toEqual([
    { file: 0, chunk: 1, score: 5 },
  ]);
});
