import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Manifest, readIndexedRoot, readManifest } from '../../manifest.ts';
import type { IndexReport, SearchIndex } from '../../search.ts';
import { type TreeFixture, treeFixture } from '../../tree-fixture.ts';
import { openTreeIndex } from '../../tree-index.ts';

const opened: { tree: TreeFixture; indexes: SearchIndex[] }[] = [];
afterEach(() => {
  for (const { tree, indexes } of opened.splice(0)) {
    for (const index of indexes) index.close();
    tree.dispose();
  }
});

interface Subject {
  readonly tree: TreeFixture;
  readonly index: SearchIndex;
  /** Another index over the same files, as a second process would open it. */
  open(directory?: string): SearchIndex;
}

function subject(
  files: Readonly<Record<string, string | Uint8Array>>,
  limits?: { readonly maxFileBytes: number },
): Subject {
  const tree = treeFixture(files);
  const indexes: SearchIndex[] = [];
  opened.push({ tree, indexes });
  const open = (directory = tree.directory): SearchIndex => {
    const index = openTreeIndex({ root: tree.root, directory, ...(limits && { limits }) });
    indexes.push(index);
    return index;
  };
  return { tree, index: open(), open };
}

async function paths(index: SearchIndex, query: string): Promise<string[]> {
  return (await index.search({ query, wide: true })).hits.map(({ path }) => path).sort();
}

const did = ({ added, changed, removed }: IndexReport) => [added, changed, removed];

// research.md: Index 1.
describe('a refresh sees', () => {
  const base = { 'a.ts': 'alpha\n', 'b/b.ts': 'beta\n', 'b/c/c.ts': 'gamma\n' };

  const check = (
    title: string,
    change: (tree: TreeFixture) => void,
    expected: readonly [added: number, changed: number, removed: number],
    found: Readonly<Record<string, readonly string[]>>,
    hints?: readonly string[],
  ) =>
    test(title, async () => {
      const { tree, index } = subject(base);
      expect(did(await index.refresh())).toEqual([3, 0, 0]);
      change(tree);
      expect(did(await index.refresh(hints === undefined ? {} : { paths: hints }))).toEqual(expected);
      for (const [query, files] of Object.entries(found)) expect(await paths(index, query)).toEqual(files);
      expect(did(await index.refresh())).toEqual([0, 0, 0]);
    });

  check('nothing', () => {}, [0, 0, 0], { alpha: ['a.ts'], gamma: ['b/c/c.ts'] });
  check('a new file', (tree) => tree.write('d.ts', 'delta'), [1, 0, 0], { delta: ['d.ts'] });
  check('a new folder', (tree) => tree.write('x/y/z.ts', 'zeta'), [1, 0, 0], { zeta: ['x/y/z.ts'] });
  check('a changed file', (tree) => tree.write('a.ts', 'omega'), [0, 1, 0], { alpha: [], omega: ['a.ts'] });
  check(
    'a change of the same length in the same moment',
    (tree) => tree.write('a.ts', 'ALPHB\n'),
    [0, 1, 0],
    {
      alpha: [],
      alphb: ['a.ts'],
    },
  );
  check('a removed file', (tree) => tree.remove('a.ts'), [0, 0, 1], { alpha: [], beta: ['b/b.ts'] });
  check('a removed folder', (tree) => tree.remove('b'), [0, 0, 2], { beta: [], gamma: [], alpha: ['a.ts'] });
  check('a moved folder', (tree) => renameSync(join(tree.root, 'b'), join(tree.root, 'm')), [2, 0, 2], {
    beta: ['m/b.ts'],
    gamma: ['m/c/c.ts'],
  });
  check('the same content written again', (tree) => tree.write('a.ts', 'alpha\n'), [0, 0, 0], {
    alpha: ['a.ts'],
  });
  check('a file that was touched', (tree) => utimesSync(join(tree.root, 'a.ts'), 1, 1), [0, 0, 0], {
    alpha: ['a.ts'],
  });
  check(
    'a change whose time was set back',
    (tree) => {
      tree.write('a.ts', 'omega\n');
      utimesSync(join(tree.root, 'a.ts'), 1, 1);
    },
    [0, 1, 0],
    { alpha: [], omega: ['a.ts'] },
  );
  check('a file that became binary', (tree) => tree.write('a.ts', 'alpha\0'), [0, 0, 1], { alpha: [] });
  check('a file that became ignored', (tree) => tree.write('.gitignore', 'b/\n'), [1, 0, 2], {
    beta: [],
    gamma: [],
  });
  check(
    'a link in the place of a folder',
    (tree) => {
      renameSync(join(tree.root, 'b'), join(tree.root, '..', 'outside'));
      symlinkSync('../outside', join(tree.root, 'b'));
    },
    [0, 0, 2],
    { beta: [], gamma: [] },
  );

  check(
    'only the paths given: a changed file',
    (tree) => tree.write('a.ts', 'omega'),
    [0, 1, 0],
    { omega: ['a.ts'] },
    ['a.ts'],
  );
  check(
    'only the paths given: a new file',
    (tree) => tree.write('n/d.ts', 'delta'),
    [1, 0, 0],
    { delta: ['n/d.ts'] },
    ['n/d.ts'],
  );
  check('only the paths given: a removed folder', (tree) => tree.remove('b'), [0, 0, 2], { gamma: [] }, [
    './b/',
  ]);
  check(
    'only the paths given: a folder',
    (tree) => tree.write('b/c/d.ts', 'delta'),
    [1, 0, 0],
    { delta: ['b/c/d.ts'] },
    ['b'],
  );
});

