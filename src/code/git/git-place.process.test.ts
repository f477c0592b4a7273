import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { treeReader } from '../tree-reader.ts';
import { gitCommands } from './git-commands.ts';
import { createHistoryReader } from './git-history.ts';
import { createGitHistory } from './history-queries.ts';
import { type Fixture, folderFixture, repositoryFixture } from './repository-fixture.ts';

let private_: Fixture;
let secretCommit: string;
const made: Fixture[] = [];
beforeAll(() => {
  private_ = repositoryFixture({ 'plan.txt': 'the moon in May\n' });
  secretCommit = private_.commit('secret plan');
  private_.git('tag', 'deploy/1');
});
afterAll(() => {
  for (const one of [private_, ...made]) one.remove();
});

const signal = new AbortController().signal;
const ask = async (root: string, ...args: string[]) =>
  (await gitCommands(root)({ args, signal, maxBytes: 1e6 })).stdout.toString('utf8').trim();

/** Everything that any reader of a folder's past says. */
async function everything(root: string): Promise<string> {
  const past = createGitHistory({ root });
  const replies = [
    await past.log({}),
    await past.pickaxe({ text: 'moon' }),
    await past.blame({ path: 'plan.txt', start: 1, end: 1 }),
    await createHistoryReader({ root }).commits(10),
    await treeReader({ root }).readText('plan.txt', secretCommit),
    await treeReader({ root }).readText(`commit:${secretCommit}`),
    await ask(root, 'log', '--format=%s', '--patch', '--all'),
    await ask(root, 'show', secretCommit),
    await ask(root, 'for-each-ref', 'refs/tags'),
  ];
  return JSON.stringify(replies);
}

function folder(files: Record<string, string> = { 'plan.txt': 'mine\n' }): Fixture {
  const fixture = folderFixture(files);
  made.push(fixture);
  return fixture;
}

function repository(): Fixture {
  const fixture = folder();
  fixture.git('init', '-q', '-b', 'main');
  fixture.commit('mine');
  return fixture;
}

describe('what leads to another repository is not followed', () => {
  const secretDir = () => join(private_.root, '.git');
  const cases: Record<string, (here: Fixture) => void> = {
    'a .git file': ({ root }) => writeFileSync(join(root, '.git'), `gitdir: ${secretDir()}\n`),
    'a .git link': ({ root }) => symlinkSync(secretDir(), join(root, '.git')),
    'a .git link to a .git file': ({ root }) => {
      writeFileSync(join(root, 'pointer'), `gitdir: ${secretDir()}\n`);
      symlinkSync('pointer', join(root, '.git'));
    },
    commondir: ({ root, git }) => {
      git('init', '-q');
      writeFileSync(join(root, '.git/commondir'), `${secretDir()}\n`);
    },
    'a made-up worktree': ({ root }) => {
      const own = join(root, 'own/worktrees/x');
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'commondir'), secretDir());
      writeFileSync(join(own, 'gitdir'), join(root, '.git'));
      writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(join(root, '.git'), `gitdir: ${own}\n`);
    },
    'a folder below that leads on': ({ root }) => {
      mkdirSync(join(root, 'own'));
      writeFileSync(join(root, 'own/commondir'), secretDir());
      writeFileSync(join(root, 'own/HEAD'), `${secretCommit}\n`);
      writeFileSync(join(root, '.git'), 'gitdir: own\n');
    },
    'a worktree of the other that belongs elsewhere': ({ root }) => {
      if (!existsSync(join(private_.root, 'tree'))) private_.git('worktree', 'add', '-q', '--detach', 'tree');
      writeFileSync(join(root, '.git'), `gitdir: ${join(secretDir(), 'worktrees/tree')}\n`);
    },
    'objects that are a link': ({ root, git }) => {
      git('init', '-q');
      rmSync(join(root, '.git/objects'), { recursive: true });
      symlinkSync(join(secretDir(), 'objects'), join(root, '.git/objects'));
      writeFileSync(join(root, '.git/HEAD'), `${secretCommit}\n`);
    },
    'folders of objects that are links': ({ root, git }) => {
      git('init', '-q');
      for (const name of readdirSync(join(secretDir(), 'objects')))
        if (name.length === 2)
          symlinkSync(join(secretDir(), 'objects', name), join(root, '.git/objects', name));
      writeFileSync(join(root, '.git/HEAD'), `${secretCommit}\n`);
    },
    alternates: ({ root, git }) => {
      git('init', '-q');
      writeFileSync(join(root, '.git/objects/info/alternates'), `${join(secretDir(), 'objects')}\n`);
      writeFileSync(join(root, '.git/HEAD'), `${secretCommit}\n`);
    },
    'names that are a link': ({ root, git }) => {
      git('init', '-q');
      rmSync(join(root, '.git/refs'), { recursive: true });
      symlinkSync(join(secretDir(), 'refs'), join(root, '.git/refs'));
    },
  };
  test.each(Object.entries(cases))('%s', async (_, lead) => {
    const here = folder();
    lead(here);
    const said = await everything(here.root);
    expect(said).not.toContain('secret plan');
    expect(said).not.toContain('moon in');
    expect((await createGitHistory({ root: here.root }).log({})).completeness).toBe('unknown');
  });

  test('and it says why', async () => {
    const here = folder();
    writeFileSync(join(here.root, '.git'), `gitdir: ${secretDir()}\n`);
    expect((await createGitHistory({ root: here.root }).log({})).notes.join()).toContain(
      `does not name ${here.root} as its own`,
    );
  });
});

