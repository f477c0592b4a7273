import { expect, it } from 'vitest';
import { repositoriesFrom } from './repositories.ts';

it.each([
  ['/srv/parcels.git', { parcels: '/srv/parcels.git' }],
  [
    '/srv/parcels, ssh://git@host/team/letters.git',
    { parcels: '/srv/parcels', letters: 'ssh://git@host/team/letters.git' },
  ],
  ['post=https://host/a/b', { post: 'https://host/a/b' }],
])('%s', (given, expected) => {
  expect(Object.fromEntries(repositoriesFrom(given))).toEqual(expected);
});

it.each(['', 'a,', 'x=', '--upload-pack=evil', 'x=--upload-pack=evil', '/a/b,/c/b', '/..'])(
  'refuses %j',
  (given) => {
    expect(() => repositoriesFrom(given)).toThrow(expect.objectContaining({ code: 'bad_argument' }));
  },
);