test('paths given do not get past the rules', async () => {
  const { tree, index } = subject({ '.gitignore': 'private/\n', 'a.ts': 'alpha' });
  await index.refresh();
  tree.write('private/key.ts', 'secretword');
  tree.write('.git/config', 'secretword');
  symlinkSync('/etc', join(tree.root, 'etc'));
  await index.refresh({ paths: ['private/key.ts', '.git/config', 'etc/hostname', 'private'] });
  expect(await paths(index, 'secretword')).toEqual([]);
  expect((await index.search({ query: 'alpha', scope: 'etc' })).hits).toEqual([]);
  await expect(index.refresh({ paths: ['../elsewhere'] })).rejects.toMatchObject({ code: 'outside_root' });
});

test('a look at some paths vouches for no folder that it did not look into', async () => {
  const { tree, index } = subject({ 'a.ts': 'alpha', 'b/b.ts': 'beta' });
  // As young as the look at it: what came in the same tick of the file system's clock would not show by its time.
  const young = new Date(Date.now() + 3_600_000);
  utimesSync(join(tree.root, 'b'), young, young);
  await index.refresh();
  tree.write('b/same-tick.ts', 'gamma');
  utimesSync(join(tree.root, 'b'), young, young);
  vi.useFakeTimers({ toFake: ['Date'], now: young.getTime() + 3_600_000 });
  try {
    // What is left out now was not before, so that the state of the tree is written anew.
    tree.write('a.ts', 'x\0y');
    expect(did(await index.refresh({ paths: ['a.ts'] }))).toEqual([0, 0, 1]);
    expect(did(await index.refresh())).toEqual([1, 0, 0]);
    expect(await paths(index, 'gamma')).toEqual(['b/same-tick.ts']);
  } finally {
    vi.useRealTimers();
  }
});

// research.md: Index 2.
test('rules that go bring their files back, and what is passed over is counted', async () => {
  const { tree, index } = subject(
    {
      '.gitignore': '*.log\n',
      'a.log': 'logword',
      'a.png': 'x',
      'n.dat': 'x\0y',
    },
    { maxFileBytes: 1_000_000 },
  );
  tree.write('big.txt', 'big '.repeat(300_000));
  tree.write('m.js', 'var minifiedword=1;'.repeat(2_000));
  const report = await index.refresh();
  expect(report.skipped).toEqual({ ignored: 1, binary: 2, minified: 0, huge: 1, unreadable: 0, linked: 0 });
  expect(report.notes).toEqual(report.left_out.filter((line) => line.includes('big.txt')));
  expect(report.left_out.join('\n')).toMatch(/a\.log.*a\.png, n\.dat.*big\.txt/s);
  expect(new Set(await paths(index, 'minifiedword'))).toEqual(new Set(['m.js']));
  tree.remove('.gitignore');
  expect((await index.refresh()).skipped.ignored).toBe(0);
  expect(await paths(index, 'logword')).toEqual(['a.log']);
  tree.write('big.txt', 'small');
  expect(await index.refresh()).toMatchObject({ added: 1, skipped: { huge: 0 } });
});

