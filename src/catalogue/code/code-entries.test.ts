import { describe, expect, it } from 'vitest';
import { collect } from '../../tasks/research/collect.ts';
import { type MaterialScript, scriptedMaterial } from '../../tasks/research/scripted.ts';
import { entryContract } from '../entry.contract.ts';
import { scopeOf } from '../scope.ts';
import { codeEntries } from './code-entries.ts';
import type { CodePorts } from './code-ports.ts';

const sha = 'c'.repeat(40);
const script: MaterialScript = {
  files: {
    'src/store.py': 'class Store:\n    def expire(self):\n        return 1\n',
    'keys/store.py': 'def expire():\n    return "hidden"\n',
    [`commit:${sha}`]: 'Expire\n\nFiles:\nsrc/store.py\nkeys/store.py',
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
};

describe('abilities over code', () => {
  entryContract(
    codeEntries.map((entry) => ({ entry, args: argsOf[entry.name] ?? {} })),
    () => {
      const scope = 'src/**';
      const { text, search, grep, past, definitions } = scriptedMaterial(script);
      const ports: CodePorts = { text, search, grep, past, definitions };
      return {
        ports,
        scope,
        secret: /hidden|keys\/store/,
        collect: (finds) => collect(text, scopeOf(scope), finds),
      };
    },
  );

  it('are each under a name of its own', () => {
    expect(new Set(codeEntries.map(({ name }) => name)).size).toBe(codeEntries.length);
  });
});
