import { searchContract } from './search.contract.ts';
import { treeFixture } from './tree-fixture.ts';
import { openTreeIndex } from './tree-index.ts';

searchContract('tree index', (files) => {
  const tree = treeFixture(files);
  return { index: openTreeIndex(tree), dispose: tree.dispose };
});