describe('damage is found, told and repaired', () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, k) => [`f${k}.ts`, `common word${k}\n`]));

  const check = (title: string, damage: (directory: string, names: readonly string[]) => void) =>
    test(title, async () => {
      const { tree, index, open } = subject(files);
      await index.refresh();
      index.close();
      damage(tree.directory, readdirSync(tree.directory));
      const again = open();
      // Whatever is left is searched without a crash.
      await again.search({ query: 'common' });
      await again.refresh();
      expect(await paths(again, 'common')).toHaveLength(30);
      expect(await again.search({ query: 'word7' })).toMatchObject({ completeness: 'complete', notes: [] });
    });

  const segment = (names: readonly string[]) => names.find((name) => name.endsWith('.seg'))!;
  const flip = (path: string, at: number) => {
    const bytes = readFileSync(path);
    bytes[at < 0 ? bytes.length + at : at]! ^= 0xff;
    writeFileSync(path, bytes);
  };
  check('a truncated segment', (directory, names) => truncateSync(join(directory, segment(names)), 900));
  check('an empty segment', (directory, names) => truncateSync(join(directory, segment(names)), 0));
  check('a segment that grew', (directory, names) => appendFileSync(join(directory, segment(names)), 'x'));
  check('a byte of the postings', (directory, names) => flip(join(directory, segment(names)), 140));
  check('a byte of the paths', (directory, names) => flip(join(directory, segment(names)), -2));
  check('a byte of the header', (directory, names) => flip(join(directory, segment(names)), 9));
  check('the manifest', (directory) => flip(join(directory, 'manifest.json'), 40));
  check('an empty manifest', (directory) => truncateSync(join(directory, 'manifest.json'), 0));
  check('the state of the tree', (directory, names) =>
    flip(join(directory, names.find((n) => n.startsWith('tree-'))!), 30),
  );
  check('everything', (directory, names) => {
    for (const name of names) if (name !== 'lock.db') writeFileSync(join(directory, name), 'garbage');
  });
});

