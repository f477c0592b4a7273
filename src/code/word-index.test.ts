import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WordFinder } from './grep/word-files.ts';
import { wordIndex } from './word-index.ts';
import { hasHash, hashTextWords, hashWord } from './word-tokens.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** So late that no file is too new to be told from what it was. */
const later = () => Date.now() + 60_000;

function tree(files: Record<string, string>) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-words-')));
  made.push(top);
  const root = join(top, 'tree');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const asked: string[] = [];
  const paths = () =>
    (readdirSync(root, { recursive: true, withFileTypes: true }) as readonly import('node:fs').Dirent[])
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort();
  const finder: WordFinder = {
    async filesContaining(words) {
      asked.push(`holding ${words.join()}`);
      return {
        paths: paths().filter((path) =>
          words.some((word) => readFileSync(join(root, path), 'utf8').includes(word)),
        ),
        cut: false,
      };
    },
    async listFiles() {
      asked.push('all');
      return { paths: paths(), cut: false };
    },
    async linesMatching() {
      asked.push('matching');
      return [];
    },
  };
  return { root, write, asked, finder, file: join(top, 'words') };
}

const two = { 'a.py': 'def first():\n    second()\n', 'b/c.py': 'import first\n' };

describe('an index of words', () => {
  it('asks the other finder about a file that cannot be opened by its name', async () => {
    const { root, finder, file } = tree({ 'a.py': 'first = 1\n' });
    const odd = 'bad\uFFFD.py';
    const index = wordIndex(
      {
        ...finder,
        listFiles: async () => ({ paths: ['a.py', odd], cut: false }),
        filesContaining: async (words) => ({ paths: words.includes('second') ? [odd] : [], cut: false }),
      },
      { root, file, now: later },
    );
    expect(await index.filesContaining(['nowhere'])).toEqual({ paths: [], cut: false });
    expect(await index.filesContaining(['first'])).toEqual({ paths: ['a.py'], cut: false });
    expect(await index.filesContaining(['second'])).toEqual({ paths: [odd], cut: false });
  });

  it('asks the other finder until it has read all, then nobody', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, nth) => [`f${nth}.py`, `x${nth} = shared\n`]),
    );
    const { root, finder, asked } = tree(many);
    const index = wordIndex(finder, { root, now: later });
    expect((await index.filesContaining(['x7'])).paths).toEqual(['f7.py']);
    expect(asked).toEqual(['all', 'holding x7']);
    await index.fill();
    index.recheck();
    expect((await index.filesContaining(['x7'])).paths).toEqual(['f7.py']);
    expect((await index.filesContaining(['shared'])).paths).toHaveLength(60);
    expect((await index.filesContaining(['nowhere'])).paths).toEqual([]);
    expect(asked).toEqual(['all', 'holding x7']);
  });

  it.each<[change: string, path: string, text: string, word: string, found: readonly string[]]>([
    ['a file that changed', 'a.py', 'def other():\n    pass\n', 'second', []],
    ['a word that came', 'b/c.py', 'import first, second\n', 'second', ['a.py', 'b/c.py']],
    ['a file that came', 'd.py', 'second()\n', 'second', ['a.py', 'd.py']],
    ['a file in a folder that came', 'e/f/g.py', 'second()\n', 'second', ['a.py', 'e/f/g.py']],
  ])('sees %s', async (_, path, text, word, found) => {
    const { root, write, finder } = tree(two);
    const index = wordIndex(finder, { root, now: later });
    expect((await index.filesContaining([word])).paths).toEqual(['a.py']);
    write(path, text);
    index.recheck();
    expect((await index.filesContaining([word])).paths).toEqual(found);
  });

  it('sees a file in a folder that was empty', async () => {
    const { root, write, finder } = tree(two);
    mkdirSync(join(root, 'empty/deeper'), { recursive: true });
    const index = wordIndex(finder, { root, now: later });
    await index.filesContaining(['second']);
    write('empty/deeper/new.py', 'second()\n');
    index.recheck();
    expect((await index.filesContaining(['second'])).paths).toEqual(['a.py', 'empty/deeper/new.py']);
  });

  it('lists again where a rule changed, and where nothing did not', async () => {
    const { root, write, finder, asked } = tree({ ...two, '.gitignore': 'x\n' });
    const index = wordIndex(finder, { root, now: later });
    const first = await index.listFiles();
    index.recheck();
    expect(await index.listFiles()).toBe(first);
    expect(asked).toEqual(['all']);
    write('.gitignore', 'x\nyy\n');
    index.recheck();
    expect(await index.listFiles()).not.toBe(first);
  });

  it('reads what is too new each time', async () => {
    const { root, write, finder } = tree(two);
    const index = wordIndex(finder, { root });
    await index.filesContaining(['second']);
    expect(index.stampOf('a.py')).toBeNull();
    write('a.py', 'def first():\n    sekond()\n');
    index.recheck();
    expect((await index.filesContaining(['second'])).paths).toEqual([]);
  });

  it('is kept for the next process, and made again where it is damaged', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, nth) => [`f${nth}.py`, `x${nth} = 1\n`]));
    const { root, finder, asked, file } = tree(many);
    const first = wordIndex(finder, { root, file, now: later });
    await first.listFiles();
    first.close();
    const next = wordIndex(finder, { root, file, now: later });
    expect((await next.filesContaining(['x7'])).paths).toEqual(['f7.py']);
    expect(asked.filter((one) => one !== 'all')).toEqual([]);
    writeFileSync(file, readFileSync(file).subarray(0, 200));
    const third = wordIndex(finder, { root, file, now: later });
    expect((await third.filesContaining(['x7'])).paths).toEqual(['f7.py']);
    expect(asked.filter((one) => one !== 'all')).toEqual(['holding x7']);
  });

  it('begins with the listing of the process before, and lists again where a folder has changed', async () => {
    const { root, write, finder, asked, file } = tree(two);
    const first = wordIndex(finder, { root, file, now: later });
    await first.listFiles();
    first.close();
    const next = wordIndex(finder, { root, file, now: later });
    expect((await next.filesContaining(['second'])).paths).toEqual(['a.py']);
    next.close();
    expect(asked).toEqual(['all']);
    write('b/d.py', 'second()\n');
    const third = wordIndex(finder, { root, file, now: later });
    expect((await third.filesContaining(['second'])).paths).toEqual(['a.py', 'b/d.py']);
    expect(asked).toEqual(['all', 'all']);
  });

  it('matches lines of files that hold a word, and again of those that changed', async () => {
    const { root, write, finder, asked } = tree({ ...two, 'n.txt': 'second(1)\n' });
    const index = wordIndex(finder, { root, now: later });
    const lines = () => index.linesMatching('second\\s*\\(', ['py'], undefined, ['second']);
    expect(await lines()).toEqual([{ path: 'a.py', line: 2, text: '    second()' }]);
    write('b/c.py', '\nsecond (2)\n');
    index.recheck();
    expect(await lines()).toHaveLength(2);
    expect(asked).not.toContain('matching');
  });
});

