import { expect, it } from 'vitest';
import type { CodeUnit, SpanSearch, TextReader } from '../core/index.ts';
import { definitionSearch } from './definition-search.ts';

const files: Readonly<Record<string, string>> = {
  'a.py': 'def take(key):\n  found = key\n  return found',
  'b.py': 'def other():\n  return 1',
};
const asked: object[] = [];
const search: SpanSearch = {
  async search(request) {
    asked.push(request);
    return {
      hits: ['a.py', 'gone.py', 'b.py'].map((path, n) => ({
        path,
        start: 1,
        end: 2,
        score: 3 - n,
        provenance: 'bm25',
      })),
      completeness: 'partial',
      notes: ['a note'],
    };
  },
};
const text: TextReader = {
  async readText(path) {
    const found = files[path];
    return found === undefined
      ? { kind: 'unreadable', reason: 'missing', message: 'gone' }
      : { kind: 'text', lines: found.split('\n') };
  },
};
const unit = (name: string, start: number, end: number): CodeUnit => ({
  name,
  kind: 'function',
  start,
  header: { start, end: start },
  end,
});

it('gives the definitions of the files that a search found, within its scope', async () => {
  const units = (path: string) =>
    path === 'a.py' ? [unit('take', 1, 3), unit('inner', 2, 3)] : [unit('other', 1, 2)];
  const { hits, ...rest } = await definitionSearch({ search, text, units }).search({
    query: 'take the key that was found',
    scope: '*.py',
  });
  // What stands within a better one is not given again.
  expect(hits).toEqual([
    {
      path: 'a.py',
      start: 1,
      end: 3,
      score: expect.any(Number),
      provenance: 'bm25',
      symbol: 'take',
      symbolKind: 'function',
    },
  ]);
  expect(rest).toEqual({ completeness: 'partial', notes: ['a note'] });
  expect(asked).toEqual([expect.objectContaining({ scope: '*.py' })]);
});
