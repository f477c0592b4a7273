import { afterAll, describe, expect, it } from 'vitest';
import { memorySymbols, type Tree } from '../../code/memory-tree.contract.ts';
import { syntaxReader } from '../../code/syntax/reader.ts';
import { collect } from '../../tasks/research/material/collect.ts';
import { type MaterialScript, scriptedMaterial } from '../../tasks/research/scripted.ts';
import { fileEntryContract } from '../entry.contract.ts';
import { createScope } from '../scope.ts';
import { codeEntries } from './code-entries.ts';
import type { CodePorts } from './code-ports.ts';
import { listPaths } from './list-paths.ts';
import { readText } from './read-text.ts';

const syntax = syntaxReader();
afterAll(() => syntax.close());

const sha = 'c'.repeat(40);
const script: MaterialScript = {
  files: {
    'src/store.py': 'class Store:\n    def expire(self):\n        return 1\n',
    'keys/store.py': 'def expire():\n    return "hidden"\n',
    [`commit:${sha}`]: 'Expire\n\nFiles:\nsrc/store.py\nkeys/store.py',
    [`diff:${sha}:src/store.py`]: '@@ -1 +1 @@\n-a\n+b',
    [`diff:${sha}:keys/store.py`]: '@@ -1 +1 @@\n-hidden\n+key',
  },
  commits: [
    {
      commit: sha,
      date: '2026-01-01T00:00:00Z',
      author: 'A',
      subject: 'Expire',
      paths: ['src/store.py', 'keys/store.py'],
    },
  ],
  // Ports that forget the scope.
  search: () => ({
    hits: [
      { path: 'keys/store.py', start: 1, end: 2, score: 2, provenance: 'bm25' },
      { path: 'src/store.py', start: 1, end: 2, score: 1, provenance: 'bm25' },
    ],
    completeness: 'complete',
    notes: [],
  }),
};

const argsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  hybrid_search: { query: 'expire' },
  open_span: { file_path: 'src/store.py', start_line: 1, end_line: 2 },
  grep: { pattern: 'expire' },
  find_definition: { symbol: 'expire' },
  git_log: { path: 'src/store.py' },
  git_blame: { file_path: 'src/store.py', start_line: 1, end_line: 2 },
  git_pickaxe: { text: 'expire' },
  git_show: { commit: sha },
  list_paths: {},
  find_references: { symbol: 'src/store.py#Store.expire' },
  find_impact: { symbol: 'src/store.py#Store.expire' },
  outline: { file_path: 'src/store.py' },
  trace_path: { from: 'Store', to: 'src/store.py#Store.expire' },
  hover: { symbol: 'src/store.py#Store.expire' },
  list_tree: {},
  expand_symbol: { symbol: 'src/store.py#Store.expire' },
  read_text: { path: 'src/store.py' },
};

describe('abilities over code', () => {
  fileEntryContract<CodePorts>(
    [...codeEntries, listPaths, readText].map((entry) => ({ entry, args: argsOf[entry.name] ?? {} })),
    () => {
      const scope = 'src/**';
      const { text, search, grep, past, definitions } = scriptedMaterial(script);
      const ports: CodePorts = {
        text,
        search,
        grep,
        past,
        definitions,
        symbols: memorySymbols(script.files as Tree, syntax),
        paths: async () => ({ paths: Object.keys(script.files ?? {}), completeness: 'complete', notes: [] }),
      };
      return {
        ports,
        scope,
        secret: /hidden|keys\/store/,
        collect: (finds) => collect(text, createScope(scope), finds),
      };
    },
  );

  // Of an issue with its log somebody takes a line as it is, and a generated name is long.
  it.each([
    ['hybrid_search', 'query'],
    ['grep', 'pattern'],
    ['find_definition', 'symbol'],
    ['git_log', 'message'],
    ['git_log', 'path'],
    ['git_pickaxe', 'text'],
    ['open_span', 'file_path'],
    ['git_blame', 'file_path'],
  ])('%s takes a long %s, and leaves what is too long to its port', (name, field) => {
    const { parameters } = codeEntries.find((one) => one.name === name)!;
    const args = { ...argsOf[name], [field]: 'long '.repeat(2_000) };
    expect(parameters.safeParse(args).success).toBe(true);
  });

  it('are each under a name of its own', () => {
    expect(new Set(codeEntries.map(({ name }) => name)).size).toBe(codeEntries.length);
  });
});
