import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openFileLock } from '../../store/lock.ts';
import type { SearchIndex } from '../search.ts';
import { type TreeFixture, treeFixture } from '../tree-fixture.ts';
import { openTreeIndex } from '../tree-index.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

function subject(): { tree: TreeFixture; open(): SearchIndex; stop(): () => void } {
  const tree = treeFixture({ 'a.ts': 'alpha word\n' });
  closing.push(() => tree.dispose());
  return {
    tree,
    open() {
      const index = openTreeIndex({ root: tree.root, directory: tree.directory });
      closing.push(() => index.close());
      return index;
    },
    /** As a process that was stopped while it held the index leaves things. */
    stop() {
      const lock = openFileLock(join(tree.directory, 'lock.db'));
      expect(lock.tryTake()).toBe(true);
      const sign = join(tree.directory, 'holder.json');
      writeFileSync(sign, JSON.stringify({ pid: 4711, since: '2026-11-22T10:00:00.000Z' }));
      utimesSync(sign, new Date(0), new Date(0));
      let held = true;
      const release = () => {
        if (held) lock.release();
        held = false;
      };
      closing.push(release);
      return release;
    },
  };
}

test('a holder that is stopped is not waited for: the index answers as it was, and says so', async () => {
  const { tree, open, stop } = subject();
  const index = open();
  await index.refresh();
  const release = stop();
  tree.write('b.ts', 'beta word\n');
  const report = await index.refresh();
  expect(report).toMatchObject({ current: false, files: 1, added: 0 });
  expect(report.notes.join()).toMatch(
    /^the index is held by process 4711 since 2026-11-22T10:00:00\.000Z; answered from that of \d{4}-/,
  );
  expect((await index.search({ query: 'alpha' })).hits).toHaveLength(1);
  release();
  expect(await index.refresh()).toMatchObject({ current: true, added: 1, notes: [], waited_ms: 0 });
});

test('where there is none yet, that is said', async () => {
  const { tree, open, stop } = subject();
  const index = open();
  // The folder is there before any index is.
  await open().refresh();
  const { rmSync } = await import('node:fs');
  rmSync(join(tree.directory, 'manifest.json'));
  stop();
  expect(await index.refresh()).toMatchObject({
    current: false,
    files: 0,
    notes: [expect.stringMatching(/held by process 4711 .*; there is none yet$/)],
  });
});

test('nobody waits longer than he said, also for a holder that works', async () => {
  const { tree, open, stop } = subject();
  await open().refresh();
  stop();
  const sign = join(tree.directory, 'holder.json');
  const later = new Date(Date.now() + 1000);
  utimesSync(sign, later, later);
  expect(await open().refresh({ wait: 0 })).toMatchObject({ current: false });
  const report = await open().refresh({ wait: 50 });
  expect([report.current, report.waited_ms >= 50]).toEqual([false, true]);
});

test('first refreshes side by side all succeed, and leave no temporary file', async () => {
  const { tree, open } = subject();
  const reports = await Promise.all(Array.from({ length: 12 }, () => open().refresh()));
  for (const report of reports) expect(report).toMatchObject({ current: true, files: 1 });
  expect(
    readdirSync(tree.directory).filter((name) => name.endsWith('.tmp') || name === 'holder.json'),
  ).toEqual([]);
});
