import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IndexReader } from '../lexical/reader.ts';
import { treeFixture } from '../tree-fixture.ts';
import { openTreeIndex } from '../tree-index.ts';
import { FileFacts } from './file-facts.ts';
import { readKinds } from './kinds-file.ts';

const files = { 'src/valve.ts': 'close the valve\n', 'test/valve.test.ts': 'close the valve\n' };

async function stored(directory: string): Promise<{ kept: Uint8Array | null; told: Uint8Array }> {
  const reader = new IndexReader(directory);
  try {
    return await reader.use((snapshot) => ({
      kept: readKinds(directory, snapshot!),
      told: new FileFacts(snapshot!.corpus).kinds,
    }));
  } finally {
    reader.close();
  }
}

test('kinds kept beside the index are those of its files, through changes and damage', async () => {
  const tree = treeFixture(files);
  const index = openTreeIndex({ root: tree.root, directory: tree.directory });
  await index.refresh();
  const first = await stored(tree.directory);
  expect(first.kept).toEqual(first.told);

  tree.write('docs/valve.md', 'how to close the valve\n');
  await index.refresh();
  const second = await stored(tree.directory);
  expect(second.kept).toEqual(second.told);
  expect(second.told).not.toEqual(first.told);

  const path = join(tree.directory, 'kinds');
  const damaged = readFileSync(path);
  damaged[damaged.length - 1]! ^= 1;
  writeFileSync(path, damaged);
  expect((await stored(tree.directory)).kept).toBeNull();
  const { hits } = await index.search({ query: 'close the valve', k: 3 });
  expect(hits).toHaveLength(3);
  index.close();
});
