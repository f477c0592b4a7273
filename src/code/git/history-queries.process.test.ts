import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GitHistory } from '../../core/index.ts';
import { treeReader } from '../tree-reader.ts';
import { findChangedLines } from './changed-lines.ts';
import { createGitHistory } from './history-queries.ts';
import { type Fixture, folderFixture, repositoryFixture } from './repository-fixture.ts';

let repository: Fixture;
const ids: string[] = [];
beforeAll(() => {
  repository = repositoryFixture({ 'lib/a.py': 'def alpha():\n    return 1\n', 'README.md': '# Readme\n' });
  ids.push(repository.commit('Add alpha'));
  repository.write('lib/b.py', 'timeout = 30\n');
  repository.write('docs/b.md', 'The timeout is 30.\n');
  ids.push(repository.commit('FIX: wait longer; --all of it'));
  repository.git('mv', 'lib/a.py', 'lib/alpha.py');
  ids.push(repository.commit('Move alpha'));
  repository.write('lib/alpha.py', 'def alpha():\n    return 2\n');
  repository.write('-x/--all', 'dash\n');
  repository.write('ü/漢\t.txt', 'name\n');
  ids.push(repository.commit('Odd \u001e\u001f names'));
  repository.write('lib/alpha.py', '# new head\ndef alpha():\n    return 2\n');
});
afterAll(() => repository.remove());

const subjects = async (request: Parameters<GitHistory['log']>[0]) =>
  (await createGitHistory({ root: repository.root }).log(request)).items.map((item) =>
    ids.indexOf(item.commit),
  );

test.each([
  [{}, [3, 2, 1, 0]],
  [{ limit: 2 }, [3, 2]],
  [{ message: 'fix: WAIT' }, [1]],
  [{ message: '--all' }, [1]],
  [{ message: 'w.it' }, []],
  [{ path: 'lib/alpha.py' }, [3, 2, 0]],
  [{ path: 'lib' }, [3, 2, 1, 0]],
  [{ path: 'lib/*.py' }, []],
  [{ path: '-x/--all' }, [3]],
  [{ path: ':(top)README.md' }, []],
  [{ scope: 'docs' }, [1]],
  [{ scope: '*.md' }, [1, 0]],
  [{ scope: '*.md,!docs' }, [0]],
  [{ path: 'lib/alpha.py', scope: 'docs' }, []],
] as const)('log %j', async (request, expected) => {
  expect(await subjects(request)).toEqual(expected);
});

test('a commit says what it is', async () => {
  const { items } = await createGitHistory({ root: repository.root }).log({ limit: 1 });
  expect(items[0]).toEqual({
    commit: ids[3],
    date: '2024-01-04T12:00:00.000Z',
    author: 'Ada Example',
    subject: 'Odd \u001e\u001f names',
    paths: ['-x/--all', 'lib/alpha.py', 'ü/漢\t.txt'],
  });
});

test('paths are relative to the root, and outside it there are none', async () => {
  const { items } = await createGitHistory({ root: join(repository.root, 'lib') }).log({});
  expect(items.map((item) => item.paths)).toEqual([['alpha.py'], ['a.py', 'alpha.py'], ['b.py'], ['a.py']]);
});

test('pickaxe finds where a text came and went', async () => {
  const past = createGitHistory({ root: repository.root });
  const found = async (request: Parameters<GitHistory['pickaxe']>[0]) =>
    (await past.pickaxe(request)).items.map((item) => ids.indexOf(item.commit));
  expect(await found({ text: 'timeout' })).toEqual([1]);
  expect(await found({ text: 'return 1' })).toEqual([3, 2, 0]);
  expect(await found({ text: 'return [12]', regex: true, scope: 'lib/alpha.py' })).toEqual([3, 2]);
  expect(await found({ text: '--all' })).toEqual([]);
  expect(await found({ text: 'timeout', scope: 'docs' })).toEqual([1]);
  await expect(past.pickaxe({ text: '(', regex: true })).rejects.toMatchObject({ code: 'bad_pattern' });
  await expect(past.pickaxe({ text: '' })).rejects.toMatchObject({ code: 'bad_pattern' });
  // More than the system hands to a program.
  for (const regex of [true, false])
    await expect(past.pickaxe({ text: 'y'.repeat(200_000), regex })).rejects.toMatchObject({
      code: 'bad_argument',
      message: expect.stringMatching(/too long for \S+$/),
    });
  await expect(past.log({ message: 'y'.repeat(200_000) })).rejects.toMatchObject({ code: 'bad_argument' });
  for (const path of ['z'.repeat(5_000), `${'z/'.repeat(5_000)}z`])
    expect((await past.log({ path })).items).toEqual([]);
});

