import { describe, expect, test } from 'vitest';
import { planChunks } from './chunk.ts';
import { ChunkPlan, type LinedText } from './chunk-plan.ts';

function lined(bytes: Uint8Array): LinedText {
  const ends = [...bytes].flatMap((byte, k) => (byte === 10 ? [k + 1] : []));
  return { bytes, length: bytes.length, lineEnds: Int32Array.from(ends), newlines: ends.length };
}

type Chunk = readonly [first: number, last: number, heading: string];

function chunks(path: string, content: string | Uint8Array, lines = 4): Chunk[] {
  const bytes = Buffer.from(content);
  const plan = new ChunkPlan();
  planChunks(path, lined(bytes), { lines }, plan);
  return Array.from({ length: plan.count }, (_, k) => [
    plan.firstLines[k]!,
    plan.lastLines[k]!,
    plan.headings[k]!,
  ]);
}

const check = (title: string, path: string, content: string | Uint8Array, expected: readonly Chunk[]) =>
  test(title, () => expect(chunks(path, content)).toEqual(expected));

describe('lines', () => {
  check('an empty file', 'a.ts', '', []);
  check('no line break at the end', 'a.ts', '1\n2\n3', [[1, 3, '']]);
  check('a line break at the end', 'a.ts', '1\n2\n3\n', [[1, 3, '']]);
  check('cut after so many', 'a.ts', '1\n2\n3\n4\n5\n6\n', [
    [1, 4, ''],
    [5, 6, ''],
  ]);
  check('exactly one chunk', 'a.ts', '1\n2\n3\n4\n', [[1, 4, '']]);
  check('CRLF counts once', 'a.ts', '1\r\n2\r\n3\r\n4\r\n5\r\n', [
    [1, 4, ''],
    [5, 5, ''],
  ]);
  check('not UTF-8', 'a.ts', Uint8Array.of(0xff, 10, 0xe9, 10, 0x80, 10, 65, 10, 66), [
    [1, 4, ''],
    [5, 5, ''],
  ]);
  check('blank lines count', 'a.ts', '\n\n\n\n\nx', [
    [1, 4, ''],
    [5, 6, ''],
  ]);

  test('a very long line is cut, and stays the same line', () => {
    const long = 'word '.repeat(8_000);
    const found = chunks('a.txt', `first\n${long}\nlast\n`);
    expect(found[0]).toEqual([1, 2, '']);
    expect(found.slice(1, -1).every(([first, last]) => first === 2 && last === 2)).toBe(true);
    expect(found.at(-1)).toEqual([2, 3, '']);
  });

  test('every byte is in exactly one chunk', () => {
    const bytes = Buffer.from(Array.from({ length: 500 }, (_, k) => 'x'.repeat(k % 97)).join('\n'));
    const plan = new ChunkPlan();
    planChunks('a.ts', lined(bytes), { lines: 7 }, plan);
    expect(plan.ends[plan.count - 1]).toBe(bytes.length);
    for (let k = 0; k < plan.count; k++) {
      const start = k === 0 ? 0 : plan.ends[k - 1]!;
      expect(plan.firstLines[k]).toBe(bytes.subarray(0, start).toString().split('\n').length);
    }
  });
});

describe('Markdown', () => {
  check('cut at headings', 'a.md', '# A\n\ntext\n\n## B\n\ntext\n\n## C\n\ntext\n', [
    [1, 4, 'A'],
    [5, 8, 'A B'],
    [9, 11, 'A C'],
  ]);
  check('text before the first heading', 'a.md', 'intro\n\n# A\ntext\n', [
    [1, 2, ''],
    [3, 4, 'A'],
  ]);
  check('headings without text stay together', 'a.md', '# A\n\n## B\ntext\n', [[1, 4, 'A B']]);
  check('a long section', 'a.md', '# A\n1\n2\n3\n4\n5\n', [
    [1, 4, 'A'],
    [5, 6, 'A'],
  ]);
  check('no heading within a fence', 'a.md', '# A\n```\n# no\n```\n', [[1, 4, 'A']]);
  check('closing hashes and CRLF', 'a.md', '## A ##\r\ntext\r\n', [[1, 2, 'A']]);
  check('a hash tag is no heading', 'a.md', '#tag\ntext\n', [[1, 2, '']]);
});
