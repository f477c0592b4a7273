import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSondeError } from '../core/index.ts';
import { type Fixture, folderFixture, repositoryFixture } from './git/repository-fixture.ts';
import { treeReader } from './tree-reader.ts';

let outside: Fixture;
let tree: Fixture;
beforeAll(() => {
  outside = folderFixture({ 'secret.txt': 'secret\n', 'folder/secret.txt': 'secret\n' });
  tree = folderFixture({
    'src/a.ts': 'one\ntwo\n',
    'src/no-newline.ts': 'one\ntwo',
    'src/blank-end.ts': 'one\n\n',
    'empty.txt': '',
    'newline.txt': '\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'mixed.txt': 'one\rstill one\ntwo\r\n',
    'bom.txt': '\uFEFFone\n',
    'utf16.txt': Buffer.from('\uFEFFone\ntwo\n', 'utf16le'),
    'invalid.txt': Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82, 0x0a, 0x63]),
    'cut.txt': Buffer.concat([Buffer.from('äöüßé and'), Buffer.from([0xe2, 0x82, 0x0a, 0x63])]),
    'binary.bin': Buffer.from([0x61, 0x00, 0x62]),
    'late.bin': Buffer.concat([Buffer.alloc(18_000, 'a'), Buffer.alloc(2_001)]),
    'huge.txt': 'x'.repeat(2_000),
    '-rf': 'dash\n',
    'sp ace/ü 漢.txt': 'name\n',
    'new\nline.txt': 'odd\n',
    '.git/config': '[remote]\nurl = https://user:password@example.org\n',
    'sub/.git/config': 'password\n',
    'src/.hidden': 'hidden\n',
  });
  symlinkSync('a.ts', join(tree.root, 'src/link-in.ts'));
  symlinkSync(join(outside.root, 'secret.txt'), join(tree.root, 'link-out.txt'));
  symlinkSync(outside.root, join(tree.root, 'folder-out'));
  symlinkSync('../../../../../../../../etc/passwd', join(tree.root, 'src/climb.txt'));
  symlinkSync('.git/config', join(tree.root, 'to-git.txt'));
  symlinkSync('loop-b', join(tree.root, 'loop-a'));
  symlinkSync('loop-a', join(tree.root, 'loop-b'));
  symlinkSync('nowhere', join(tree.root, 'dangling'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(tree.root, 'pipe')]);
});
afterAll(() => {
  tree.remove();
  outside.remove();
});

const texts: readonly [path: string, lines: readonly string[]][] = [
  ['src/a.ts', ['one', 'two']],
  ['./src//./a.ts', ['one', 'two']],
  ['src/../src/a.ts', ['one', 'two']],
  ['src/link-in.ts', ['one', 'two']],
  ['src/no-newline.ts', ['one', 'two']],
  ['src/blank-end.ts', ['one', '']],
  ['empty.txt', []],
  ['newline.txt', ['']],
  ['crlf.txt', ['one', 'two']],
  ['mixed.txt', ['one\rstill one', 'two']],
  ['bom.txt', ['one']],
  ['utf16.txt', ['one', 'two']],
  ['invalid.txt', ['aÿb', 'â‚', 'c']],
  ['cut.txt', ['äöüßé and\uFFFD', 'c']],
  ['-rf', ['dash']],
  ['sp ace/ü 漢.txt', ['name']],
  ['new\nline.txt', ['odd']],
  ['src/.hidden', ['hidden']],
];

test.each(texts)('reads %j', async (path, lines) => {
  expect(await treeReader({ root: tree.root }).readText(path)).toMatchObject({ kind: 'text', lines });
  expect(await treeReader({ root: tree.root }).readText(join(tree.root, path))).toMatchObject({ lines });
});

const refusals: readonly [path: string, reason: string][] = [
  ['nope.ts', 'missing'],
  ['src/a.ts/b', 'missing'],
  ['x'.repeat(5_000), 'missing'],
  ['loop-a', 'missing'],
  ['dangling', 'missing'],
  ['commit:abcdef0', 'missing'],
  ['', 'not_text'],
  ['.', 'not_text'],
  ['src', 'not_text'],
  ['src/', 'not_text'],
  ['pipe', 'not_text'],
  ['binary.bin', 'not_text'],
  ['late.bin', 'not_text'],
  ['huge.txt', 'too_large'],
  ['/etc/passwd', 'outside_root'],
  ['../secret.txt', 'outside_root'],
  ['src/../../secret.txt', 'outside_root'],
  ['src/../../src/a.ts', 'outside_root'],
  ['..', 'outside_root'],
  ['src/a.ts\0.txt', 'outside_root'],
  ['link-out.txt', 'outside_root'],
  ['folder-out/secret.txt', 'outside_root'],
  ['folder-out/folder/secret.txt', 'outside_root'],
  ['src/climb.txt', 'outside_root'],
  ['.git/config', 'outside_root'],
  ['.GIT/config', 'outside_root'],
  ['sub/.git/config', 'outside_root'],
  ['to-git.txt', 'outside_root'],
];

