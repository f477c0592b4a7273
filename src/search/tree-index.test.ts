import { expect, test } from 'vitest';
import { searchContract } from './search.contract.ts';
import { treeFixture } from './tree-fixture.ts';
import { openTreeIndex } from './tree-index.ts';

searchContract('tree index', (files) => {
  const tree = treeFixture(files);
  return { index: openTreeIndex(tree), dispose: tree.dispose };
});

test('a word with a typing error is read as the nearest that occurs, and said to be', async () => {
  const tree = treeFixture({
    'a.md': 'How a pool drains connections.\n',
    'b.md': 'Two connections.\n',
    'c.md': 'Other.\n',
  });
  const index = openTreeIndex(tree);
  await index.refresh();
  const reply = await index.search({ query: 'pool of conections' });
  expect(reply.hits[0]?.path).toBe('a.md');
  expect(reply.completeness).toBe('complete');
  expect(reply.respelled).toEqual([{ asked: 'conections', read: 'connections' }]);
  expect(reply.notes).toEqual(['“conections” occurs nowhere: “connections” was searched for.']);
  expect(await index.search({ query: 'pool of connections' })).not.toHaveProperty('respelled');
  index.close();
  tree.dispose();
});