test('blame counts lines as the working tree does', async () => {
  const past = createGitHistory({ root: repository.root });
  const { items, notes } = await past.blame({ path: 'lib/alpha.py', start: 1, end: 3 });
  expect(items.map((item) => [item.line, ids.indexOf(item.commit), item.text])).toEqual([
    [1, -1, '# new head'],
    [2, 0, 'def alpha():'],
    [3, 3, '    return 2'],
  ]);
  expect(notes.join()).toContain('not committed yet');
  await expect(past.blame({ path: 'lib/alpha.py', start: 9, end: 9 })).rejects.toMatchObject({
    code: 'span_out_of_range',
  });
  await expect(past.blame({ path: 'lib/alpha.py', start: 0, end: 9 })).rejects.toMatchObject({
    code: 'bad_argument',
  });
  await expect(past.blame({ path: '../x', start: 1, end: 1 })).rejects.toMatchObject({
    code: 'outside_root',
  });
  expect(await past.blame({ path: 'nope', start: 1, end: 1 })).toMatchObject({
    items: [],
    completeness: 'unknown',
  });
  expect((await past.blame({ path: '-x/--all', start: 1, end: 1 })).items).toHaveLength(1);
});

test('says beforehand whether there is any history to read', async () => {
  expect(await createGitHistory({ root: repository.root }).readable?.()).toBe(true);
  const plain = folderFixture({ 'a.txt': 'text\n' });
  const unborn = folderFixture({ 'a.txt': 'text\n' });
  const shared = folderFixture();
  try {
    execFileSync('git', ['init', '--quiet', unborn.root]);
    shared.git('clone', '-q', '--shared', repository.root, 'copy');
    const borrowing = createGitHistory({ root: join(shared.root, 'copy') });
    expect(await borrowing.readable?.()).toBe(false);
    expect(await borrowing.unreadableReason?.()).toMatch(/borrows objects from another repository/);
    for (const { root } of [plain, unborn, repository])
      expect(await createGitHistory({ root }).unreadableReason?.()).toBe(null);
    await expect(findChangedLines(join(shared.root, 'copy'), 'HEAD', {})).rejects.toThrow(
      /^there is nothing to compare with: .* borrows objects .*[^.]$/s,
    );
    await expect(findChangedLines(plain.root, 'HEAD', {})).rejects.toThrow('not in a git repository');
    expect(await createGitHistory({ root: plain.root }).readable?.()).toBe(false);
    expect(await createGitHistory({ root: unborn.root }).readable?.()).toBe(false);
  } finally {
    plain.remove();
    unborn.remove();
    shared.remove();
  }
});

describe('what git cannot know is told', () => {
  test('no repository', async () => {
    const plain = folderFixture({ 'a.txt': 'x\n' });
    const past = createGitHistory({ root: plain.root });
    for (const reply of [
      await past.log({}),
      await past.pickaxe({ text: 'x' }),
      await past.blame({ path: 'a.txt', start: 1, end: 1 }),
    ]) {
      expect(reply).toMatchObject({ items: [], completeness: 'unknown' });
      expect(reply.notes.join()).toContain('not in a git repository');
    }
    plain.remove();
  });

  test('no commit yet', async () => {
    const fresh = repositoryFixture({ 'a.txt': 'x\n' });
    const reply = await createGitHistory({ root: fresh.root }).log({});
    expect(reply).toMatchObject({ completeness: 'unknown', notes: ['The repository has no commit yet.'] });
    fresh.remove();
  });

  test('a shallow clone', async () => {
    const clone = folderFixture();
    clone.git('clone', '-q', '--depth', '2', `file://${repository.root}`, 'copy');
    const reply = await createGitHistory({ root: join(clone.root, 'copy') }).log({});
    expect(reply.items).toHaveLength(2);
    expect(reply.completeness).toBe('partial');
    expect(reply.notes.join()).toContain('shallow');
    clone.remove();
  });

  test('a damaged repository', async () => {
    const broken = repositoryFixture({ 'a.txt': 'x\n' });
    broken.commit('one');
    writeFileSync(join(broken.root, '.git/HEAD'), 'nonsense\n');
    expect(await createGitHistory({ root: broken.root }).log({})).toMatchObject({
      items: [],
      completeness: 'unknown',
    });
    writeFileSync(join(broken.root, '.git/config'), '[core\n');
    expect(await createGitHistory({ root: broken.root }).log({})).toMatchObject({
      items: [],
      completeness: 'unknown',
    });
    broken.remove();
  });

  test('time that runs out', async () => {
    // A git that answers all but the search itself, which has no end.
    const folder = mkdtempSync(join(tmpdir(), 'sonde-slow-git-'));
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const slow = `#!/bin/sh\ncase " $* " in *" log "*) exec sleep 1000;; esac\nexec '${real}' "$@"\n`;
    writeFileSync(join(folder, 'git'), slow, { mode: 0o755 });
    const searchPath = `${folder}:${process.env['PATH']}`;
    const past = createGitHistory({ root: repository.root, timeoutMs: 3_000, git: { searchPath } });
    const reply = await past.pickaxe({ text: 'timeout' });
    rmSync(folder, { recursive: true });
    expect(reply.completeness).toBe('partial');
    expect(reply.notes.join()).toContain('ended before');
  });

  test('git itself', async () => {
    const past = createGitHistory({ root: repository.root, git: { searchPath: '/nowhere:.' } });
    await expect(past.log({})).rejects.toMatchObject({ code: 'tool_missing' });
  });
});

