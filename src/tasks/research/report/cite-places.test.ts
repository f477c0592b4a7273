import { expect, test } from 'vitest';
import { citePlaces } from './cite-places.ts';

const lines = (id: string, path: string, start: number, end: number) => ({
  id,
  file_path: path,
  start_line: start,
  end_line: end,
  commit: null,
});
const read = [
  lines('ev-00000000aa', 'src/oven.ts', 10, 40),
  lines('ev-00000000ab', 'src/oven.ts', 12, 20),
  lines('ev-00000000ac', 'src/oven.ts', 41, 60),
  lines('ev-00000000ad', 'notes/a page.md', 1, 9),
];

test.each([
  ['It bakes [src/oven.ts:13-18].', 'It bakes [ev-00000000ab].'],
  ['It bakes [src/oven.ts:13].', 'It bakes [ev-00000000ab].'],
  ['It bakes [`src/oven.ts:L30-L35`].', 'It bakes [ev-00000000aa].'],
  ['It bakes [./src/oven.ts#L30].', 'It bakes [ev-00000000aa].'],
  ['It bakes [src/oven.ts, lines 50–55].', 'It bakes [ev-00000000ac].'],
  ['It bakes [src/oven.ts:35-50].', 'It bakes [ev-00000000aa, ev-00000000ac].'],
  ['It bakes [notes/a page.md:2; ev-00000000aa].', 'It bakes [ev-00000000ad, ev-00000000aa].'],
  // Lines that nobody read, a clock, a link and an index of code are what they were.
  ['It bakes [src/oven.ts:55-70].', 'It bakes [src/oven.ts:55-70].'],
  ['It bakes [src/stove.ts:1].', 'It bakes [src/stove.ts:1].'],
  ['At [12:30] it rings.', 'At [12:30] it rings.'],
  ['See [src/oven.ts:13](src/oven.ts).', 'See [src/oven.ts:13](src/oven.ts).'],
  ['`trays[1:2]` is cut.', '`trays[1:2]` is cut.'],
])('%s', (given, cited) => {
  expect(citePlaces(given, read)).toBe(cited);
});