describe('words of a text', () => {
  it.each<[text: string, word: string, holds: boolean]>([
    ['a = naïve + 1', 'naïve', true],
    ['a — foo—bar', 'foo', true],
    ['a — foo—bar', 'bar', true],
    ['foobar', 'foo', false],
    ['x_1', 'x_1', true],
    ['日本 日本語', '日本', true],
    ['', 'x', false],
  ])('%j holds %j: %s', (text, word, holds) => {
    expect(hasHash(hashTextWords(Buffer.from(text))!, hashWord(word))).toBe(holds);
  });

  it('reads what readers take for text, in any encoding, and no bytes that are no text', () => {
    const wide = Buffer.from('def wide():\n    return 1\n', 'utf16le');
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), wide]);
    const withNul = Buffer.from('def wide():\n    return "\0"\n');
    const latin = Buffer.from('# d\xe9j\xe0 vu\ndef wide(): pass\n', 'latin1');
    for (const bytes of [wide, marked, withNul, latin])
      expect(hasHash(hashTextWords(bytes)!, hashWord('wide'))).toBe(true);
    expect(hasHash(hashTextWords(latin)!, hashWord('déjà'))).toBe(true);
    expect(hashTextWords(Buffer.from('a\0\0\0\x01b'))).toBeNull();
  });
});
