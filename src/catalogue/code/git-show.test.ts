import { expect, it } from 'vitest';
import { collect } from '../../tasks/research/material/collect.ts';
import { scriptedMaterial } from '../../tasks/research/scripted.ts';
import { createScope } from '../scope.ts';
import { gitShow } from './git-show.ts';

const sha = 'a'.repeat(40);
const material = scriptedMaterial({
  files: {
    [`commit:${sha}`]: 'Round it\n\nAuthor: A\nDate: D\nFiles:\nsrc/a.py\nsrc/b.py\nkeys/c.py',
    [`diff:${sha}:src/a.py`]: '@@ -1 +1 @@\n-a\n+b',
    [`diff:${sha}:src/b.py`]: '@@ -9 +9 @@\n-c\n+d',
    [`diff:${sha}:keys/c.py`]: '@@ -1 +1 @@\n-e\n+f',
  },
  commits: [],
});

const shown = (args: Readonly<Record<string, unknown>>, scope?: string, pieces = 4) =>
  gitShow.run(gitShow.parameters.parse(args), {
    ports: material,
    scope: createScope(scope),
    pieces,
    pieceLines: 120,
    held: [],
    path: (given) => given,
    collect: (finds) => collect(material.text, createScope(scope), finds),
  });

it('gives the message and each file it changed as evidence', async () => {
  const found = await shown({ commit: sha });
  expect(found).toMatchObject({
    kind: 'done',
    completeness: 'complete',
    lines: ['src/a.py', 'src/b.py', 'keys/c.py'],
  });
  const { evidence } = found as Extract<typeof found, { kind: 'done' }>;
  expect(evidence.map(({ file_path }) => file_path)).toEqual([
    `commit:${sha}`,
    `diff:${sha}:src/a.py`,
    `diff:${sha}:src/b.py`,
    `diff:${sha}:keys/c.py`,
  ]);
});

it('of one file, of a folder, and of no more than is paid for', async () => {
  expect(await shown({ commit: sha, path: 'src/b.py' })).toMatchObject({ lines: ['src/b.py'] });
  expect(await shown({ commit: sha, path: 'src' })).toMatchObject({ lines: ['src/a.py', 'src/b.py'] });
  expect(await shown({ commit: sha, path: 'nowhere.py' })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('it changed src/a.py'),
  });
  expect(await shown({ commit: sha }, undefined, 2)).toMatchObject({
    completeness: 'partial',
    notes: [expect.stringContaining('2 more files')],
  });
});

it('keeps to the scope, in names too', async () => {
  const found = await shown({ commit: sha }, 'src/**');
  expect(found).toMatchObject({ kind: 'done', lines: ['src/a.py', 'src/b.py'] });
  expect(JSON.stringify(found)).not.toContain('keys/c.py');
  expect(await shown({ commit: sha, path: 'keys/c.py' }, 'src/**')).toMatchObject({ kind: 'failed' });
  expect(await shown({ commit: 'b'.repeat(40) })).toMatchObject({ kind: 'failed' });
});
