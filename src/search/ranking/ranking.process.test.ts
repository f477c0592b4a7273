import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import type { HistoryReader, SearchIndex } from '../search.ts';
import { type TreeFixture, treeFixture } from '../tree-fixture.ts';
import { openTreeIndex, type TreeIndexOptions } from '../tree-index.ts';
import { createSubjectTexts } from './subject-texts.ts';
import { rankingWeights } from './weights.ts';

const open: { index: SearchIndex; tree: TreeFixture }[] = [];
afterEach(() => {
  for (const { index, tree } of open.splice(0)) {
    index.close();
    tree.dispose();
  }
});

async function indexOf(
  files: Readonly<Record<string, string>>,
  options: Partial<TreeIndexOptions> = {},
): Promise<{ index: SearchIndex; tree: TreeFixture }> {
  const tree = treeFixture(files);
  const index = openTreeIndex({ root: tree.root, directory: tree.directory, ...options });
  open.push({ index, tree });
  await index.refresh();
  return { index, tree };
}

const pathsOf = async (index: SearchIndex, query: string, k = 10): Promise<string[]> =>
  (await index.search({ query, k })).hits.map(({ path }) => path);

const filler = Object.fromEntries(
  Array.from({ length: 30 }, (_, k) => [
    `src/part${k}.py`,
    `def part_${k}(value):\n    return value + ${k}\n`,
  ]),
);

describe('kinds of files', () => {
  const files = {
    ...filler,
    'src/retry.py': 'def retry_delivery(limit):\n    other = [1, 2, 3]\n    return limit, other\n',
    'tests/retry.py': 'def retry_delivery(limit):\n    retry_delivery(limit)\n',
    'docs/retry.rst': 'Retry delivery\n\nThe limit of each retry, delivery by delivery.\n',
  };

  test.each([
    'delivery retry is lost\n\nThe limit is ignored.',
    'retry delivery limit',
    'where is the delivery retry limit',
  ])('%j is answered by code before tests and docs', async (query) => {
    const { index } = await indexOf(files);
    expect((await pathsOf(index, query))[0]).toBe('src/retry.py');
  });

  test('without the weights the words alone decide', async () => {
    const same = { code: 1, test: 1, docs: 1, example: 1, generated: 1, config: 1 };
    const weights = { ...rankingWeights, kinds: { question: same, report: same, keywords: same } };
    const { index } = await indexOf(files, { weights });
    expect((await pathsOf(index, 'retry delivery limit'))[0]).not.toBe('src/retry.py');
  });

  test('a tree of prose has no kinds', async () => {
    const { index } = await indexOf({
      'docs/a.md': 'The zebra.\n',
      'tests/b.md': 'The zebra and the zebra.\n',
    });
    const { hits } = await index.search({ query: 'zebra' });
    expect(hits.map(({ path }) => path)).toEqual(['tests/b.md', 'docs/a.md']);
  });
});

test('words are found in other forms, shortened and by another name', async () => {
  const { index } = await indexOf({
    ...filler,
    'src/a.py': 'def serialized(): pass\n',
    'src/b.py': 'def load_cfg(): pass\n',
    'src/c.py': 'def remove_key(): pass\n',
  });
  expect((await pathsOf(index, 'how does serialization work'))[0]).toBe('src/a.py');
  expect((await pathsOf(index, 'configuration'))[0]).toBe('src/b.py');
  expect((await pathsOf(index, 'deleting keys'))[0]).toBe('src/c.py');
});

test('a file that the query names comes before one that only talks like it', async () => {
  const { index } = await indexOf({
    ...filler,
    'src/session.py': 'class Session:\n    pass\n',
    'src/redirect.py': 'def redirect(session, method):\n    """Redirect a session with its method."""\n',
  });
  const report = 'redirect loses the method\n\nIn src/session.py the redirect of a session loses its method.';
  const { hits } = await index.search({ query: report });
  expect(hits.slice(0, 2).map(({ path }) => path)).toContain('src/session.py');
});

