import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TreeFixture, treeFixture } from './tree-fixture.ts';
import { openTreeIndex } from './tree-index.ts';

let tree: TreeFixture;
let stamp: string | null;
let tracked: readonly string[] | null;
let asked: string[];

beforeEach(() => {
  tree = treeFixture({
    '.gitignore': 'kept/\n',
    'a.ts': 'alpha',
    'kept/b.ts': 'beta',
    'other/c.ts': 'gamma',
  });
  stamp = 'one';
  tracked = ['a.ts', 'kept/b.ts', 'other/c.ts'];
  asked = [];
});
afterEach(() => tree.dispose());

/** As each new process opens it. */
async function refreshed(query: string): Promise<readonly string[]> {
  const index = openTreeIndex({
    ...tree,
    tracked: async () => {
      asked.push('tracked');
      return tracked;
    },
    history: {
      head: async () => {
        asked.push('history');
        return 'head';
      },
      commits: async () => [],
    },
    repositoryStamp: () => stamp,
  });
  try {
    await index.refresh();
    return (await index.search({ query })).hits.map(({ path }) => path);
  } finally {
    index.close();
  }
}

describe('a repository that says by a stamp whether it has changed', () => {
  it('is asked at first, and not again while the stamp is the same', async () => {
    expect(await refreshed('beta')).toEqual(['kept/b.ts']);
    expect(asked).toEqual(['tracked', 'history']);
    tree.write('a.ts', 'alpha beta');
    expect(await refreshed('beta')).toEqual(['a.ts', 'kept/b.ts']);
    expect(asked).toHaveLength(2);
  });

  it('is asked where the stamp changed, or can not be told', async () => {
    await refreshed('beta');
    tracked = ['a.ts'];
    stamp = 'two';
    expect(await refreshed('beta')).toEqual([]);
    stamp = null;
    await refreshed('beta');
    await refreshed('beta');
    expect(asked.filter((one) => one === 'tracked')).toHaveLength(4);
  });

  it('is asked where the rules changed, on which it hangs what is in by tracking alone', async () => {
    await refreshed('gamma');
    tree.write('.gitignore', 'kept/\nother/\n');
    expect(await refreshed('gamma')).toEqual(['other/c.ts']);
  });

  it('is asked again where it could not answer', async () => {
    tracked = null;
    expect(await refreshed('beta')).toEqual([]);
    tracked = ['kept/b.ts'];
    expect(await refreshed('beta')).toEqual(['kept/b.ts']);
  });
});