/** Repeats with its seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const vocabulary = Array.from({ length: 60 }, (_, k) => `term${k}`);

test('after any changes the results are those of a new index', async () => {
  const pick = random(7);
  const text = () =>
    Array.from({ length: 5 + pick(300) }, () => vocabulary[pick(60) % (1 + pick(60))]).join(
      pick(2) ? ' ' : '\n',
    );
  const { tree, index, open } = subject({});
  const present = new Set<string>();
  for (let round = 0; round < 14; round++) {
    for (let k = 0; k < 1 + pick(12); k++) {
      const path = `d${pick(5)}/f${pick(25)}.${pick(4) ? 'ts' : 'md'}`;
      if (present.has(path) && pick(3) === 0) {
        tree.remove(path);
        present.delete(path);
      } else {
        tree.write(path, text());
        present.add(path);
      }
    }
    const report = await index.refresh();
    expect(report.files).toBe(present.size);
    const fresh = open(`${tree.directory}-${round}`);
    const rebuilt = await fresh.refresh();
    expect({ files: report.files, chunks: report.chunks, bytes: report.bytes }).toEqual({
      files: rebuilt.files,
      chunks: rebuilt.chunks,
      bytes: rebuilt.bytes,
    });
    for (const query of ['term1', 'term2 term3', 'term40 term0', 'term55 d1']) {
      for (const wide of [true, false]) {
        expect(await index.search({ query, wide })).toEqual(await fresh.search({ query, wide }));
      }
    }
  }
  expect(readdirSync(tree.directory).filter((name) => name.endsWith('.seg')).length).toBeLessThanOrEqual(9);
});

test('many small refreshes pile up no segments, and other readers see each', async () => {
  const { tree, index, open } = subject({ 'a.ts': 'start' });
  const reader = open();
  await index.refresh();
  for (let k = 0; k < 40; k++) {
    tree.write(`f${k}.ts`, `unique${k} shared`);
    await index.refresh({ paths: [`f${k}.ts`] });
    expect(await paths(reader, `unique${k}`)).toEqual([`f${k}.ts`]);
  }
  expect(await paths(reader, 'shared')).toHaveLength(40);
  expect(readdirSync(tree.directory).filter((name) => name.endsWith('.seg')).length).toBeLessThanOrEqual(9);
  expect(readdirSync(tree.directory).filter((name) => name.startsWith('tree-'))).toHaveLength(1);
});

test('line numbers hold in files with CRLF and in files that are not UTF-8', async () => {
  const rows = (end: string) => Array.from({ length: 100 }, (_, k) => `row${k + 1}${end}`).join('');
  const latin = Buffer.concat([Buffer.from([0xe9, 0xff, 10]), Buffer.from(rows('\n'))]);
  const { index } = subject({ 'crlf.txt': rows('\r\n'), 'latin.txt': latin });
  await index.refresh();
  for (const { path, start, end } of (await index.search({ query: 'row77' })).hits.slice(0, 2)) {
    const row = path === 'crlf.txt' ? 77 : 78;
    expect(start <= row && row <= end, `${path}:${start}-${end}`).toBe(true);
  }
});

test('equal scores are in the order of paths, whatever the order of writing', async () => {
  const { tree, index } = subject({ 'c.ts': 'same words', 'a.ts': 'same words' });
  await index.refresh();
  tree.write('b.ts', 'same words');
  tree.write('0.ts', 'same words');
  await index.refresh();
  for (const k of [2, 3, 10]) {
    const { hits } = await index.search({ query: 'same', k });
    expect(hits.map(({ path }) => path)).toEqual(['0.ts', 'a.ts', 'b.ts', 'c.ts'].slice(0, k));
  }
});

test('two clones give the same segments, and a manifest that names no folder', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 700 }, (_, n) => [
      `part${n % 9}/file${n}.ts`,
      `const value${n} = '${'x'.repeat(n)}';\n`,
    ]),
  );
  const found: { manifest: Manifest; segments: string[] }[] = [];
  for (let clone = 0; clone < 2; clone += 1) {
    const { tree, index } = subject(files);
    await index.refresh();
    const manifest = readManifest(tree.directory)!;
    expect(JSON.stringify(manifest)).not.toContain(tree.root);
    expect(readIndexedRoot(tree.directory)).toBe(tree.root);
    const segments = manifest.segments.map(({ name }) => readFileSync(join(tree.directory, name), 'latin1'));
    found.push({ manifest, segments });
  }
  expect(found[0]!.manifest.segments.map(({ files }) => files)).toEqual([384, 316]);
  expect(found[1]!.manifest).toEqual(found[0]!.manifest);
  expect(found[1]!.segments.map((bytes, k) => bytes === found[0]!.segments[k])).toEqual([true, true]);
});

test.each([
  ['missing', (path: string) => rmSync(path)],
  ['cut off', (path: string) => truncateSync(path, 20)],
  ['damaged', (path: string) => writeFileSync(path, readFileSync(path).fill(1, 9, 10))],
])('where the times of files are %s, their content decides', async (_, damage) => {
  const { tree, index, open } = subject({ 'a.ts': 'alpha\n', 'b.ts': 'beta\n', 'c.ts': 'gamma\n' });
  await index.refresh();
  const [times] = readdirSync(tree.directory).filter((name) => name.endsWith('.times'));
  damage(join(tree.directory, times!));
  tree.write('b.ts', 'zeta\n');
  const later = open();
  expect(did(await later.refresh())).toEqual([0, 1, 0]);
  expect(await paths(later, 'zeta')).toEqual(['b.ts']);
  expect(did(await later.refresh())).toEqual([0, 0, 0]);
});

test('a file that goes and comes back as it was has one segment of its own', async () => {
  const { tree, index } = subject({ 'a.ts': 'alpha\n' });
  await index.refresh();
  for (let k = 0; k < 3; k += 1) {
    tree.write('b.ts', 'beta\n');
    await index.refresh({ paths: ['b.ts'] });
    expect(await paths(index, 'beta')).toEqual(['b.ts']);
    tree.remove('b.ts');
    await index.refresh({ paths: ['b.ts'] });
    expect(await paths(index, 'beta')).toEqual([]);
  }
  const { segments } = readManifest(tree.directory)!;
  expect(new Set(segments.map(({ name }) => name)).size).toBe(segments.length);
});