describe('git history', () => {
  const history = (message: string, ...paths: string[]): HistoryReader & { reads: number } => ({
    reads: 0,
    head: () => Promise.resolve('1'),
    commits(): ReturnType<HistoryReader['commits']> {
      this.reads++;
      return Promise.resolve([{ id: '1', time: 0, message, paths }]);
    },
  });

  test('leads to a file that has none of the words', async () => {
    const past = history('Fix flaky zeppelin landing', 'src/part7.py', 'src/gone.py');
    const { index } = await indexOf(filler, { history: past });
    expect(await pathsOf(index, 'zeppelin')).toEqual(['src/part7.py']);
    expect((await index.search({ query: 'zeppelin', scope: 'lib' })).hits).toEqual([]);
  });

  test('is read again only when HEAD moves', async () => {
    const past = history('zeppelin', 'src/part7.py');
    const { index } = await indexOf(filler, { history: past });
    await index.refresh();
    expect(past.reads).toBe(1);
  });

  test('that cannot be read is told, and the search works', async () => {
    const broken: HistoryReader = {
      head: () => Promise.reject(new Error('git is not here')),
      commits: () => Promise.resolve([]),
    };
    const { index } = await indexOf(filler, { history: broken });
    const { notes } = await index.refresh();
    expect(notes.join()).toContain('git is not here');
    expect(await pathsOf(index, 'part_3')).toContain('src/part3.py');
  });
});

describe('prose', () => {
  const all = createSubjectTexts(400);
  const texts = Object.fromEntries(all.map(({ path, content }) => [path, content]));
  /** Words of two subjects: no text has both. */
  const words = [0, 1].map((text) => all[text]!.content.split(' ')[0]!);
  const query = words.join(' ');
  const own = new Set(all.filter(({ subject }) => subject < 2).map(({ path }) => path));

  test('vectors of the corpus find what the words are not in, and say so', async () => {
    const { index } = await indexOf(texts);
    const { hits, completeness } = await index.search({ query, k: own.size });
    expect(completeness).toBe('complete');
    expect(new Set(hits.map(({ path }) => path))).toEqual(own);
    const having = hits.filter(({ path }) => words.some((word) => texts[path]!.includes(word)));
    expect(having.length).toBeLessThan(hits.length);
    expect(having.every(({ provenance }) => provenance === 'hybrid')).toBe(true);
  });

  test('a text that has all words of the query comes first, whatever its neighbours are', async () => {
    const { index } = await indexOf(texts);
    for (const { path, content } of all.slice(0, 20)) {
      const { hits } = await index.search({ query: content.split(' ').slice(0, 5).join(' '), k: 1 });
      expect(hits[0]).toMatchObject({ path, provenance: 'bm25' });
    }
  });

  test('vectors follow the texts', async () => {
    const { index, tree } = await indexOf(texts);
    tree.write('new.txt', texts['0.txt']!);
    tree.remove('20.txt');
    await index.refresh();
    const after = await pathsOf(index, query, own.size);
    expect(new Set(after)).toEqual(new Set([...own, 'new.txt']).difference(new Set(['20.txt'])));
  });

  test('another process finds the same', async () => {
    const { index, tree } = await indexOf(texts);
    const here = await index.search({ query, k: 50 });
    const script = `
      import { openTreeIndex } from ${JSON.stringify(new URL('../tree-index.ts', import.meta.url).href)};
      const index = openTreeIndex(${JSON.stringify({ root: tree.root, directory: tree.directory })});
      console.log(JSON.stringify(await index.search({ query: ${JSON.stringify(query)}, k: 50 })));
      index.close();`;
    const there = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(there)).toEqual(here);
  });
});

test('a wide reply holds many files before all spans of one', async () => {
  const long = Array.from({ length: 400 }, (_, k) => `zebra ${k}`).join('\n');
  const { index } = await indexOf({
    ...filler,
    'src/long.py': long,
    'src/short.py': `zebra\n${'x = 1\n'.repeat(200)}`,
  });
  const { hits } = await index.search({ query: 'zebra', wide: true });
  const paths = hits.map(({ path }) => path);
  expect(paths.filter((path) => path === 'src/long.py').length).toBe(10);
  expect(paths.indexOf('src/short.py')).toBeLessThan(9);
  const scores = hits.map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((one, two) => two - one));
});
