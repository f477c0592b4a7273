import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSondeError, type TextGrep } from '../../core/index.ts';
import { type Fixture, folderFixture } from '../git/repository-fixture.ts';
import { ripgrep } from './grep.ts';

let tree: Fixture;
beforeAll(() => {
  tree = folderFixture({
    '.gitignore': 'ignored/\n*.log\n',
    'b.ts': 'needle one\nnothing\nneedle two\n',
    'a/deep/c.ts': 'a needle\r\nNEEDLE\r\n',
    'a/.gitignore': 'private.ts\n',
    'a/private.ts': 'needle\n',
    'ignored/d.ts': 'needle\n',
    'x.log': 'needle\n',
    '.hidden/e.ts': 'needle\n',
    '.git/config': 'needle\n',
    'binary.bin': Buffer.from('needle\n\0\n'),
    'long.js': `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}\n`,
    'huge-line.txt': `needle${'z'.repeat(6 * 1024 * 1024)}\n`,
    'latin.txt': Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0x20, 0xff, 0x0a]),
    '-e': 'needle dash\n',
    'many.txt': 'common\n'.repeat(300),
    'more.txt': 'common\n'.repeat(20),
    'dollar.txt': 'a$b (x) [y]\nplain\n',
    'indent.py': 'def f():\n    return 1\n',
  });
  symlinkSync('/etc', join(tree.root, 'a/etc'));
});
afterAll(() => tree.remove());

type Request = Parameters<TextGrep['grep']>[0];
const places = async (request: Request) => {
  const reply = await ripgrep({ root: tree.root }).grep(request);
  return reply.matches.map((match) => `${match.path}:${match.line}`);
};

const cases: readonly [request: Request, expected: readonly string[]][] = [
  [
    { pattern: 'needle', scope: '!huge-line.txt' },
    ['-e:1', '.hidden/e.ts:1', 'a/deep/c.ts:1', 'b.ts:1', 'b.ts:3', 'latin.txt:1', 'long.js:1'],
  ],
  [{ pattern: 'needle', ignoreCase: true, scope: 'a' }, ['a/deep/c.ts:1', 'a/deep/c.ts:2']],
  [{ pattern: 'needle$', scope: 'a' }, ['a/deep/c.ts:1']],
  [{ pattern: 'needle', scope: 'a/deep/**,b.ts' }, ['a/deep/c.ts:1', 'b.ts:1', 'b.ts:3']],
  [{ pattern: 'needle', scope: '*.ts,!.hidden' }, ['a/deep/c.ts:1', 'b.ts:1', 'b.ts:3']],
  [{ pattern: 'needle', scope: 'ignored' }, []],
  [{ pattern: 'needle', scope: 'ignored/d.ts' }, []],
  [{ pattern: 'needle', scope: 'a/private.ts' }, []],
  [{ pattern: 'root', scope: 'a/etc' }, []],
  [{ pattern: 'needle', scope: '.git' }, []],
  [{ pattern: 'needle', scope: 'nowhere' }, []],
  [{ pattern: 'a$b (x) [y]', fixed: true }, ['dollar.txt:1']],
  [{ pattern: '(?<=def )f\\b' }, ['indent.py:1']],
  [{ pattern: '--files', fixed: true }, []],
  [{ pattern: '-e' }, []],
];

test.each(cases)('%j', async (request, expected) => {
  expect(await places(request)).toEqual(expected);
});

test('a cut list tells the true total', async () => {
  const reply = await ripgrep({ root: tree.root }).grep({ pattern: 'common', limit: 7 });
  expect(reply.matches).toHaveLength(7);
  expect(reply.matches.every((match) => match.path === 'many.txt')).toBe(true);
  expect(reply.completeness).toBe('partial');
  expect(reply.notes.join()).toContain('320 matches in 2 files');
  expect(reply.notes.join()).toContain('many.txt (300), more.txt (20)');
});

test('a full list is complete', async () => {
  const reply = await ripgrep({ root: tree.root }).grep({ pattern: 'common', limit: 320 });
  expect(reply).toMatchObject({ completeness: 'complete', notes: [] });
  expect(reply.matches).toHaveLength(320);
});

test('long lines are cut around the match, also those of megabytes', async () => {
  const reply = await ripgrep({ root: tree.root }).grep({ pattern: 'needle[yz]' });
  expect(reply.matches.map((match) => match.path)).toEqual(['huge-line.txt', 'long.js']);
  for (const { text } of reply.matches) {
    expect(text).toContain('needle');
    expect(text.length).toBeLessThan(420);
  }
  expect(reply.completeness).toBe('complete');
});

test('bytes that are not UTF-8 show', async () => {
  const reply = await ripgrep({ root: tree.root }).grep({ pattern: 'needle', scope: 'latin.txt' });
  expect(reply.matches[0]!.text).toBe('needle \uFFFD');
});

test('the scope of the engine confines every request', async () => {
  const reply = await ripgrep({ root: tree.root, scope: 'a' }).grep({ pattern: 'needle', scope: '*.ts' });
  expect(reply.matches.map((match) => match.path)).toEqual(['a/deep/c.ts']);
});

test('time that runs out leaves a partial list', async () => {
  const reply = await ripgrep({ root: tree.root, timeoutMs: 1 }).grep({ pattern: 'common' });
  expect(reply.completeness).toBe('partial');
  expect(reply.notes.join()).toContain('ended before it was through');
});

test('a cancelled grep throws', async () => {
  const signal = AbortSignal.abort();
  await expect(ripgrep({ root: tree.root }).grep({ pattern: 'x', signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
});

test('a scope that names an ignored folder outright does not open it', async () => {
  const tree = folderFixture({ 'private/a.ts': 'needle\n', 'open/a.ts': 'needle\n' });
  tree.git('init', '-q');
  tree.write('.git/info/exclude', 'private/\n');
  const { matches } = await ripgrep({ root: tree.root }).grep({ pattern: 'needle', scope: 'private,open' });
  expect(matches.map((match) => match.path)).toEqual(['open/a.ts']);
});

test('rules above the root hold within a repository, and there only', async () => {
  const outer = folderFixture({
    '.gitignore': 'skip.ts\n',
    'in/skip.ts': 'needle\n',
    'in/keep.ts': 'needle\n',
  });
  const found = async () =>
    (await ripgrep({ root: join(outer.root, 'in') }).grep({ pattern: 'needle' })).matches.map(
      (match) => match.path,
    );
  expect(await found()).toEqual(['keep.ts', 'skip.ts']);
  outer.git('init', '-q');
  expect(await found()).toEqual(['keep.ts']);
  outer.write('.git/info/exclude', 'keep.ts\n');
  expect(await found()).toEqual([]);
  outer.remove();
});

describe('bad patterns', () => {
  test.each([['('], ['[z-a]'], ['(?<=x)('], ['a{999999999}'], [''], ['a\nb'], ['a\0b'], ['x'.repeat(5_000)]])(
    '%j',
    async (pattern) => {
      const thrown = await ripgrep({ root: tree.root })
        .grep({ pattern })
        .catch((error: unknown) => error);
      expect(isSondeError(thrown, 'bad_pattern')).toBe(true);
    },
  );
  test('a bad scope', async () => {
    await expect(ripgrep({ root: tree.root }).grep({ pattern: 'x', scope: '[' })).rejects.toMatchObject({
      code: 'bad_pattern',
    });
  });
});
