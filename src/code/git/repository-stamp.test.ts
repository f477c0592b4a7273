import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryStamp } from './repository-stamp.ts';

let root: string;
const put = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
/** Long after all was written. */
const later = () => Date.now() + 60_000;
const stampAt = (path = '') => repositoryStamp(join(root, path), later);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sonde-stamp-'));
  put('.git/HEAD', 'ref: refs/heads/main\n');
  put('.git/refs/heads/main', 'a'.repeat(40));
  put('.git/index', 'index 1');
  put('src/a.ts', 'a');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the stamp of a repository', () => {
  it('stays while nothing of it changes, and is that of every folder in it', () => {
    const stamp = stampAt();
    put('src/a.ts', 'changed');
    expect(stampAt()).toBe(stamp);
    expect(stampAt('src')).toBe(stamp);
    expect(stamp).not.toBeNull();
  });

  it.each([
    ['the index', '.git/index', 'index 22'],
    ['where HEAD points', '.git/HEAD', 'ref: refs/heads/other\n'],
    ['the branch', '.git/refs/heads/main', `${'b'.repeat(40)}\n`],
    ['packed references', '.git/packed-refs', 'x'],
    ['a table of references', '.git/reftable/tables.list', 'x'],
    ['the configuration', '.git/config', '[core]'],
  ])('changes with %s', (_name, path, text) => {
    const stamp = stampAt();
    put(path, text);
    expect(stampAt()).not.toBe(stamp);
  });

  it('is not told of what was written a moment ago', () => {
    expect(repositoryStamp(root)).toBeNull();
  });

  it('finds the repository of a work tree that lies elsewhere', () => {
    put('tree/.git', `gitdir: ${join(root, '.git/worktrees/tree')}\n`);
    put('.git/worktrees/tree/HEAD', 'ref: refs/heads/other\n');
    put('.git/worktrees/tree/commondir', '../..\n');
    put('.git/worktrees/tree/index', 'index');
    put('.git/refs/heads/other', 'c'.repeat(40));
    const stamp = stampAt('tree');
    expect(stamp).not.toBeNull();
    put('.git/refs/heads/other', `${'d'.repeat(40)}\n`);
    expect(stampAt('tree')).not.toBe(stamp);
  });

  it('is null where there is no repository, or something else in its place', () => {
    rmSync(join(root, '.git'), { recursive: true });
    symlinkSync('/nowhere', join(root, '.git'));
    expect(stampAt()).toBeNull();
    rmSync(join(root, '.git'));
    mkdirSync(join(root, '.git'));
    expect(stampAt()).toBeNull();
  });
});
