import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type TreeFixture, treeFixture } from '../tree-fixture.ts';
import { createWalk, walkFolders } from './walk.ts';
import { readRulesAbove } from './walk-ignore.ts';

const trees: TreeFixture[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.dispose();
});

function fixture(files: Readonly<Record<string, string>>): TreeFixture {
  const tree = treeFixture(files);
  trees.push(tree);
  return tree;
}

function walked(root: string): { files: string[]; ignored: number; binary: number } {
  const walk = createWalk();
  for (const _ of walkFolders(root, [{ path: '', rules: readRulesAbove(root).rules }], walk));
  const sum = (count: (folder: (typeof walk.folders)[number]) => number) =>
    walk.folders.reduce((total, folder) => total + count(folder), 0);
  return { files: walk.files.sort(), ignored: sum((f) => f.ignored), binary: sum((f) => f.binary) };
}

function git(root: string, ...words: string[]): string {
  return execFileSync('git', words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  });
}

/** Walks the tree and asks git which files it would not ignore: both must say the same. */
function asGit(tree: TreeFixture): void {
  git(tree.root, 'init', '-q');
  const listed = git(tree.root, 'ls-files', '--others', '--exclude-standard', '-z');
  expect(walked(tree.root).files).toEqual(listed.split('\0').filter(Boolean).sort());
}

describe('ignore rules agree with git', () => {
  const check = (title: string, files: Readonly<Record<string, string>>) =>
    test(title, () => asGit(fixture(files)));

  check('names, suffixes, folders', {
    '.gitignore': '*.log\nbuild/\n/only-top\n# comment\n\nspace \\ \n',
    'a.log': '',
    'deep/b.log': '',
    'build/x': '',
    'deep/build/y': '',
    'only-top': '',
    'deep/only-top': '',
    'kept.ts': '',
  });
  check('a deeper file decides', {
    '.gitignore': '*.txt\n',
    'a.txt': '',
    'sub/.gitignore': '!*.txt\nsecret.*\n',
    'sub/b.txt': '',
    'sub/secret.md': '',
    'sub/more/c.txt': '',
  });
  check('negation within a file', {
    '.gitignore': '*.conf\n!sample.conf\n',
    'a.conf': '',
    'sample.conf': '',
    'x/sample.conf': '',
  });
  check('what lies in an ignored folder cannot be taken back', {
    '.gitignore': 'out/\n!out/keep.txt\n',
    'out/keep.txt': '',
    'b.txt': '',
  });
  check('a folder taken back by a deeper file', {
    '.gitignore': 'gen/\n',
    'sub/.gitignore': '!gen/\n',
    'gen/a': '',
    'sub/gen/b': '',
    'sub/gen/deep/c': '',
  });
  check('double stars', {
    '.gitignore': 'logs/**\n**/tmp/x\na/**/z\n',
    'logs/1': '',
    'logs/d/2': '',
    'p/tmp/x': '',
    'p/tmp/y': '',
    'a/z': '',
    'a/b/c/z': '',
  });
  check('sets, question marks, escapes', {
    '.gitignore': '*.[oa]\nfile?.md\n\\#x\n\\!y\nq[!1]\n',
    'a.o': '',
    'b.a': '',
    'c.ob': '',
    'file1.md': '',
    'file12.md': '',
    '#x': '',
    '!y': '',
    q1: '',
    q2: '',
  });
  check('case matters', { '.gitignore': 'Build\n', 'build/a': '', Build2: '' });

  test('.git/info/exclude', () => {
    const tree = fixture({ 'a.ts': '', 'private.ts': '' });
    git(tree.root, 'init', '-q');
    tree.write('.git/info/exclude', 'private.ts\n');
    expect(walked(tree.root).files).toEqual(['a.ts']);
  });

  test('a root within a repository obeys the files above it', () => {
    const tree = fixture({
      '.gitignore': '*.log\n/pkg/gen/\n',
      'pkg/a.log': '',
      'pkg/a.ts': '',
      'pkg/gen/b.ts': '',
    });
    git(tree.root, 'init', '-q');
    expect(walked(join(tree.root, 'pkg')).files).toEqual(['a.ts']);
  });

  test('no repository at all', () => {
    const tree = fixture({ '.gitignore': '*.log\n', 'a.log': '', 'a.ts': '' });
    expect(walked(tree.root)).toEqual({ files: ['.gitignore', 'a.ts'], ignored: 1, binary: 0 });
  });
});

test('links are not followed', () => {
  const tree = fixture({ 'src/a.ts': '' });
  mkdirSync(join(tree.root, '..', 'outside'));
  symlinkSync('../outside', join(tree.root, 'out'));
  symlinkSync('src', join(tree.root, 'again'));
  symlinkSync('a.ts', join(tree.root, 'src', 'link.ts'));
  symlinkSync('..', join(tree.root, 'src', 'up'));
  symlinkSync('/etc/passwd', join(tree.root, 'passwd'));
  expect(walked(tree.root).files).toEqual(['src/a.ts']);
});

test('what cannot be read by its name, or is no file, is left out by name unless it is ignored', () => {
  const tree = fixture({ '.gitignore': '*.log\nrun.py\n', 'a.py': '', 'odd\uFFFD.py': '' });
  const place = (name: string): Buffer =>
    Buffer.concat([Buffer.from(`${tree.root}/`), Buffer.from(name, 'latin1')]);
  writeFileSync(place('bad\xFF.py'), 'y=2\n');
  writeFileSync(place('bad\xFF.log'), '');
  mkdirSync(place('bad\xFE'));
  execFileSync('/usr/bin/mkfifo', [join(tree.root, 'pipe.py'), join(tree.root, 'run.py')]);
  symlinkSync('loop.py', join(tree.root, 'loop.py'));
  symlinkSync('gone.py', join(tree.root, 'dangling.py'));
  const walk = createWalk();
  for (const _ of walkFolders(tree.root, [{ path: '', rules: readRulesAbove(tree.root).rules }], walk));
  expect(walk.files.sort()).toEqual(['.gitignore', 'a.py', 'odd\uFFFD.py']);
  expect(walk.folders).toMatchObject([{ path: '', unreadable: 4, ignored: 1 }]);
  expect([...(walk.folders[0]?.left?.unreadable ?? [])].sort()).toEqual([
    'bad\uFFFD.py',
    'bad\uFFFD/',
    'loop.py',
    'pipe.py',
  ]);
});

test('caches and version control are left out, other folders of such names are not', () => {
  const tree = fixture({
    '.git/config': '',
    '.hg/x': '',
    '__pycache__/a.txt': '',
    'node_modules/.package-lock.json': '',
    'node_modules/x/i.js': '',
    'lib/node_modules/own.js': '',
    'target/CACHEDIR.TAG': '',
    'target/out.txt': '',
    '.venv/pyvenv.cfg': '',
    '.venv/lib/x.py': '',
    'vendor/kept.go': '',
    'image.png': '',
    'a.ts': '',
  });
  expect(walked(tree.root)).toEqual({
    files: ['a.ts', 'lib/node_modules/own.js', 'vendor/kept.go'],
    ignored: 4,
    binary: 1,
  });
});
