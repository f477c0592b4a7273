import { expect, it } from 'vitest';
import { parseRepositories, requireFolders } from './repositories.ts';

it.each([
  ['/srv/parcels.git', { parcels: '/srv/parcels.git' }],
  [
    '/srv/parcels, ssh://git@host/team/letters.git',
    { parcels: '/srv/parcels', letters: 'ssh://git@host/team/letters.git' },
  ],
  ['post=https://host/a/b', { post: 'https://host/a/b' }],
])('%s', (given, expected) => {
  expect(Object.fromEntries(parseRepositories(given))).toEqual(expected);
});

it.each(['', 'a,', 'x=', '--upload-pack=evil', 'x=--upload-pack=evil', '/a/b,/c/b', '/..'])(
  'refuses %j',
  (given) => {
    expect(() => parseRepositories(given)).toThrow(expect.objectContaining({ code: 'bad_argument' }));
  },
);

it('a folder must be there; what an address leads to is not asked', () => {
  const refusal = (given: string) => {
    try {
      requireFolders(parseRepositories(given));
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal('here=.,far=https://host/a/b,ssh=git@host:a/c.git')).toBeNull();
  expect(refusal('here=.,gone=/nowhere/at/all')).toMatch(
    /The repository gone does not exist at \/nowhere\/at\/all/,
  );
});
