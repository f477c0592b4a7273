import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { searchContract } from '../search.contract.ts';
import type { SearchIndex } from '../search.ts';
import { type TreeFixture, treeFixture } from '../tree-fixture.ts';
import { openTreeIndex, type TreeIndexOptions } from '../tree-index.ts';
import { TreeWatch } from './tree-watch.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

searchContract('tree index that watches', (files) => {
  const tree = treeFixture(files);
  return { index: openTreeIndex({ ...tree, watch: true }), dispose: tree.dispose };
});

/** A tree with an index that watches it; every look at all of the tree asks for what is tracked, which counts them. */
async function watched(files: Readonly<Record<string, string>>, options: Partial<TreeIndexOptions> = {}) {
  const tree = treeFixture(files);
  const walks = vi.fn(async () => [] as const);
  const index = openTreeIndex({ ...tree, watch: true, tracked: walks, ...options });
  closing.push(tree.dispose, () => index.close());
  await index.refresh();
  await index.refresh();
  walks.mockClear();
  return { tree, index, walks };
}

const found = async (index: SearchIndex, query: string) =>
  (await index.search({ query, wide: true })).hits.map(({ path }) => path).sort();

/** What an index without a watcher comes to. */
async function expectLikeFresh(index: SearchIndex, { root, directory }: TreeFixture) {
  const fresh = openTreeIndex({ root, directory: `${directory}-fresh` });
  try {
    await fresh.refresh();
    expect(await index.paths()).toEqual(await fresh.paths());
    for (const word of ['amber', 'birch', 'cedar'])
      expect(await found(index, word)).toEqual(await found(fresh, word));
  } finally {
    fresh.close();
    rmSync(`${directory}-fresh`, { recursive: true });
  }
}

