import { describe, expect, it } from 'vitest';
import { isSamePlaces, parseHover, parsePlaces } from './answers.ts';

const at = (uri: unknown, line: unknown = 0, character: unknown = 0) => ({
  uri,
  range: { start: { line, character } },
});

describe('places that a server names', () => {
  it('are counted as lines are here', () => {
    expect(parsePlaces('/r', [at('file:///r/a%20b/c.ts', 4, 2)])).toEqual({
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
    expect(parsePlaces('/r', [row])).toEqual({ places: [], outside: 1, cut: false });
  });

  it('are no list, are none, are too many, are told twice', () => {
    expect(parsePlaces('/r', { uri: 'x' })).toBeNull();
    expect(parsePlaces('/r', 'x')).toBeNull();
    expect(parsePlaces('/r', null)?.places).toEqual([]);
    const many = Array.from({ length: 6_000 }, (_, line) => at('file:///r/a.ts', line));
    expect(parsePlaces('/r', many)).toMatchObject({ cut: true, places: { length: 5_000 } });
    expect(parsePlaces('/r', [at('file:///r/a.ts'), at('file:///r/a.ts')])?.places).toHaveLength(1);
  });

  it('agree in whatever order they come', () => {
    const [one, two] = [at('file:///r/a.ts', 1), at('file:///r/b.ts', 2)];
    const read = (rows: readonly unknown[]) => parsePlaces('/r', rows)!;
    expect(isSamePlaces(read([one, two]), read([two, one]))).toBe(true);
    expect(isSamePlaces(read([one]), read([two]))).toBe(false);
    expect(isSamePlaces(read([one]), read([one, two]))).toBe(false);
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
    expect(parseHover(reply)).toBe(type);
  });

  it('is cut', () => {
    expect(parseHover({ contents: 'x'.repeat(1e6) })).toHaveLength(2_000);
  });
});
