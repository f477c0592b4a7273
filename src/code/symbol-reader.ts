/** A reader of names whose analysis is loaded with the first question: most runs ask none. */
import type { SymbolReader, TextReader } from '../core/index.ts';
import type { GitProgram } from './git/git.ts';
import type { WordFinder } from './grep/word-files.ts';
import type { LanguageServers } from './servers/index.ts';
import type { SyntaxReader } from './syntax/reader.ts';

export interface SymbolReaderOptions {
  readonly root: string;
  readonly reader: TextReader;
  readonly syntax: SyntaxReader;
  readonly words: WordFinder;
  readonly git?: GitProgram;
  /** A second source beside syntax. */
  readonly servers?: LanguageServers | undefined;
  /** Milliseconds of one listing. */
  readonly limitMs?: number;
}

export function symbolReader(options: SymbolReaderOptions): SymbolReader {
  let opening: Promise<SymbolReader> | undefined;
  const reader = () =>
    (opening ??= import('./read-symbols.ts').then(({ readSymbols }) => readSymbols(options)));
  return {
    references: async (request) => (await reader()).references(request),
    outline: async (request) => (await reader()).outline(request),
    impact: async (request) => (await reader()).impact(request),
    impactOfChange: async (request) => (await reader()).impactOfChange(request),
    trace: async (request) => (await reader()).trace(request),
    hover: async (request) => (await reader()).hover(request),
    expand: async (request) => (await reader()).expand(request),
    paths: async (request) => (await reader()).paths(request),
  };
}