test.each(refusals)('refuses %j as %s', async (path, reason) => {
  const reply = await treeReader({
    root: tree.root,
    maxBytes: 20_001 - (path === 'huge.txt' ? 19_000 : 0),
  }).readText(path);
  expect(reply).toMatchObject({ kind: 'unreadable', reason });
  expect(JSON.stringify(reply)).not.toMatch(/password|secret\\n/);
  if (reply.kind === 'unreadable') expect(reply.message).not.toMatch(/[\0\n]/);
  // It names what was asked for.
  if (reason === 'outside_root')
    expect(reply).toHaveProperty('message', expect.stringContaining(path.split('\0')[0]!));
});

test.each([
  ['src/a.ts', 'src', 'text'],
  ['src/a.ts', 'src/**,!*.ts', 'out_of_scope'],
  ['empty.txt', 'src', 'out_of_scope'],
  ['src/link-in.ts', 'src/link-in.ts', 'out_of_scope'],
  ['nope.txt', 'src', 'out_of_scope'],
])('%s in the scope %s: %s', async (path, scope, expected) => {
  const reply = await treeReader({ root: tree.root, scope }).readText(path);
  expect(reply.kind === 'text' ? 'text' : reply.reason).toBe(expected);
});

test.each([['/no/such/folder'], ['/etc/passwd']])('a root must be a folder: %s', (root) => {
  expect(() => treeReader({ root })).toThrow(root);
});

test('a scope that cannot be parsed', () => {
  try {
    treeReader({ root: tree.root, scope: '../x' });
    expect.unreachable();
  } catch (thrown) {
    expect(isSondeError(thrown, 'bad_pattern')).toBe(true);
  }
});

