import { expect, it } from 'vitest';
import { type TextReader, toFileText } from '../../core/index.ts';
import { addTexts, bestMatchingLines } from './hit-text.ts';

const reader: TextReader = {
  readText: async (path) =>
    path === 'gone.ts'
      ? { kind: 'unreadable', reason: 'missing', message: 'gone' }
      : toFileText(
          path === 'long.json' ? `[${'"entry",'.repeat(5_000)}"quagga"]\n` : `${'some line\n'.repeat(400)}`,
        ),
};
const hit = { start: 1, end: 40, score: 1, provenance: 'bm25' } as const;

it('gives at most 2,000 characters of a hit, and says where that is not all', async () => {
  const [short, long, row, gone] = await addTexts(
    [
      { ...hit, path: 'a.ts', end: 3 },
      { ...hit, path: 'a.ts', end: 400 },
      { ...hit, path: 'long.json', end: 1 },
      { ...hit, path: 'gone.ts' },
    ],
    'quagga',
    reader,
  );
  expect(short).toEqual({ ...hit, path: 'a.ts', end: 3, text: 'some line\nsome line\nsome line' });
  expect(long).toMatchObject({ cut: true });
  expect(row).toMatchObject({ cut: true, text: expect.stringContaining('quagga') });
  for (const one of [long, row]) expect(one!.text.length).toBeLessThanOrEqual(2_000);
  expect(gone).toMatchObject({ text: '' });
});

it('shows the lines that tell most of the query', () => {
  const text = [
    '',
    'import x',
    '',
    'function poolSize() {',
    '  return size;',
    '}',
    '',
    'other',
    'more',
    'end',
  ].join('\n');
  expect(bestMatchingLines(text, 'pool size', 3)).toEqual([
    { offset: 3, line: 'function poolSize() {' },
    { offset: 4, line: '  return size;' },
  ]);
  expect(bestMatchingLines('', 'x', 6)).toEqual([]);
});

it('shows the part of a long line that tells', () => {
  const line = `{"a":"${'z'.repeat(9_000)}","tapirLimit":99,"b":"${'y'.repeat(9_000)}"}`;
  const [shown] = bestMatchingLines(line, 'tapirLimit', 6, 100);
  expect(shown?.line).toContain('"tapirLimit":99');
  expect(shown?.line).toHaveLength(100);
});
