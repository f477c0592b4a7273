import { expect, it } from 'vitest';
import { createEvidence, type LineMatch } from '../../core/index.ts';
import type { ClaimedSpan, EntryOutput } from '../entry.ts';
import { citeLines } from './cited-lines.ts';

const collect = async (finds: readonly ClaimedSpan[]): Promise<EntryOutput> => ({
  evidence: finds.map(({ path, start, end, reason, provenance }) =>
    createEvidence({ file_path: path, start_line: start, end_line: end, content: 'x', reason, provenance }),
  ),
  notes: [],
  cut: false,
});
const match = (path: string, line: number, text = `uses ttl ${line}`): LineMatch => ({ path, line, text });
const linesIn = (path: string, count: number, step = 20) =>
  Array.from({ length: count }, (_, n) => match(path, 1 + n * step));

it('sources come before tests, and every line can be cited where it stands', async () => {
  const found = [
    match('tests/test_a.py', 3),
    match('src/a.py', 7),
    match('src/a.py', 9),
    match('src/a.py', 90),
  ];
  const { lines, collected, cut } = await citeLines(found, 'ttl', collect);
  const ids = collected.evidence.map(({ id }) => id);
  expect(collected.evidence.map((item) => [item.file_path, item.start_line, item.end_line])).toEqual([
    ['src/a.py', 7, 9],
    ['src/a.py', 90, 90],
    ['tests/test_a.py', 3, 3],
  ]);
  expect(lines).toEqual([
    'src/a.py',
    `  ${ids[0]} 7| uses ttl 7`,
    '  9| uses ttl 9',
    `  ${ids[1]} 90| uses ttl 90`,
    'tests/test_a.py',
    `  ${ids[2]} 3| uses ttl 3`,
  ]);
  expect(cut).toBe(false);
});

it('of many lines the first stand with their text, and all are named', async () => {
  const found = [...linesIn('tests/test_a.py', 9), ...linesIn('src/a.py', 14)];
  const { lines, cut } = await citeLines(found, 'ttl', collect);
  expect(lines).toContain('  and lines 241, 261');
  expect(lines.at(-1)).toBe('  and lines 61, 81, 101, 121, 141, 161');
  expect(cut).toBe(false);
});

it('is cut, and says so, where there are too many files or lines to be named', async () => {
  const files = Array.from({ length: 60 }, (_, n) => match(`src/f${n}.py`, 1));
  const many = await citeLines(files, 'ttl', collect);
  expect(many.lines.at(-1)).toBe('and in 18 more files');
  expect(many.cut).toBe(true);
  const one = await citeLines(linesIn('src/a.py', 60), 'ttl', collect);
  expect(one.lines.at(-1)).toMatch(/and 15 more$/);
  expect(one.cut).toBe(true);
});

it('names the definition that lines stand in, where it is another than before', async () => {
  const found = [match('src/a.py', 3), match('src/a.py', 4), match('src/a.py', 90), match('src/a.py', 91)];
  const { lines } = await citeLines(found, 'ttl', collect, (_, line) =>
    line < 50 ? 'A.run' : line === 90 ? 'go' : null,
  );
  expect(lines.map((line) => line.replace(/ev-\w+ /, ''))).toEqual([
    'src/a.py',
    '  3| uses ttl 3  (in A.run)',
    '  4| uses ttl 4',
    '  90| uses ttl 90  (in go)',
    '  91| uses ttl 91',
  ]);
});

it('of one file alone more lines stand with their text', async () => {
  const { lines, collected } = await citeLines(linesIn('src/a.py', 25), 'ttl', collect);
  expect(collected.evidence).toHaveLength(25);
  expect(lines).toHaveLength(26);
});
