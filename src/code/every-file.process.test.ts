/** What the index, grep, readings and the gate see of files that are not plain UTF-8 within the rules: the same. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkClaim, toEvidence } from '../core/index.ts';
import { openTreeIndex, type SearchIndex } from '../search/index.ts';
import { type Fixture, folderFixture, repositoryFixture } from './git/repository-fixture.ts';
import { createTrackedPathsFinder } from './git/tracked-paths.ts';
import { ripgrep } from './grep/grep.ts';
import { wordFiles } from './grep/word-files.ts';
import { treeReader } from './tree-reader.ts';
import { wordIndex } from './word-index.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function looked(tree: Fixture) {
  const { root } = tree;
  const directory = `${root}-index`;
  const index: SearchIndex = openTreeIndex({ root, directory, tracked: createTrackedPathsFinder({ root }) });
  opened.push(() => {
    index.close();
    tree.remove();
    rmSync(directory, { recursive: true, force: true });
  });
  const report = await index.refresh();
  const grep = ripgrep({ root, unusual: () => index.unusual() });
  return { root, index, report, grep, reader: treeReader({ root }) };
}

async function found(index: SearchIndex, query: string): Promise<readonly string[]> {
  return (await index.search({ query, k: 5 })).hits.map(({ path, start, end }) => `${path}:${start}-${end}`);
}

/** The decoder turned around: the bytes of each letter, found by decoding all there are of one and two. */
function inEncoding(text: string, encoding: string): Buffer {
  if (encoding.startsWith('utf-16')) {
    const bytes = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  }
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, readonly number[]>();
  for (let lead = 0x81; lead < 0xff; lead++)
    for (let trail = 0x40; trail < 0xff; trail++) {
      const letter = decoder.decode(Uint8Array.of(lead, trail));
      if (letter.length === 1 && !codes.has(letter)) codes.set(letter, [lead, trail]);
    }
  for (let byte = 0; byte < 0x100; byte++) codes.set(decoder.decode(Uint8Array.of(byte)), [byte]);
  return Buffer.from([...text].flatMap((letter) => codes.get(letter) ?? []));
}

const japanese = '# メモ\nこの関数は設定ファイルを読み込みます。\n保管場所は三番目の引き出しです。\n';
const chinese = '第一行是标题。\n备份钥匙放在第三个抽屉里。\n连接超时为三十秒。\n';
const german = 'Erste Zeile.\nDer Schlüssel läge wie üblich in der dritten Schublade.\n';
const english = 'Title\nThe spare key is in the third drawer.\nEnd.\n';

const texts: readonly (readonly [name: string, bytes: Buffer, query: string, word: string, line: string])[] =
  [
    [
      'UTF-16, little end first',
      inEncoding(english, 'utf-16le'),
      'spare drawer',
      'drawer',
      english.split('\n')[1]!,
    ],
    [
      'UTF-16, big end first',
      inEncoding(english, 'utf-16be'),
      'spare drawer',
      'drawer',
      english.split('\n')[1]!,
    ],
    [
      'UTF-16 with a mark',
      Buffer.concat([Buffer.from([0xff, 0xfe]), inEncoding(english, 'utf-16le')]),
      'spare drawer',
      'drawer',
      english.split('\n')[1]!,
    ],
    [
      'UTF-16 with Chinese',
      inEncoding(chinese, 'utf-16le'),
      '备份钥匙',
      '第三个抽屉',
      chinese.split('\n')[1]!,
    ],
    ['Shift-JIS', inEncoding(japanese, 'shift_jis'), '設定ファイル', '設定', japanese.split('\n')[1]!],
    ['EUC-JP', inEncoding(japanese, 'euc-jp'), '設定ファイル', '設定', japanese.split('\n')[1]!],
    ['GB18030', inEncoding(chinese, 'gb18030'), '备份钥匙', '第三个抽屉', chinese.split('\n')[1]!],
    ['Latin-1', inEncoding(german, 'windows-1252'), 'Schlüssel Schublade', 'üblich', german.split('\n')[1]!],
    [
      'text with a NUL',
      Buffer.from('Title of it\nThe spare\0 key is in the third drawer.\nEnd.\n'),
      'third drawer',
      'third drawer',
      'The spare\0 key is in the third drawer.',
    ],
  ];

