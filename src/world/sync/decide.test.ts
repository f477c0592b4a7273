import { expect, it } from 'vitest';
import { decideNote, type NoteSides } from './decide.ts';

const a = 'one\n\ntwo\n';
const b = 'one, edited\n\ntwo\n';
const c = 'one\n\ntwo, edited\n';
const d = 'one, otherwise\n\ntwo\n';

it.each<readonly [string, NoteSides, string]>([
  ['nothing changed', { base: a, file: a, page: a }, 'nothing'],
  ['the file changed', { base: a, file: b, page: a }, 'pull'],
  ['the page changed', { base: a, file: a, page: b }, 'push'],
  ['both changed alike', { base: a, file: b, page: b }, 'adopt'],
  ['both changed in two places', { base: a, file: b, page: c }, 'merge'],
  ['both changed one place', { base: a, file: b, page: d }, 'conflict'],
  ['that waits already', { base: a, file: b, page: d, held: b }, 'wait'],
  ['that waits with an older text', { base: a, file: b, page: d, held: c }, 'conflict'],
  ['a new file', { base: null, file: a, page: null }, 'pull'],
  ['a new page', { base: null, file: null, page: a }, 'push'],
  ['both new and alike', { base: null, file: a, page: a }, 'adopt'],
  ['both new and not alike', { base: null, file: a, page: b }, 'conflict'],
  ['the file is gone', { base: a, file: null, page: a }, 'delete_page'],
  ['the file is gone, the page changed', { base: a, file: null, page: b }, 'push'],
  ['the page is gone', { base: a, file: a, page: null }, 'delete_file'],
  ['the page is gone, the file changed', { base: a, file: b, page: null }, 'pull'],
  ['both are gone', { base: a, file: null, page: null }, 'forget'],
  ['only links of the page follow', { base: a, file: a, page: b, onlyLinks: true }, 'push'],
  [
    'only links of the page follow, and the file changed them',
    { base: a, file: b, page: d, onlyLinks: true },
    'pull',
  ],
  [
    'only links of the page follow, and the file changed elsewhere',
    { base: a, file: c, page: d, onlyLinks: true },
    'merge',
  ],
  ['an empty file is a text', { base: a, file: '', page: a }, 'pull'],
  ['an empty page is a text', { base: '', file: '', page: '' }, 'nothing'],
])('%s', (_name, sides, wanted) => {
  expect(decideNote(sides).kind).toBe(wanted);
});
