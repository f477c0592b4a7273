import { expect, it } from 'vitest';
import type { CodeUnit } from '../../core/index.ts';
import type { SearchHit } from '../search.ts';
import { findPassages } from './find-passages.ts';
import { choosePassages } from './passages.ts';

const unitsOf = (_path: string, lines: readonly string[]): readonly CodeUnit[] =>
  lines.flatMap((line, n) => {
    const name = /^def (\w+)/.exec(line)?.[1];
    if (name === undefined) return [];
    const next = lines.findIndex((other, at) => at > n && /^\S/.test(other));
    const end = next < 0 ? lines.length : next;
    return [{ name, kind: 'function', start: n + 1, header: { start: n + 1, end: n + 1 }, end }];
  });

const filler = (name: string, count: number) => [
  `def ${name}():`,
  ...Array.from({ length: count }, (_, n) => `    step_${n} = prepare(${n})`),
];
const answer = [
  'def retry_delivery(message):',
  '    if message.attempts > limit:',
  '        raise Gone(message)',
];
const late = ['def deliver_later(message):', '    retry_delivery(message)', '    wait(delivery.delay)'];
const files: Readonly<Record<string, readonly string[]>> = {
  'queue.py': [...filler('opens', 60), ...answer, ...filler('closes', 60), ...late],
  'other.py': filler('unrelated', 30),
};
const hit = (path: string, start: number, score: number): SearchHit => ({
  ...{ path, start, end: start + 39, score, provenance: 'bm25' as const },
});
const ports = { linesOf: (path: string) => files[path] ?? null, units: unitsOf };
const ask = (hits: readonly SearchHit[], k = 10, lines = 40) =>
  findPassages(
    { query: 'when is the delivery of a message retried', k, filesToRead: 30, lines },
    hits,
    ports,
  );

it('shows the passages that say it, though they lie far apart, within the lines that were asked for', () => {
  const [found] = ask([hit('queue.py', 1, 1)], 10, 20);
  const shown = found!.spans!.flatMap(({ start, end }) => files['queue.py']!.slice(start - 1, end));
  expect(shown).toEqual(expect.arrayContaining([...answer, ...late]));
  expect(shown.length).toBeLessThanOrEqual(20);
});

it('leaves order, places and scores as they are, and gives no more than was asked for', () => {
  const hits = [
    hit('other.py', 1, 1),
    hit('queue.py', 1, 0.9),
    hit('queue.py', 41, 0.4),
    hit('gone.py', 1, 0.1),
  ];
  const found = ask(hits);
  expect(found.map(({ spans, ...one }) => one)).toEqual(hits);
  // Once for each file, with the first of its hits.
  expect(found.map(({ path, spans }) => [path, spans !== undefined])).toEqual([
    ['other.py', true],
    ['queue.py', true],
    ['queue.py', false],
    ['gone.py', false],
  ]);
  expect(ask(hits, 1)).toHaveLength(1);
});

it('leaves what can no longer be read as it was found', () => {
  expect(ask([hit('gone.py', 7, 1)])).toEqual([hit('gone.py', 7, 1)]);
});

it('joins passages that touch, and takes none that overlaps a better one', () => {
  const ranked = [
    { start: 11, end: 18, score: 3 },
    { start: 15, end: 22, score: 2 },
    { start: 19, end: 26, score: 1 },
    { start: 60, end: 67, score: 0 },
  ];
  expect(choosePassages(ranked, 20)).toEqual([{ start: 11, end: 26 }]);
  expect(choosePassages(ranked, 24)).toEqual([
    { start: 11, end: 26 },
    { start: 60, end: 67 },
  ]);
});
