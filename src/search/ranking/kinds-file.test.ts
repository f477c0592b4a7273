import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IndexReader } from '../lexical/read/reader.ts';
import { treeFixture } from '../tree-fixture.ts';
import { openTreeIndex } from '../tree-index.ts';
import { classifyFiles } from './file-facts.ts';
import { SegmentKinds } from './kinds-file.ts';

const files = { 'src/valve.ts': 'close the valve\n', 'test/valve.test.ts': 'close the valve\n' };

/** What a new process reads, and what the paths say. */
async function kindsIn(directory: string): Promise<{ read: Uint8Array; told: Uint8Array }> {
  const reader = new IndexReader(directory);
  try {
    return await reader.use((snapshot) => {
      const { corpus } = snapshot!;
      return {
        read: new SegmentKinds(directory).readKinds(snapshot!),
        told: classifyFiles(corpus, 0, corpus.fileCount),
      };
    });
  } finally {
    reader.close();
  }
}

test('kinds kept beside the index are those of its files, through changes and damage', async () => {
  const tree = treeFixture(files);
  const index = openTreeIndex({ root: tree.root, directory: tree.directory });
  await index.refresh();
  const first = await kindsIn(tree.directory);
  expect(first.read).toEqual(first.told);
  const path = join(tree.directory, 'kinds');
  const written = readFileSync(path);

  // Of a look at one path nothing is written; what is there goes on to serve, with the new file told anew.
  tree.write('docs/valve.md', 'how to close the valve\n');
  await index.refresh({ paths: ['docs/valve.md'] });
  expect(readFileSync(path)).toEqual(written);
  const second = await kindsIn(tree.directory);
  expect(second.read).toEqual(second.told);
  expect(second.told).not.toEqual(first.told);
  await index.refresh();
  expect(readFileSync(path)).not.toEqual(written);

  const damaged = readFileSync(path);
  damaged[damaged.length - 1]! ^= 1;
  writeFileSync(path, damaged);
  const third = await kindsIn(tree.directory);
  expect(third.read).toEqual(third.told);
  index.close();
  tree.dispose();
});
