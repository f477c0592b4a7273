/** A tree held in memory, as the readers of symbols see one. */
import type { SymbolReader, TextReader } from '../core/index.ts';
import type { WordFinder } from './grep/word-files.ts';
import { symbolReader } from './symbol-reader.ts';
import type { SyntaxReader } from './syntax/reader.ts';

export type Tree = Record<string, string>;

export const memoryReader = (files: Tree): TextReader => ({
  async readText(path) {
    const text = files[path];
    return text === undefined
      ? { kind: 'unreadable', reason: 'missing', message: `${path} is missing` }
      : { kind: 'text', lines: text.split('\n') };
  },
});

export function memoryWords(files: Tree): WordFinder {
  const paths = () =>
    Object.keys(files)
      .filter((path) => !/^(?:commit|diff):/.test(path))
      .sort();
  const escapePattern = (word: string) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return {
    async filesContaining(words) {
      const wanted = words.map((word) => new RegExp(`(?<![\\w])${escapePattern(word)}(?![\\w])`));
      return { paths: paths().filter((path) => wanted.some((one) => one.test(files[path]!))), cut: false };
    },
    listFiles: async () => ({ paths: paths(), cut: false }),
    async linesMatching(pattern, extensions) {
      const wanted = new RegExp(pattern);
      return paths()
        .filter((path) => extensions.some((extension) => path.endsWith(`.${extension}`)))
        .flatMap((path) =>
          files[path]!.split('\n').flatMap((text, at) =>
            wanted.test(text) ? [{ path, line: at + 1, text }] : [],
          ),
        );
    },
  };
}

/** Its listings are never cut by time. */
export const memorySymbols = (files: Tree, syntax: SyntaxReader): SymbolReader =>
  symbolReader({
    root: '/nowhere',
    reader: memoryReader(files),
    words: memoryWords(files),
    syntax,
    limitMs: Number.MAX_SAFE_INTEGER,
  });
