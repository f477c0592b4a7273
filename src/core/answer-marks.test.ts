import { expect, test } from 'vitest';
import { findMentions, removeMarks } from './answer-marks.ts';

const ids = (text: string) => findMentions(text).flatMap((mention) => mention.ids);

test.each([
  ['It rests [ev-00000000aa].', ['ev-00000000aa']],
  ['```\nlines [ev-00000000aa]\n```', []],
  [
    '- a.md:1 [ev-00000000aa]:\n  ```\n  said [ev-00000000bb]\n  ```\nAnd [ev-00000000cc].',
    ['ev-00000000aa', 'ev-00000000cc'],
  ],
  ['~~~~\nev-00000000bb\n~~~~\n[ev-00000000cc]', ['ev-00000000cc']],
  ['````\n```\n[ev-00000000bb]\n```\n````\n[ev-00000000cc]', ['ev-00000000cc']],
  ['```\n```js\n[ev-00000000bb]\n```\n[ev-00000000cc]', ['ev-00000000cc']],
  ['```\nsaid\n``` [ev-00000000cc]', ['ev-00000000cc']],
  ['[ev-00000000aa]\n```\nnever closed [ev-00000000bb]', ['ev-00000000aa']],
])('of %j', (text, cited) => {
  expect(ids(text)).toEqual(cited);
});

test('what quoted lines hold stays in them', () => {
  expect(removeMarks('```\nsaid [ev-00000000bb]\n``` [ev-00000000aa]')).toContain('[ev-00000000bb]');
});

test.each([
  ['ids that backticks or `and` join', `[ev-a\`${'ev-dandev-d`'.repeat(40)}[`],
  ['ids with a backtick between them', `[ev-a${'`ev-a'.repeat(40)};;`],
])('a text of %s is read in bounded time', (_, text) => {
  expect(ids(text)).toEqual([]);
});
