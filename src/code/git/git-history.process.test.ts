import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createHistoryReader } from './git-history.ts';
import { type Fixture, folderFixture, repositoryFixture } from './repository-fixture.ts';

let fixture: Fixture | undefined;
afterEach(() => fixture?.remove());

function repository(): Fixture {
  const made = repositoryFixture({ 'lib/parse.py': 'a = 1\n', 'docs/guide.md': 'Guide\n' });
  made.commit('Start');
  made.write('lib/parse.py', 'a = 2\n');
  made.write('lib/näme file.py', 'b = 1\n');
  made.commit('Fix the parser\n\nIt lost the last line.\n\nCloses #4');
  fixture = made;
  return made;
}

test('commits, newest first, with whole messages and the paths they changed', async () => {
  const { root, git } = repository();
  const history = createHistoryReader({ root });
  expect(await history.head()).toBe(git('rev-parse', 'HEAD'));
  expect(await history.commits(10)).toEqual([
    {
      id: git('rev-parse', 'HEAD'),
      time: Date.UTC(2024, 0, 2, 12) / 1000,
      message: 'Fix the parser\n\nIt lost the last line.\n\nCloses #4',
      paths: ['lib/näme file.py', 'lib/parse.py'],
    },
    {
      id: git('rev-parse', 'HEAD~1'),
      time: Date.UTC(2024, 0, 1, 12) / 1000,
      message: 'Start',
      paths: ['docs/guide.md', 'lib/parse.py'],
    },
  ]);
  expect((await history.commits(1)).map(({ message }) => message.split('\n')[0])).toEqual(['Fix the parser']);
});

test('only what HEAD descends from', async () => {
  const { root, git, write, commit } = repository();
  git('checkout', '-q', '-b', 'later');
  write('lib/parse.py', 'a = 3\n');
  commit('From the future');
  git('checkout', '-q', 'main');
  expect((await createHistoryReader({ root }).commits(10)).map(({ message }) => message)).not.toContain(
    'From the future',
  );
});

test('merges are left out', async () => {
  const { root, git, write, commit } = repository();
  git('checkout', '-q', '-b', 'side', 'HEAD~1');
  write('lib/side.py', 'c = 1\n');
  commit('Side');
  git('checkout', '-q', 'main');
  git('merge', '-q', '--no-ff', '-m', 'Merge side', 'side');
  const messages = (await createHistoryReader({ root }).commits(10)).map(
    ({ message }) => message.split('\n')[0],
  );
  expect(messages).toEqual(expect.arrayContaining(['Side', 'Fix the parser', 'Start']));
  expect(messages).not.toContain('Merge side');
});

test('paths are relative to the root, and commits that touch nothing in it are left out', async () => {
  const { root } = repository();
  const commits = await createHistoryReader({ root: join(root, 'docs') }).commits(10);
  expect(commits.map(({ message, paths }) => [message, paths])).toEqual([['Start', ['guide.md']]]);
});

test('no repository, and one without a commit, have no past', async () => {
  fixture = folderFixture();
  const plain = createHistoryReader({ root: fixture.root });
  expect([await plain.head(), await plain.commits(10)]).toEqual([null, []]);
  mkdirSync(join(fixture.root, 'empty'));
  fixture.git('init', '-q', 'empty');
  const empty = createHistoryReader({ root: join(fixture.root, 'empty') });
  expect([await empty.head(), await empty.commits(10)]).toEqual([null, []]);
});
