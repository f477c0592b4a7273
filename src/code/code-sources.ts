/**
 * Opens the sources that answer questions about names in a folder, and nothing else, so that benchmarks can measure
 * them alone.
 */
import { join } from 'node:path';
import { openFactsCache } from './facts/facts-cache.ts';
import { wordFiles } from './grep/word-files.ts';
import { createFileCache } from './references/file-cache.ts';
import type { CodeSources } from './references/survey.ts';
import { syntaxReader } from './syntax/reader.ts';
import { treeReader } from './tree-reader.ts';
import { wordIndex } from './word-index.ts';

export interface OpenCodeSources extends CodeSources {
  readonly root: string;
  /** Indexes the words of all files. */
  fill(): Promise<void>;
  close(): Promise<void>;
}

interface CodeSourceOptions {
  /** Milliseconds of one listing. */
  readonly limitMs?: number;
  /** Where words and facts are cached on disk. If absent, they are not cached. */
  readonly folder?: string;
}

export function openCodeSources(root: string, { limitMs, folder }: CodeSourceOptions = {}): OpenCodeSources {
  const words = wordIndex(wordFiles({ root }), {
    root,
    ...(folder !== undefined && { file: join(folder, 'words') }),
  });
  const syntax = syntaxReader(folder === undefined ? {} : { cache: openFactsCache(join(folder, 'facts')) });
  return {
    root,
    words,
    reader: treeReader({ root }),
    syntax,
    ...(limitMs !== undefined && { limitMs }),
    fileCache: createFileCache(),
    async fill() {
      await words.listFiles();
      // Reads only while the thread is idle, and does not keep the process alive.
      const keepAlive = setInterval(() => {}, 1_000);
      await words.fill().finally(() => clearInterval(keepAlive));
    },
    async close() {
      words.close();
      await syntax.close();
    },
  };
}
