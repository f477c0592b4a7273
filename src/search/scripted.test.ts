import { describe, expect, test } from 'vitest';
import { type ScriptedSearch, scriptedSearch } from './scripted.ts';
import { type ContractFiles, searchContract } from './search.contract.ts';
import type { SearchHit } from './search.ts';

/** One hit for each line that holds every word, best file first by how short it is. */
function find(files: ContractFiles, query: string): SearchHit[] {
  const words = query.toLowerCase().split(' ').filter(Boolean);
  const found = Object.entries(files).flatMap(([path, content]) =>
    content.split('\n').flatMap((line, k) => {
      const holds = words.length > 0 && words.every((word) => line.toLowerCase().includes(word));
      return holds
        ? [{ path, start: k + 1, end: k + 1, score: 1 / line.length, provenance: 'bm25' as const }]
        : [];
    }),
  );
  return found.sort((a, b) => b.score - a.score);
}

function bestFirst(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  const best = hits.filter(({ path }) => !seen.has(path) && seen.add(path));
  return [...best, ...hits.filter((hit) => !best.includes(hit))];
}

searchContract('scripted', (files) => ({
  index: scriptedSearch({
    paths: Object.keys(files),
    of: ({ query, wide }) => (wide === true ? find(files, query) : bestFirst(find(files, query))),
  }),
  dispose: () => {},
}));

describe('scripted search', () => {
  const hit = (path: string): SearchHit => ({ path, start: 1, end: 2, score: 1, provenance: 'bm25' });
  const ask = async (search: ScriptedSearch, query: string): Promise<string[]> =>
    (await search.search({ query })).hits.map(({ path }) => path);

  test('answers from a list in turn, then finds nothing, and records what it was asked', async () => {
    const search = scriptedSearch({ inTurn: [[hit('a')], [hit('b')]] });
    expect([await ask(search, 'x'), await ask(search, 'y'), await ask(search, 'z')]).toEqual([
      ['a'],
      ['b'],
      [],
    ]);
    expect(search.requests.map(({ query }) => query)).toEqual(['x', 'y', 'z']);
  });

  test('answers the same always', async () => {
    const search = scriptedSearch({ hits: [hit('a')] });
    expect([await ask(search, 'x'), await ask(search, 'y')]).toEqual([['a'], ['a']]);
    search.close();
    expect(search.closed).toBe(true);
  });
});