describe('files in other encodings', () => {
  it.each(texts)(
    '%s: searched, grepped, read and cited as the same line',
    async (_, bytes, query, word, line) => {
      const tree = folderFixture({ 'notes/other.txt': bytes, 'plain.md': '# Nothing\nof that kind\n' });
      const { index, report, grep, reader } = await looked(tree);
      expect(report).toMatchObject({ files: 2, left_out: [] });
      expect((await found(index, query))[0]).toMatch(/^notes\/other\.txt:1-/);
      expect((await grep.grep({ pattern: word })).matches).toMatchObject([
        { path: 'notes/other.txt', line: 2, text: line },
      ]);
      const file = await reader.readText('notes/other.txt');
      if (file.kind !== 'text') throw new Error(file.message);
      expect(file.lines[1]).toBe(line);
      const span = { path: 'notes/other.txt', start: 2, end: 2, reason: '', provenance: 'grep' } as const;
      const made = toEvidence(file, span, { lines: 10 });
      if (typeof made === 'string') throw new Error(made);
      expect(made.content).toBe(line);
      const claim = { path: 'notes/other.txt', start: 2, end: 2, hash: made.hash, quote: line };
      expect(await checkClaim(claim, reader)).toEqual({ status: 'valid' });
      expect((await checkClaim({ ...claim, hash: 'a'.repeat(64) }, reader)).status).toBe('changed');
    },
  );

  it('hashes the bytes of the file, whatever the text is shown as', async () => {
    const bytes = inEncoding(chinese, 'gb18030');
    const { reader } = await looked(folderFixture({ 'a.txt': bytes }));
    const file = await reader.readText('a.txt');
    if (file.kind !== 'text') throw new Error(file.message);
    const made = toEvidence(
      file,
      { path: 'a.txt', start: 2, end: 3, reason: '', provenance: 'grep' },
      { lines: 9 },
    );
    const own = Buffer.from(bytes.toString('latin1').split('\n').slice(1, 3).join('\n'), 'latin1');
    const { createHash } = await import('node:crypto');
    expect(made).toMatchObject({ hash: createHash('sha256').update(own).digest('hex') });
  });

  it('leaves real binaries out, and names them', async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 31) % 256));
    const { report } = await looked(folderFixture({ 'data.bin': noise, 'a.txt': 'text\n' }));
    expect(report).toMatchObject({ files: 1, skipped: { binary: 1 } });
    expect(report.left_out).toEqual([
      'left out: 1 that are not text, or not in an encoding that is read (data.bin)',
    ]);
  });
});

describe('large files and long lines', () => {
  const filler = (n: number) => `2026-11-22T10:00:00Z worker ${n % 17} took job ${n} from the queue\n`;

  it('finds the one line that answers in a log of several megabytes, and cites it', async () => {
    const lines = Array.from({ length: 120_000 }, (_, n) => filler(n));
    lines[90_000] = '2026-11-22T11:11:11Z quagga relay refused the handshake\n';
    const tree = folderFixture({ 'var/service.log': lines.join(''), 'README.md': '# Service\n' });
    const { index, report, reader } = await looked(tree);
    expect(report).toMatchObject({ files: 2, left_out: [] });
    const [first = ''] = await found(index, 'quagga relay handshake');
    const [, start, end] = /:(\d+)-(\d+)$/.exec(first)?.map(Number) ?? [];
    expect(start).toBeLessThanOrEqual(90_001);
    expect(end).toBeGreaterThanOrEqual(90_001);
    const claim = { path: 'var/service.log', start: 90_001, end: 90_001, quote: 'quagga relay refused' };
    expect(await checkClaim(claim, reader)).toEqual({ status: 'valid' });
  });

  it.each([
    ['JSON of one line', 'data/export.json', (words: string) => `{"rows":[${words}]}`],
    [
      'a program without line ends',
      'static/app.min.js',
      (words: string) => `!function(){var a=[${words}]}();`,
    ],
  ])('%s is found, and the part around the words is evidence', async (_, path, wrap) => {
    const words = Array.from({ length: 60_000 }, (_, n) => `"entry${n} of the list"`);
    words[50_000] = '"the quagga relay refuses"';
    const tree = folderFixture({ [path]: wrap(words.join(',')), 'a.md': '# Other\ntext\n' });
    const { index, reader, grep } = await looked(tree);
    expect((await found(index, 'quagga relay'))[0]).toBe(`${path}:1-1`);
    const file = await reader.readText(path);
    if (file.kind !== 'text') throw new Error(file.message);
    for (const near of ['quagga relay', (await grep.grep({ pattern: 'quagga' })).matches[0]!.text]) {
      const span = { path, start: 1, end: 1, reason: '', provenance: 'bm25', near } as const;
      const made = toEvidence(file, span, { lines: 120, characters: 2000 });
      if (typeof made === 'string') throw new Error(made);
      expect(made.content).toContain('the quagga relay refuses');
      expect(made.content.length).toBeLessThanOrEqual(2000);
      const claim = { path, start: 1, end: 1, hash: made.hash, quote: 'the quagga relay refuses' };
      expect(await checkClaim(claim, reader)).toEqual({ status: 'valid' });
    }
  });
});

