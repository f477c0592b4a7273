import { expect, test } from 'vitest';
import type { PastCommit } from '../search.ts';
import { stemWord } from './inflections.ts';
import { digestCommits, PastMessages } from './past.ts';

const commit = (message: string, ...paths: string[]): PastCommit => ({
  id: message,
  time: 0,
  message,
  paths,
});

function likeness(commits: readonly PastCommit[], query: string): Record<string, number> {
  // Through JSON, as it is stored.
  const digest = JSON.parse(JSON.stringify(digestCommits(commits)));
  return Object.fromEntries(new PastMessages(digest).scorePaths(query.split(' ').map(stemWord)));
}

const commits = [
  commit('Fix lost retries in the queue', 'src/queue.ts'),
  commit('Parse empty headers', 'src/parser.ts', 'src/header.ts'),
  commit('Count retries', 'src/counter.ts', 'src/queue.ts', 'src/other.ts'),
];

test('files of the likest commit come first, in whatever form the words are', () => {
  const found = likeness(commits, 'retry queue loses');
  expect(found['src/queue.ts']).toBe(1);
  expect(found['src/counter.ts']).toBeLessThan(1);
  expect(found).not.toHaveProperty('src/parser.ts');
});

test('a commit of many files says less of each', () => {
  const alone = likeness([commit('header', 'a'), commit('header', 'b', 'c')], 'header');
  expect(alone['a']).toBe(1);
  expect(alone['b']).toBeLessThan(alone['a']!);
});

test('a commit that changed very many files says nothing', () => {
  const sweep = commit('header', ...Array.from({ length: 31 }, (_, k) => `file${k}`));
  expect(likeness([sweep, commit('queue', 'a')], 'header')).toEqual({});
});

test('no past, or none of these words', () => {
  expect(likeness([], 'queue')).toEqual({});
  expect(likeness(commits, 'zebra')).toEqual({});
});