test('nothing that a hostile repository configures is started', async () => {
  const hostile = repositoryFixture({ 'a.evil': 'one two\n', 'b.txt': 'two\n' });
  hostile.write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
  const first = hostile.commit('one');
  hostile.write('a.evil', 'one\nthree\n');
  hostile.commit('two');
  const trap = join(hostile.root, 'trap.sh');
  const sprung = join(hostile.root, 'sprung');
  writeFileSync(trap, `#!/bin/sh\necho "$0 $@" >> '${sprung}'\ncat 2>/dev/null\n`);
  chmodSync(trap, 0o755);
  for (const [key, value] of [
    ['core.fsmonitor', trap],
    ['core.hooksPath', join(hostile.root, 'hooks')],
    ['core.pager', trap],
    ['pager.log', trap],
    ['pager.blame', trap],
    ['core.editor', trap],
    ['core.sshCommand', trap],
    ['core.askPass', trap],
    ['core.alternateRefsCommand', trap],
    ['core.gitProxy', trap],
    ['diff.external', trap],
    ['diff.evil.textconv', trap],
    ['diff.evil.command', trap],
    ['filter.evil.clean', trap],
    ['filter.evil.smudge', trap],
    ['filter.evil.process', trap],
    ['filter.evil.required', 'true'],
    ['gpg.program', trap],
    ['log.showSignature', 'true'],
    ['credential.helper', `!${trap}`],
    ['alias.log', `!${trap}`],
    ['alias.blame', `!${trap}`],
    ['remote.origin.url', `ext::${trap}`],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.uploadpack', trap],
    ['extensions.partialClone', 'origin'],
    ['protocol.allow', 'always'],
    ['protocol.ext.allow', 'always'],
    ['core.repositoryFormatVersion', '1'],
  ] as const)
    hostile.git('config', key, value);
  mkdirSync(join(hostile.root, 'hooks'));
  for (const hook of ['post-checkout', 'pre-commit', 'post-index-change', 'reference-transaction']) {
    writeFileSync(join(hostile.root, 'hooks', hook), `#!/bin/sh\n'${trap}' ${hook}\n`);
    chmodSync(join(hostile.root, 'hooks', hook), 0o755);
  }
  // The trap works: git in the ordinary way does start it.
  expect(() => hostile.git('diff', '--ext-diff', first)).toThrow();
  expect(existsSync(sprung)).toBe(true);
  // And a blob is missing that only a fetch could bring.
  const blob = hostile.git('rev-parse', `${first}:b.txt`);
  rmSync(join(hostile.root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
  writeFileSync(sprung, '');

  const past = createGitHistory({ root: hostile.root });
  const reader = treeReader({ root: hostile.root });
  expect((await past.log({})).items).toHaveLength(2);
  expect((await past.log({ path: 'a.evil' })).items).toHaveLength(2);
  expect((await past.pickaxe({ text: 'three' })).items.length).toBeGreaterThan(0);
  await past.pickaxe({ text: 't.o', regex: true });
  expect((await past.blame({ path: 'a.evil', start: 1, end: 2 })).items).toHaveLength(2);
  expect(await reader.readText('a.evil', first)).toMatchObject({ lines: ['one two'] });
  expect(await reader.readText('b.txt', first)).toMatchObject({ kind: 'unreadable' });
  expect(await reader.readText('a.evil', 'HEAD')).toMatchObject({ kind: 'text' });
  expect(await reader.readText(`commit:${first}`)).toMatchObject({ kind: 'text' });
  expect(readFileSync(sprung, 'utf8')).toBe('');
  hostile.remove();
});