describe('at a commit', () => {
  let repository: Fixture;
  let first: string;
  let second: string;
  beforeAll(() => {
    repository = repositoryFixture({ 'pkg/a.py': 'old\n', 'pkg/gone.py': 'gone\n', 'top.txt': 'top\n' });
    symlinkSync('../top.txt', join(repository.root, 'pkg/link.txt'));
    repository.write('pkg/blob.bin', Buffer.from([1, 0, 2]));
    first = repository.commit('First: lay it out\n\nBecause one must begin.');
    repository.git('rm', '-q', 'pkg/gone.py');
    repository.write('pkg/a.py', 'new\r\nlines\n');
    repository.write('other/b.py', 'b\n');
    second = repository.commit('Second');
    repository.git('tag', 'v1', first);
    repository.write('pkg/a.py', 'not committed\n');
  });
  afterAll(() => repository.remove());

  test('the text as it was, by id, first digits and name', async () => {
    const reader = treeReader({ root: repository.root });
    for (const name of [first, first.slice(0, 8), 'v1', 'HEAD~1'])
      expect(await reader.readText('pkg/a.py', name)).toMatchObject({ lines: ['old'] });
    expect(await reader.readText('pkg/a.py', second)).toMatchObject({ lines: ['new', 'lines'] });
    expect(await reader.readText('pkg/a.py')).toMatchObject({ lines: ['not committed'] });
    expect(await reader.readText('pkg/gone.py', first)).toMatchObject({ lines: ['gone'] });
    expect(await reader.knowsCommit(first)).toBe(true);
    expect(await reader.knowsCommit('0'.repeat(40))).toBe(false);
  });

  test.each([
    ['pkg/gone.py', 'main', 'missing'],
    ['pkg/a.py', '0'.repeat(40), 'missing'],
    ['pkg/a.py', '--output=/tmp/x', 'missing'],
    ['pkg/a.py', 'HEAD:top.txt', 'missing'],
    ['--help', 'main', 'missing'],
    [':(top)top.txt', 'main', 'missing'],
    ['pkg/*.py', 'main', 'missing'],
    ['pkg', 'main', 'not_text'],
    ['pkg/link.txt', 'main', 'not_text'],
    ['pkg/blob.bin', 'main', 'not_text'],
    ['../top.txt', 'main', 'outside_root'],
  ])('%s at %s: %s', async (path, commit, reason) => {
    expect(await treeReader({ root: repository.root }).readText(path, commit)).toMatchObject({ reason });
  });

  test('a commit is a text', async () => {
    const reader = treeReader({ root: repository.root });
    expect(await reader.readText(`commit:${first}`)).toMatchObject({
      lines: [
        'Author: Ada Example',
        'Date: 2024-01-01T12:00:00.000Z',
        '',
        'First: lay it out',
        '',
        'Because one must begin.',
        '',
        'Files:',
        'pkg/a.py',
        'pkg/blob.bin',
        'pkg/gone.py',
        'pkg/link.txt',
        'top.txt',
      ],
    });
  });

  test('the author and the date of a commit come before its message, however long', async () => {
    const long = repositoryFixture({ 'a.py': 'x = 1\n' });
    try {
      const commit = long.commit(`Subject\n\n${'A line.\n'.repeat(60)}`);
      const found = await treeReader({ root: long.root }).readText(`commit:${commit}`);
      expect(found.kind === 'text' && found.lines.slice(0, 4)).toEqual([
        'Author: Ada Example',
        'Date: 2024-01-01T12:00:00.000Z',
        '',
        'Subject',
      ]);
    } finally {
      long.remove();
    }
  });

  test('what a commit changed in a file is a text, and nothing of a file outside', async () => {
    const reader = treeReader({ root: repository.root });
    const diff = await reader.readText(`diff:${second}:pkg/a.py`);
    expect(diff).toMatchObject({ kind: 'text', lines: expect.arrayContaining(['-old']) });
    expect(JSON.stringify(diff)).not.toContain('b.py');
    const below = treeReader({ root: join(repository.root, 'pkg') });
    expect(await below.readText(`diff:${second}:a.py`)).toEqual(diff);
    expect(await below.readText(`diff:${second}:top.txt`)).toMatchObject({ reason: 'missing' });
    for (const [path, reason] of [
      [`diff:${second}:../top.txt`, 'outside_root'],
      [`diff:${second}:.env`, 'out_of_scope'],
      [`diff:${'0'.repeat(40)}:pkg/a.py`, 'missing'],
      [`diff:${second}:pkg/*.py`, 'missing'],
      [`diff:${first}:nowhere.py`, 'missing'],
    ])
      expect(await reader.readText(path!)).toMatchObject({ reason });
    const scoped = treeReader({ root: repository.root, scope: 'other' });
    expect(await scoped.readText(`diff:${second}:pkg/a.py`)).toMatchObject({ reason: 'out_of_scope' });
  });

  test('a root below the top, and a scope, name no file outside', async () => {
    const below = treeReader({ root: join(repository.root, 'pkg') });
    expect(await below.readText('a.py', first)).toMatchObject({ lines: ['old'] });
    expect(await below.readText('top.txt', first)).toMatchObject({ reason: 'missing' });
    expect(await below.readText(`commit:${second}`)).toMatchObject({
      lines: expect.arrayContaining(['a.py', 'gone.py']),
    });
    expect(JSON.stringify(await below.readText(`commit:${second}`))).not.toContain('b.py');
    const scoped = treeReader({ root: repository.root, scope: 'other' });
    expect(await scoped.readText(`commit:${second}`)).toMatchObject({
      lines: expect.arrayContaining(['other/b.py']),
    });
    expect(JSON.stringify(await scoped.readText(`commit:${second}`))).not.toContain('a.py');
    expect(await scoped.readText(`commit:${first}`)).toMatchObject({ reason: 'out_of_scope' });
    expect(await scoped.readText('pkg/a.py', first)).toMatchObject({ reason: 'out_of_scope' });
  });

  test('a worktree reads through its pointer', async () => {
    const place = folderFixture();
    mkdirSync(join(place.root, 'x'));
    repository.git('worktree', 'add', '-q', join(place.root, 'x/tree'), first);
    expect(await treeReader({ root: join(place.root, 'x/tree') }).readText('pkg/a.py', second)).toMatchObject(
      {
        lines: ['new', 'lines'],
      },
    );
    place.remove();
  });
});
