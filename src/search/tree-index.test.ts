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
  expect(reply.respelled).toEqual([{ asked: 'conections', read: 'connections', by: 'error' }]);
  expect(reply.notes).toEqual(['“conections” occurs nowhere: “connections” was searched for.']);
  expect(await index.search({ query: 'pool of connections' })).not.toHaveProperty('respelled');
  index.close();
  tree.dispose();
});

test('German notes are found by another form of a word, and by its beginning', async () => {
  const tree = treeFixture({
    'Konto.md': 'Die Zahlung ist auf dem Konto und wird nicht gebucht.\n',
    'Frist.md': 'Eine Mahnung und die Mahnungen von der Bank.\n',
    'Rest.md': 'Das ist der Rest.\n',
  });
  const index = openTreeIndex(tree);
  await index.refresh();
  const found = async (query: string) => {
    const { hits, notes } = await index.search({ query });
    return { paths: hits.map(({ path }) => path), notes };
  };
  expect(await found('Zahlungen')).toEqual({
    paths: ['Konto.md'],
    notes: ['“zahlungen” occurs nowhere: “zahlung” was searched for.'],
  });
  expect(await found('Mahn')).toEqual({
    paths: ['Frist.md'],
    notes: ['“mahn” occurs nowhere: “mahnung”, “mahnungen” were searched for.'],
  });
  index.close();
  tree.dispose();
});
