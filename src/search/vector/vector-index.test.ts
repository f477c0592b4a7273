import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Embedder, SearchIndex } from '../search.ts';
import { type TreeFixture, treeFixture } from '../tree-fixture.ts';
import { openTreeIndex } from '../tree-index.ts';

interface TestEmbedder extends Embedder {
  readonly passages: string[];
  /** Thrown at the next call, where it is set. */
  broken: string | null;
  /** Dimensions of what comes back. */
  width: number;
}

/** Random projection of the words, with words of one meaning on one place. Deterministic. */
const meanings: Readonly<Record<string, string>> = { feline: 'cat', kitten: 'cat', hound: 'dog' };
function testEmbedder(id: string, dimensions = 32): TestEmbedder {
  const embedder: TestEmbedder = {
    id,
    dimensions: 0,
    passages: [],
    broken: null,
    width: dimensions,
    embed(texts, kind) {
      if (embedder.broken !== null) return Promise.reject(new Error(embedder.broken));
      if (kind === 'passage') embedder.passages.push(...texts);
      return Promise.resolve(texts.map((text) => projected(text, embedder.width)));
    },
  };
  return embedder;
}

function projected(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const written of text
    .split('\n')
    .slice(text.includes('\n') ? 1 : 0)
    .join(' ')
    .match(/[a-z]+/g) ?? []) {
    let state = 7;
    for (const char of meanings[written] ?? written)
      state = (Math.imul(state, 31) + char.charCodeAt(0)) >>> 0;
    for (let d = 0; d < dimensions; d++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      vector[d]! += state / 2 ** 31 - 1;
    }
  }
  return vector;
}

const files = {
  'src/a.py': 'the cat sat\n',
  'src/b.py': 'a dog ran\n',
  'src/c.py': 'numbers and sums\n',
  'src/long.py': `${'line of text\n'.repeat(90)}the cat again\n`,
};

const open: { index: SearchIndex; tree: TreeFixture }[] = [];
afterEach(() => {
  for (const { index } of open) index.close();
  for (const { tree } of open.splice(0)) tree.dispose();
});

function indexWith(
  embedder: Embedder | undefined,
  tree = treeFixture(files),
): { index: SearchIndex; tree: TreeFixture } {
  const index = openTreeIndex({
    root: tree.root,
    directory: tree.directory,
    ...(embedder !== undefined && { embedder }),
  });
  open.push({ index, tree });
  return { index, tree };
}

test('meaning finds what no word does, and each hit says how it was found', async () => {
  const { index } = indexWith(testEmbedder('one'));
  expect((await index.refresh()).notes).toEqual([]);
  const { hits, completeness } = await index.search({ query: 'feline', k: 2 });
  expect(completeness).toBe('complete');
  expect(hits.map(({ path, start, provenance }) => [path, start, provenance])).toEqual([
    ['src/a.py', 1, 'vector'],
    ['src/long.py', 81, 'vector'],
  ]);
  const both = await index.search({ query: 'cat', k: 1 });
  expect(both.hits[0]).toMatchObject({ path: 'src/a.py', provenance: 'hybrid' });
  const words = indexWith(undefined).index;
  await words.refresh();
  expect((await words.search({ query: 'feline' })).hits).toEqual([]);
  expect((await words.search({ query: 'cat', k: 1 })).hits[0]!.provenance).toBe('bm25');
});

test('only what changed is embedded again', async () => {
  const embedder = testEmbedder('one');
  const { index, tree } = indexWith(embedder);
  await index.refresh();
  expect(embedder.passages).toHaveLength(6);
  expect(embedder.passages[0]).toBe('src/a.py\nthe cat sat');
  await index.refresh();
  expect(embedder.passages).toHaveLength(6);
  tree.write('src/b.py', 'the kitten slept\n');
  tree.remove('src/c.py');
  await index.refresh();
  expect(embedder.passages.slice(6)).toEqual(['src/b.py\nthe kitten slept']);
  const { hits, completeness } = await index.search({ query: 'feline', k: 10 });
  expect(completeness).toBe('complete');
  expect(
    hits
      .slice(0, 2)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['src/a.py', 'src/b.py']);
  expect(hits.map(({ path }) => path)).not.toContain('src/c.py');
});