describe('files that are tracked though a rule ignores them', () => {
  it('are in; those that are not tracked are left out, and named', async () => {
    const tree = repositoryFixture({
      '.gitignore': 'build/\n*.log\n',
      'build/rules.py': 'quagga = 1\n',
      'kept.log': 'zebra line\n',
      'src/a.py': 'other = 1\n',
    });
    tree.git('add', '-f', '.');
    tree.commit('first');
    tree.write('build/rest.py', 'untracked quagga\n');
    const { index, report, grep } = await looked(tree);
    expect(await index.paths()).toEqual(['.gitignore', 'build/rules.py', 'kept.log', 'src/a.py']);
    expect(report.left_out).toEqual(["left out: 1 that the project's rules ignore (build/)"]);
    expect((await grep.grep({ pattern: 'quagga|zebra' })).matches.map(({ path }) => path)).toEqual([
      'build/rules.py',
      'kept.log',
    ]);
    // Added, changed and taken out of git's index again.
    tree.git('add', '-f', 'build/rest.py');
    expect(await index.refresh()).toMatchObject({ added: 1 });
    tree.write('build/rules.py', 'quagga = 2\nlemur = 1\n');
    expect(await index.refresh()).toMatchObject({ changed: 1 });
    expect((await found(index, 'lemur'))[0]).toBe('build/rules.py:1-2');
    expect(await index.refresh({ paths: ['build/rules.py'] })).toMatchObject({ removed: 0 });
    tree.git('rm', '-q', '--cached', 'build/rest.py');
    expect(await index.refresh()).toMatchObject({ removed: 1, added: 0 });
    expect(await index.paths()).not.toContain('build/rest.py');
    rmSync(join(tree.root, 'build'), { recursive: true });
    expect(await index.refresh()).toMatchObject({ removed: 1 });
  });

  it('are told of a folder within the repository by their paths in it', async () => {
    const tree = repositoryFixture({ '.gitignore': 'lib/\n', 'web/lib/a.js': 'x\n', 'lib/b.js': 'y\n' });
    tree.git('add', '-f', '.');
    tree.commit('first');
    expect(await createTrackedPathsFinder({ root: join(tree.root, 'web') })()).toEqual(['lib/a.js']);
    tree.remove();
  });
});

it('a text with a NUL is text for who asks for a word of it; bytes that are no text are not', async () => {
  const tree = folderFixture({
    'nul.py': Buffer.from('def owl():\n    return "\0"\n'),
    'wide.py': inEncoding('def nest():\n    return owl()\n', 'utf-16le'),
    'no.bin': Buffer.from('owl\0\x01\x02\x03\0\0\0owl\n'),
    'plain.py': 'from nul import owl\n',
  });
  const { root, index } = await looked(tree);
  const finder = wordFiles({ root, unusual: () => index.unusual() });
  expect((await finder.filesContaining(['owl'])).paths).toEqual(['nul.py', 'plain.py', 'wide.py']);
  const indexed = wordIndex(finder, { root });
  expect((await indexed.filesContaining(['owl'])).paths).toEqual(['nul.py', 'plain.py', 'wide.py']);
  expect(await finder.linesMatching('return', ['py'])).toMatchObject([{ path: 'nul.py', line: 2 }]);
});
