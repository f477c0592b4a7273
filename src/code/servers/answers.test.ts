import { describe, expect, it } from 'vitest';
import { hoverIn, isSame, placesIn } from './answers.ts';

const at = (uri: unknown, line: unknown = 0, character: unknown = 0) => ({
  uri,
  range: { start: { line, character } },
});

describe('places that a server names', () => {
  it('are counted as lines are here', () => {
    expect(placesIn('/r', [at('file:///r/a%20b/c.ts', 4, 2)])).toEqual({
      places: [{ path: 'a b/c.ts', line: 5, column: 2 }],
      outside: 0,
      cut: false,
    });
  });

  it.each([
    ['another folder', at('file:///etc/passwd')],
    ['a folder with the same beginning', at('file:///r2/a.ts')],
    ['above the folder', at('file:///r/../etc/a.ts')],
    ['the folder itself', at('file:///r/')],
    ['another machine', at('file://host/r/a.ts')],
    ['no file', at('https://example.org/r/a.ts')],
    ['an odd name', at('file:///r/a%00.ts')],
    ['a broken name', at('file:///r/%E0%A4%A')],
    ['a name that is none', at(7)],
    ['a line below 0', at('file:///r/a.ts', -1)],
    ['half a line', at('file:///r/a.ts', 0.5)],
    ['a line past all files', at('file:///r/a.ts', 1e12)],
    ['a line that is a text', at('file:///r/a.ts', '3')],
    ['no range', { uri: 'file:///r/a.ts' }],
    ['nothing', null],
    ['a number', 3],
  ])('are dropped where they lie in %s', (_, row) => {
    expect(placesIn('/r', [row])).toEqual({ places: [], outside: 1, cut: false });
  });

  it('are no list, are none, are too many, are told twice', () => {
    expect(placesIn('/r', { uri: 'x' })).toBeNull();
    expect(placesIn('/r', 'x')).toBeNull();
    expect(placesIn('/r', null)?.places).toEqual([]);
    const many = Array.from({ length: 6_000 }, (_, line) => at('file:///r/a.ts', line));
    expect(placesIn('/r', many)).toMatchObject({ cut: true, places: { length: 5_000 } });
    expect(placesIn('/r', [at('file:///r/a.ts'), at('file:///r/a.ts')])?.places).toHaveLength(1);
  });

  it('agree in whatever order they come', () => {
    const [one, two] = [at('file:///r/a.ts', 1), at('file:///r/b.ts', 2)];
    const read = (rows: readonly unknown[]) => placesIn('/r', rows)!;
    expect(isSame(read([one, two]), read([two, one]))).toBe(true);
    expect(isSame(read([one]), read([two]))).toBe(false);
    expect(isSame(read([one]), read([one, two]))).toBe(false);
  });
});

describe('the type in a hover', () => {
  it.each<[unknown, string | null]>([
    [
      { contents: { kind: 'markdown', value: '```ts\nfunction f(\n  a: number,\n): string\n```\nDoes it.' } },
      'function f( a: number, ): string',
    ],
    [{ contents: { kind: 'plaintext', value: '(class) A\n\nwords of it' } }, '(class) A'],
    [{ contents: ['int x', 'more'] }, 'int x'],
    [{ contents: [{ language: 'go', value: 'func F()' }] }, 'func F()'],
    [{ contents: { value: 7 } }, null],
    [{ contents: [] }, null],
    [{}, null],
    [null, null],
    ['x', null],
  ])('of %j is %j', (reply, type) => {
    expect(hoverIn(reply)).toBe(type);
  });

  it('is cut', () => {
    expect(hoverIn({ contents: 'x'.repeat(1e6) })).toHaveLength(2_000);
  });
});