// research.md: Index 3.
test('vectors of another embedder are never used', async () => {
  const first = testEmbedder('one');
  const { index, tree } = indexWith(first);
  await index.refresh();
  const other = testEmbedder('two', 48);
  const second = indexWith(other, tree).index;
  const before = await second.search({ query: 'feline' });
  expect(before.hits).toEqual([]);
  expect(before.notes.join()).toContain('no vectors of two yet');
  await second.refresh();
  expect(other.passages).toHaveLength(6);
  expect((await second.search({ query: 'feline', k: 1 })).hits[0]!.provenance).toBe('vector');
  // The first one's are still there.
  await index.refresh();
  expect(first.passages).toHaveLength(6);
  expect((await index.search({ query: 'feline', k: 1 })).hits[0]!.path).toBe('src/a.py');
});

// research.md: Index 3.
test('an embedder that fails while indexing: told, searched by words, made good later', async () => {
  const embedder = testEmbedder('one');
  embedder.broken = 'quota is used up';
  const { index } = indexWith(embedder);
  const report = await index.refresh();
  expect(report.files).toBe(4);
  expect(report.notes.join()).toContain('quota is used up');
  const reply = await index.search({ query: 'cat', k: 1 });
  expect(reply.hits[0]).toMatchObject({ path: 'src/a.py', provenance: 'bm25' });
  expect(reply.completeness).toBe('partial');
  embedder.broken = null;
  expect((await index.refresh()).notes).toEqual([]);
  expect((await index.search({ query: 'feline', k: 1 })).hits[0]!.provenance).toBe('vector');
});

test('an embedder that fails at the query: told, searched by words', async () => {
  const embedder = testEmbedder('one');
  const { index } = indexWith(embedder);
  await index.refresh();
  embedder.broken = 'not now';
  const { hits, notes, completeness } = await index.search({ query: 'cat', k: 1 });
  expect(hits[0]).toMatchObject({ path: 'src/a.py', provenance: 'bm25' });
  expect(completeness).toBe('partial');
  expect(notes.join()).toContain('not now');
});

test('vectors of a wrong length are refused, at the query and while indexing', async () => {
  const embedder = testEmbedder('one');
  const { index, tree } = indexWith(embedder);
  await index.refresh();
  embedder.width = 16;
  const reply = await index.search({ query: 'cat', k: 1 });
  expect(reply.hits[0]!.provenance).toBe('bm25');
  expect(reply.notes.join()).toContain('16 dimensions, not 32');
  tree.write('src/new.py', 'the feline\n');
  expect((await index.refresh()).notes.join()).toContain('16 dimensions, not 32');
  embedder.width = 32;
  expect((await index.refresh()).notes).toEqual([]);
  const { hits, completeness } = await index.search({ query: 'kitten', k: 2 });
  expect(completeness).toBe('complete');
  expect(hits.map(({ path }) => path)).toContain('src/new.py');
});

test('what a damaged file held is embedded again', async () => {
  const embedder = testEmbedder('one');
  const { index, tree } = indexWith(embedder);
  await index.refresh();
  index.close();
  const name = readdirSync(tree.directory).find((entry) => entry.startsWith('vectors-'))!;
  const bytes = readFileSync(join(tree.directory, name));
  bytes[bytes.length - 5]! ^= 1;
  writeFileSync(join(tree.directory, name), bytes);
  const again = indexWith(embedder, tree).index;
  await again.refresh();
  expect(embedder.passages).toHaveLength(12);
});

test('cancelling stops the embedding and keeps what was done', async () => {
  const stop = new AbortController();
  const embedder = testEmbedder('one');
  const slow: Embedder = {
    ...embedder,
    async embed(texts, kind, signal) {
      stop.abort(new Error('enough'));
      signal?.throwIfAborted();
      return embedder.embed(texts, kind);
    },
  };
  const { index, tree } = indexWith(slow);
  await expect(index.refresh({ signal: stop.signal })).rejects.toThrow();
  const again = indexWith(embedder, tree).index;
  expect((await again.refresh()).notes).toEqual([]);
  expect((await again.search({ query: 'feline', k: 1 })).hits[0]!.path).toBe('src/a.py');
});
