import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { SearchIndex, SearchReply } from '../search.ts';
import { type TreeFixture, treeFixture } from '../tree-fixture.ts';
import { openTreeIndex } from '../tree-index.ts';

/** Processes that are killed, and processes that get in each other's way. */

const trees: TreeFixture[] = [];
afterAll(() => {
  for (const tree of trees) tree.dispose();
});

/** Enough files that the indexing starts its threads. */
const fileCount = 620;
const words = (seed: number): string =>
  Array.from({ length: 60 }, (_, k) => `word${(seed * 31 + k * k) % 97}`).join(' ');

function largeTree(): TreeFixture {
  const tree = treeFixture();
  trees.push(tree);
  for (let k = 0; k < fileCount; k++) tree.write(`d${k % 9}/f${k}.ts`, `${words(k)}\nround0\n`);
  return tree;
}

const treeIndexUrl = new URL('../tree-index.ts', import.meta.url).href;

/** A process of its own that refreshes `times` times. */
function refresher(tree: TreeFixture, directory: string, times = 1): ChildProcess {
  const script = `
    import { openTreeIndex } from ${JSON.stringify(treeIndexUrl)};
    const index = openTreeIndex(${JSON.stringify({ root: tree.root, directory })});
    for (let k = 0; k < ${times}; k++) await index.refresh();
    index.close();`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const queries = ['word3', 'word50 word7', 'round0', 'round1', 'round7 word11', 'd3'];

async function answers(index: SearchIndex): Promise<SearchReply[]> {
  return Promise.all(queries.map((query) => index.search({ query, wide: true, k: 200 })));
}

async function freshAnswers(tree: TreeFixture, name: string): Promise<SearchReply[]> {
  const index = openTreeIndex({ root: tree.root, directory: `${tree.directory}-${name}` });
  await index.refresh();
  const found = await answers(index);
  index.close();
  return found;
}

// research.md: Index 1.
test('killed at 20 random instants: the old index works, the next refresh is right', async () => {
  const tree = largeTree();
  let before: SearchReply[] | null = null;
  let killed = 0;
  /** How long a refresh takes of all of the files, and of a few: of the last that came to its end. Milliseconds. */
  const spans = new Map<number, number>();
  for (let round = 1; killed < 20; round++) {
    // Most of the files in some rounds, so that threads run; a few in others.
    const step = round % 3 === 0 ? 1 : 40;
    for (let k = round % step; k < fileCount; k += step)
      tree.write(`d${k % 9}/f${k}.ts`, `${words(k)}\nround${round}\n`);
    if (existsSync(`${tree.root}/d0/f${9 * round}.ts`)) tree.remove(`d0/f${9 * round}.ts`);
    const begun = performance.now();
    const child = refresher(tree, tree.directory);
    const ended = once(child, 'exit');
    const span = spans.get(step);
    // The first of each goes on to its end.
    if (span !== undefined) {
      await Promise.race([ended, sleep(Math.random() * span)]);
      child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    if (signal === 'SIGKILL') killed++;
    else {
      expect(code).toBe(0);
      spans.set(step, performance.now() - begun);
    }

    const index = openTreeIndex(tree);
    const left = await answers(index);
    const after = await freshAnswers(tree, `fresh-${round}`);
    const isOld = JSON.stringify(left) === JSON.stringify(before ?? (await unindexed(tree)));
    const isNew = JSON.stringify(left) === JSON.stringify(after);
    expect(isOld || isNew, `round ${round}: neither the index before nor the one after`).toBe(true);
    // Every other round goes on from what the kill left.
    if (round % 2 === 0) {
      await index.refresh();
      expect(await answers(index)).toEqual(after);
      before = after;
      expect(readdirSync(tree.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    } else before = left;
    index.close();
  }
});

async function unindexed(tree: TreeFixture): Promise<SearchReply[]> {
  const index = openTreeIndex({ root: tree.root, directory: `${tree.directory}-none` });
  const found = await answers(index);
  index.close();
  return found;
}

test('processes that refresh at once, while another reads', async () => {
  const tree = largeTree();
  const first = openTreeIndex(tree);
  await first.refresh();
  const children = [refresher(tree, tree.directory, 6), refresher(tree, tree.directory, 6)];
  const ends = Promise.all(children.map((child) => once(child, 'exit')));
  let running = true;
  void ends.then(() => {
    running = false;
  });
  for (let round = 1; running; round++) {
    for (let k = round % 50; k < fileCount; k += 50)
      tree.write(`d${k % 9}/f${k}.ts`, `${words(k)}\nround${round}\n`);
    const { hits, completeness, notes } = await first.search({ query: 'word3', wide: true });
    expect({ found: hits.length > 0, completeness, notes }).toEqual({
      found: true,
      completeness: 'complete',
      notes: [],
    });
    await sleep(5);
  }
  for (const [code] of await ends) expect(code).toBe(0);
  await Promise.all([first.refresh(), first.refresh(), first.refresh({ paths: ['d1'] })]);
  expect(await answers(first)).toEqual(await freshAnswers(tree, 'fresh'));
  first.close();
});

test('a refresh that is cancelled leaves the index as it was, and no thread behind', async () => {
  const tree = largeTree();
  const index = openTreeIndex(tree);
  await index.refresh();
  const before = await answers(index);
  for (let k = 0; k < fileCount; k++) tree.write(`d${k % 9}/f${k}.ts`, `${words(k)}\nround1\n`);
  const cancelling = new AbortController();
  const refreshing = index.refresh({
    signal: cancelling.signal,
    onProgress: ({ phase }) => {
      if (phase === 'index') cancelling.abort();
    },
  });
  await expect(refreshing).rejects.toMatchObject({ code: 'cancelled' });
  expect(await answers(index)).toEqual(before);
  expect(await index.refresh()).toMatchObject({ changed: fileCount });
  index.close();
});

test('killed at 10 random instants while it watches and changes files: the next refresh is right', async () => {
  const tree = treeFixture();
  trees.push(tree);
  for (let k = 0; k < 40; k++) tree.write(`d${k % 9}/f${k}.ts`, `${words(k)}\nround0\n`);
  const script = `
    import { openTreeIndex } from ${JSON.stringify(treeIndexUrl)};
    import { writeFileSync } from 'node:fs';
    const root = ${JSON.stringify(tree.root)};
    const index = openTreeIndex({ root, directory: ${JSON.stringify(tree.directory)}, watch: true });
    for (let k = 0; ; k++) {
      await index.refresh();
      if (k === 2) process.send('watching');
      writeFileSync(root + '/d' + (k % 9) + '/f' + (k % 9) + '.ts', 'word' + k + ' round7\\n');
    }`;
  for (let round = 1; round <= 10; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    await once(child, 'message');
    await sleep(Math.random() * 150);
    child.kill('SIGKILL');
    await ended;
    const index = openTreeIndex({ ...tree, watch: true });
    await index.refresh();
    expect(await answers(index)).toEqual(await freshAnswers(tree, `watch-${round}`));
    index.close();
  }
});
