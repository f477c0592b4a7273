import { expect, test } from 'vitest';
import { closeFence, splitUnits } from './answer-units.ts';

const texts = (text: string) => splitUnits(text).map(({ start, end }) => text.slice(start, end));

test('a marker behind the closing signs belongs to the block and does not open it again', () => {
  expect(texts('```\na = 1\n``` [ev-00000000aa]\nThe pool is full.')).toEqual([
    '```\na = 1\n``` [ev-00000000aa]',
    'The pool is full.',
  ]);
});

test.each([
  ['```\na', '```\na\n```'],
  ['~~~~\na\n~~~', '~~~~\na\n~~~\n~~~~'],
  ['```\na\n``` [ev-00000000aa]', '```\na\n``` [ev-00000000aa]'],
  ['a ``` b', 'a ``` b'],
])('%j is closed as %j', (text, closed) => {
  expect(closeFence(text)).toBe(closed);
});