describe('what names the folder as its own is read', () => {
  test('a linked worktree has its own HEAD, and the names of all', async () => {
    const here = repository();
    here.git('tag', 'v1');
    here.git('worktree', 'add', '-q', '-b', 'side', `${here.root}-side`);
    const side = `${here.root}-side`;
    here.git('-C', side, 'commit', '-q', '--allow-empty', '-m', 'on the side');
    try {
      expect((await createGitHistory({ root: side }).log({})).items.map((item) => item.subject)).toEqual([
        'on the side',
        'mine',
      ]);
      expect(await createHistoryReader({ root: side }).head()).toBe(here.git('rev-parse', 'side'));
      expect(await createHistoryReader({ root: here.root }).head()).toBe(here.git('rev-parse', 'main'));
      expect(await treeReader({ root: side }).knowsCommit('v1')).toBe(true);
      expect(await ask(side, 'log', '-1', '--format=%s')).toBe('on the side');
      const copy = folder({});
      cpSync(side, join(copy.root, 'copy'), { recursive: true });
      expect((await createGitHistory({ root: join(copy.root, 'copy') }).log({})).completeness).toBe(
        'unknown',
      );
    } finally {
      rmSync(side, { recursive: true });
    }
  });

  test('a submodule, and a worktree of it', async () => {
    const inner = repository();
    const outer = repository();
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib/inner');
    outer.commit('with a submodule');
    const place = join(outer.root, 'lib/inner');
    expect((await createGitHistory({ root: place }).log({})).items.map((item) => item.subject)).toEqual([
      'mine',
    ]);
    outer.git('-C', place, 'worktree', 'add', '-q', '--detach', join(outer.root, 'of-inner'));
    const tree = createGitHistory({ root: join(outer.root, 'of-inner') });
    expect((await tree.log({})).items).toHaveLength(1);
    expect((await tree.blame({ path: 'plan.txt', start: 1, end: 1 })).items).toHaveLength(1);
    outer.git('-C', place, 'config', 'extensions.worktreeConfig', 'true');
    outer.git('-C', place, 'config', '--worktree', 'core.worktree', '../../../../lib/inner');
    outer.git(
      '-C',
      place,
      'config',
      '--file',
      join(outer.root, '.git/modules/lib/inner/config'),
      '--unset',
      'core.worktree',
    );
    expect((await createGitHistory({ root: place }).log({})).items).toHaveLength(1);
  });

  test('a git directory below the folder, with worktrees beside it', async () => {
    const here = repository();
    renameSync(join(here.root, '.git'), join(here.root, '.bare'));
    writeFileSync(join(here.root, '.git'), 'gitdir: ./.bare\n');
    expect((await createGitHistory({ root: here.root }).log({})).items).toHaveLength(1);
    here.git('worktree', 'add', '-q', '--detach', 'tree');
    expect((await createGitHistory({ root: join(here.root, 'tree') }).log({})).items).toHaveLength(1);
  });

  test('objects named by SHA-256', async () => {
    const here = folder();
    here.git('init', '-q', '--object-format=sha256');
    const id = here.commit('long names');
    expect(id).toHaveLength(64);
    expect((await createGitHistory({ root: here.root }).log({})).items.map((item) => item.commit)).toEqual([
      id,
    ]);
  });

  test('names that are packed, and a tag by its name', async () => {
    const here = repository();
    here.git('tag', '-a', '-m', 'out', 'v2');
    here.git('pack-refs', '--all');
    expect(await createHistoryReader({ root: here.root }).head()).toBe(here.git('rev-parse', 'HEAD'));
    expect(await treeReader({ root: here.root }).knowsCommit('v2')).toBe(true);
    expect(await ask(here.root, 'for-each-ref', '--format=%(refname:short)', 'refs/tags')).toBe('v2');
  });

  test('a bare repository, where commands are asked for; paths are seen from a folder below the top', async () => {
    const here = repository();
    here.write('src/a.txt', 'one\n');
    here.commit('below');
    const bare = folder({});
    bare.git('clone', '-q', '--bare', here.root, 'copy.git');
    expect(await ask(join(bare.root, 'copy.git'), 'log', '--format=%s')).toBe('below\nmine');
    expect((await createGitHistory({ root: join(bare.root, 'copy.git') }).log({})).completeness).toBe(
      'unknown',
    );
    expect(await ask(join(here.root, 'src'), 'log', '--format=%s', '--', 'a.txt')).toBe('below');
  });
});

test('a pipe or a device in the place of a file holds nobody', async () => {
  const pipes = ['HEAD', 'refs/heads/main', 'refs/tags/v1', 'packed-refs', 'shallow', 'config'];
  for (const path of pipes)
    for (const kind of ['pipe', 'device']) {
      const here = repository();
      const file = join(here.root, '.git', path);
      rmSync(file, { force: true });
      if (kind === 'pipe') execFileSync('/usr/bin/mkfifo', [file]);
      else symlinkSync('/dev/zero', file);
      await createGitHistory({ root: here.root }).log({});
      await treeReader({ root: here.root }).knowsCommit('v1');
      await ask(here.root, 'for-each-ref');
    }
});
