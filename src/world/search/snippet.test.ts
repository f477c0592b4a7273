import { describe, expect, it } from 'vitest';
import { findBestPart } from './snippet.ts';

const words = (...all: readonly string[]) => new Set(all);

describe('the line that tells most', () => {
  it.each([
    [
      'of the words, and what follows it',
      'One.\nTwo about ships.\nThree.',
      ['ships'],
      'Two about ships. Three.',
    ],
    ['the first where none of them is there', '\n\nOne.\nTwo.', ['ships'], 'One. Two.'],
    [
      'not the front matter of a site, though it has the words',
      '+++\ntitle = "Ships of the line"\nauthor = ["Ann"]\ndraft = false\n+++\n\nThey sail.\n',
      ['ships', 'line'],
      'They sail.',
    ],
    [
      'nor with other line ends and blanks',
      '\r\n+++\r\ntitle = "Ships"\r\n+++ \r\nThey sail.\r\n',
      ['ships'],
      'They sail.',
    ],
    [
      'that front matter where there is nothing else',
      '+++\ntitle = "Ships"\n+++\n',
      ['ships'],
      'title = "Ships" +++',
    ],
    ['pluses within a text', 'a\n+++\nb ships\n+++\nc', ['ships'], 'b ships +++ c'],
  ])('is %s', (_name, text, of, snippet) => {
    expect(findBestPart(text, words(...of)).snippet).toBe(snippet);
  });
});
