import { describe, expect, it } from 'vitest';
import type { CodeUnit, SpanHit, SpanSearch, TextReader } from '../core/index.ts';
import { unitSpans } from './unit-spans.ts';

const lines = Array.from({ length: 200 }, (_, n) => `line ${n + 1}`);
const put = (from: number, ...texts: readonly string[]) => lines.splice(from - 1, texts.length, ...texts);
put(70, 'def other(redirect)');
put(
  90,
  'def redirect_method(request)',
  '  if response is SEE_OTHER the method of the redirect',
  '  return method',
);
const text: TextReader = {
  readText: async (path) =>
    path === 'gone.py'
      ? { kind: 'unreadable', reason: 'missing', message: 'gone' }
      : { kind: 'text', lines: path === 'a.py' ? lines : ['nothing'] },
};
const unit = (name: string, start: number, end: number): CodeUnit => ({
  ...{ name, kind: 'function', start, header: { start, end: start }, end },
});
const units = (path: string) =>
  path === 'a.py' ? [unit('other', 70, 75), unit('redirect_method', 90, 92)] : [];
const hit = (path: string, start: number, end: number): SpanHit => ({
  path,
  start,
  end,
  score: 1,
  provenance: 'bm25',
});

async function found(
  hits: readonly SpanHit[],
  request: Parameters<SpanSearch['search']>[0],
  unitsOf = units,
) {
  const search: SpanSearch = { search: async () => ({ hits, completeness: 'complete', notes: [] }) };
  const reply = await unitSpans(search, { text, units: unitsOf }).search(request);
  return reply.hits.map(({ path, start, end }) => `${path}:${start}-${end}`);
}

describe('spans where the best definition of a file is', () => {
  const query = 'which response changes the method of a redirect';

  it('reach from it towards the chunk that was found, at the length of a chunk', async () => {
    expect(await found([hit('a.py', 41, 80)], { query })).toEqual(['a.py:53-92']);
    expect(await found([hit('a.py', 81, 120)], { query })).toEqual(['a.py:81-120']);
    expect(await found([hit('a.py', 121, 160)], { query })).toEqual(['a.py:90-129']);
  });

  it('take of a long one the part that the chunk meets', async () => {
    const whole = () => [unit('redirect_method', 1, 92)];
    expect(await found([hit('a.py', 41, 80)], { query }, whole)).toEqual(['a.py:41-80']);
  });

  it('stay as they were found in wide replies, for a word or two, for a second span, and for what can not be read', async () => {
    const hits = [hit('a.py', 41, 80)];
    expect(await found(hits, { query, wide: true })).toEqual(['a.py:41-80']);
    expect(await found(hits, { query: 'redirect_method' })).toEqual(['a.py:41-80']);
    expect(
      await found([...hits, hit('a.py', 1, 40), hit('gone.py', 1, 2), hit('b.py', 1, 1)], { query }),
    ).toEqual(['a.py:53-92', 'a.py:1-40', 'gone.py:1-2', 'b.py:1-1']);
  });
});