describe('an index that watches its tree', () => {
  test('looks only at files that changed, came and went', async () => {
    const { tree, index, walks } = await watched({ 'a.md': 'amber', 'in/b.md': 'birch' });
    tree.write('a.md', 'cedar');
    tree.write('in/c.md', 'cedar too');
    tree.remove('in/b.md');
    expect(await index.refresh()).toMatchObject({ added: 1, changed: 1, removed: 1, current: true });
    expect(await found(index, 'cedar')).toEqual(['a.md', 'in/c.md']);
    expect(await index.refresh()).toMatchObject({ added: 0, changed: 0, removed: 0, files: 2 });
    expect(walks).not.toHaveBeenCalled();
    await expectLikeFresh(index, tree);
  });

  test('reads a file that an editor replaces, and nothing of its temporary one', async () => {
    const { tree, index, walks } = await watched({ 'a.md': 'amber', 'b.md': 'birch' });
    tree.write('.a.md.tmp', 'cedar');
    renameSync(join(tree.root, '.a.md.tmp'), join(tree.root, 'a.md'));
    expect(await index.refresh()).toMatchObject({ added: 0, changed: 1, removed: 0 });
    expect(walks).not.toHaveBeenCalled();
    await expectLikeFresh(index, tree);
  });

  const large: readonly (readonly [string, (tree: TreeFixture) => void])[] = [
    ['a new folder', (tree) => tree.write('new/deep/c.md', 'cedar')],
    ['a folder that went', (tree) => tree.remove('in')],
    ['a folder that moved', ({ root }) => renameSync(join(root, 'in'), join(root, 'out'))],
    [
      'a link in the place of a folder',
      ({ root }) => {
        renameSync(join(root, 'in'), join(root, '../in'));
        symlinkSync(join(root, '../in'), join(root, 'in'));
      },
    ],
    ['rules', (tree) => tree.write('.gitignore', 'a.md\n')],
    [
      'a mark of a cache',
      (tree) => tree.write('in/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55'),
    ],
    ['a repository', ({ root }) => mkdirSync(join(root, '.git'))],
    [
      'more files than are listed',
      (tree) => {
        for (let n = 0; n < 250; n += 1) tree.write(`in/many-${n}.md`, 'amber');
      },
    ],
    [
      'another folder at the root',
      ({ root }) => {
        renameSync(root, `${root}-old`);
        mkdirSync(root);
        writeFileSync(join(root, 'z.md'), 'birch');
      },
    ],
  ];
  test.each(large)('looks at all of the tree after %s, and goes on watching', async (_name, change) => {
    const { tree, index, walks } = await watched({
      'a.md': 'amber',
      'in/b.md': 'birch',
      'in/deep/c.md': 'cedar',
    });
    change(tree);
    await index.refresh();
    expect(walks).toHaveBeenCalled();
    await expectLikeFresh(index, tree);
    await index.refresh();
    walks.mockClear();
    tree.write('later.md', 'amber');
    expect(await index.refresh()).toMatchObject({ added: 1 });
    expect(walks).not.toHaveBeenCalled();
    await expectLikeFresh(index, tree);
  });

  test('looks at all of the tree when the queue of events ran over', async () => {
    const { tree, index, walks } = await watched({ 'a.md': 'amber', 'b.md': 'birch', 'c.md': 'cedar' });
    // The loop stands still meanwhile, so that nothing is taken from the queue; two files by turns, since events that
    // repeat the last one are merged.
    const max = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
    for (let n = 0; n <= max; n += 1) utimesSync(join(tree.root, n % 2 === 0 ? 'a.md' : 'b.md'), n, n);
    tree.write('c.md', 'amber, of which no event tells');
    await index.refresh();
    expect(walks).toHaveBeenCalled();
    expect(await found(index, 'amber')).toEqual(['a.md', 'c.md']);
    await expectLikeFresh(index, tree);
  });

  test('looks at all of the tree again after a refresh that failed', async () => {
    const { tree, index, walks } = await watched({ 'a.md': 'amber' });
    tree.write('a.md', 'birch');
    await expect(index.refresh({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    await index.refresh();
    expect(walks).toHaveBeenCalled();
    expect(await found(index, 'birch')).toEqual(['a.md']);
  });

  test('looks at all of the tree when the repository has changed', async () => {
    let stamp: string | null = 'one';
    const { tree, index, walks } = await watched({ 'a.md': 'amber' }, { repositoryStamp: () => stamp });
    tree.write('a.md', 'birch');
    await index.refresh();
    expect(walks).not.toHaveBeenCalled();
    for (const next of ['two', null]) {
      stamp = next;
      await index.refresh();
      expect(walks).toHaveBeenCalled();
      walks.mockClear();
    }
  });

  test('says nothing where files of other machines may lie', async () => {
    const watch = new TreeWatch('/proc');
    watch.watchFolders(['']);
    watch.startPass();
    expect(await watch.takeChanges()).toBeNull();
    watch.close();
  });

  test('comes to what an index without a watcher comes to, whatever is done', async () => {
    const { tree, index } = await watched({ 'a.md': 'amber', 'in/b.md': 'birch', 'in/deep/c.md': 'cedar' });
    let seed = 14;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
    const folders = ['', 'in/', 'in/deep/', 'out/'];
    const attempts = [
      () =>
        tree.write(
          `${pick(folders)}${pick(['a', 'b', 'c', 'd'])}.md`,
          `${pick(['amber', 'birch', 'cedar'])} ${random(99)}`,
        ),
      () => tree.remove(`${pick(folders)}${pick(['a', 'b', 'c', 'd'])}.md`),
      () => renameSync(join(tree.root, `${pick(folders)}a.md`), join(tree.root, `${pick(folders)}b.md`)),
      () => renameSync(join(tree.root, pick(folders)), join(tree.root, pick(['in', 'out', 'in/deep']))),
      () => tree.write(`${pick(folders)}.gitignore`, pick(['', 'a.md\n', 'deep/\n'])),
    ];
    for (let round = 0; round < 30; round += 1) {
      for (let n = random(4); n >= 0; n -= 1)
        try {
          pick(attempts)();
        } catch {
          // Not possible with what is there now.
        }
      await index.refresh();
      if (round % 6 === 0) await expectLikeFresh(index, tree);
    }
    await expectLikeFresh(index, tree);
  });
});
