import { afterAll, beforeAll, expect, test } from 'vitest';
import { masker, sha256, type TextReader } from '../core/index.ts';
import { type Fixture, repositoryFixture } from './git/repository-fixture.ts';
import { treeReader } from './tree-reader.ts';
import { type VerifiedLine, verifyLines } from './verify-lines.ts';

const mask = masker({ key: Buffer.from('one home'), known: [] });
const password = ['n0tSo', 'Easy!9x'].join('');
const setting = `password = "${password}"`;

let tree: Fixture;
let first: string;
beforeAll(() => {
  tree = repositoryFixture({
    'a.py': 'one\ntwo  words\nthree\n',
    'a.ini': `${setting}\n`,
    'bin.dat': Buffer.from([0, 1]),
  });
  first = tree.commit('first');
  tree.write('a.py', 'zero\none\ntwo  words\nthree\n');
});
afterAll(() => tree.remove());

async function verify(
  text: string,
  reader: TextReader = treeReader({ root: tree.root }),
): Promise<VerifiedLine[]> {
  const results: VerifiedLine[] = [];
  for await (const result of verifyLines(text, reader, () => mask)) results.push(result);
  return results;
}

const cases: readonly [line: unknown, expected: Partial<VerifiedLine>][] = [
  [
    { path: 'a.py', start: 2, end: 3 },
    { status: 'valid', path: 'a.py', start: 2, end: 3 },
  ],
  [{ path: './a.py', start: 3, end: 3, quote: 'two words' }, { status: 'valid' }],
  // As it stands there, and as Sonde shows it; not under the key of another home.
  [{ path: 'a.ini', start: 1, end: 1, quote: setting }, { status: 'valid' }],
  [
    { path: 'a.ini', start: 1, end: 1, quote: mask.text(setting), hash: sha256(setting) },
    { status: 'valid' },
  ],
  [
    {
      path: 'a.ini',
      start: 1,
      end: 1,
      quote: masker({ key: Buffer.from('other'), known: [] }).text(setting),
    },
    { status: 'quote_not_found' },
  ],
  [
    { path: 'a.py', start: 1, end: 1, quote: 'three' },
    { status: 'quote_not_found', found: { start: 4, end: 4 } },
  ],
  [{ path: 'a.py', start: 1, end: 9 }, { status: 'out_of_range' }],
  [{ path: 'b.py', start: 1, end: 1 }, { status: 'missing_file' }],
  [{ path: '../a.py', start: 1, end: 1 }, { status: 'outside_root' }],
  [{ path: 'bin.dat', start: 1, end: 1 }, { status: 'not_text' }],
  [{ file_path: 'a.py', start_line: 2, end_line: 2, quote: null, extra: [1] }, { status: 'valid' }],
  [{ path: 'a.py', start: 2, end: 2, hash: sha256('one') }, { status: 'valid' }],
  [
    { path: 'a.py', start: 1, end: 1, hash: sha256('one') },
    { status: 'changed', found: { start: 2, end: 2 } },
  ],
  [{ path: 'a.py', start: 2, end: 2, hash: 'abc' }, { status: 'bad_line' }],
  [{ path: 'a.py', start: '2', end: 2 }, { status: 'bad_line' }],
  [{ path: 'a.py', start: 2 }, { status: 'bad_line' }],
  [{ path: 7, start: 2, end: 2 }, { status: 'bad_line' }],
  [{ path: 'a.py', start: 2, end: 2, quote: 7 }, { status: 'bad_line' }],
  [{ path: 'a.py', start: 2.5, end: 3 }, { status: 'out_of_range' }],
  [[1, 2], { status: 'bad_line' }],
  [null, { status: 'bad_line' }],
  ['text', { status: 'bad_line' }],
];

test.each(cases)('%j', async (line, expected) => {
  const [result] = await verify(JSON.stringify(line));
  expect(result).toMatchObject(expected);
  expect(result!.reason === undefined).toBe(expected.status === 'valid');
});

test('nothing stops the list, and its order is kept', async () => {
  const text = `\uFEFF{"path":"a.py","start":1,"end":1}\r\n\n{"path": not json\n{"path":"__proto__","start":1,"end":1}\n{"path":"a.py","start":2,"end":2}`;
  expect((await verify(text)).map((result) => [result.line, result.status])).toEqual([
    [1, 'valid'],
    [3, 'bad_line'],
    [4, 'missing_file'],
    [5, 'valid'],
  ]);
  expect(await verify('')).toEqual([]);
});

test('a commit that is here is where the claim is checked', async () => {
  const claim = { path: 'a.py', start: 1, end: 1, quote: 'one' };
  const [then, now, unknown] = await verify(
    [{ ...claim, commit: first }, claim, { ...claim, start: 2, end: 2, commit: 'f'.repeat(40) }]
      .map((line) => JSON.stringify(line))
      .join('\n'),
  );
  expect(then).toMatchObject({ status: 'valid' });
  expect(now).toMatchObject({ status: 'quote_not_found' });
  expect(unknown).toMatchObject({ status: 'valid', note: expect.stringContaining('is not here') });
});

test('each file is read once', async () => {
  const reads: string[] = [];
  const reader: TextReader = {
    readText: async (path) => {
      reads.push(path);
      return { kind: 'text', lines: ['x'] };
    },
  };
  const rows = Array.from({ length: 3_000 }, (_, index) => ({ path: `f${index % 3}`, start: 1, end: 1 }));
  const results = await verify(rows.map((row) => JSON.stringify(row)).join('\n'), reader);
  expect(results.every((result) => result.status === 'valid')).toBe(true);
  expect(reads).toEqual(['f0', 'f1', 'f2']);
});
