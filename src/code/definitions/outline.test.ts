import { afterAll, describe, expect, it } from 'vitest';
import { memoryReader } from '../memory-tree.contract.ts';
import { syntaxReader } from '../syntax/reader.ts';
import { readOutline } from './outline.ts';

const syntax = syntaxReader();
afterAll(() => syntax.close());

const outline = (path: string, text: string) => readOutline(memoryReader({ [path]: text }), syntax, path);

describe('a language that no grammar reads', () => {
  it.each<[path: string, text: string, names: readonly string[]]>([
    ['a.swift', 'class A {\n  func go() {\n    1\n  }\n}\n', ['A', 'go']],
    ['a.ex', 'defmodule A do\n  def go(x) do\n    x\n  end\nend\n', ['A', 'go']],
    ['a.lua', 'function go(x)\n  return x\nend\n', ['go']],
    ['a.zig', 'pub fn go() void {\n}\n', ['go']],
  ])('%s falls back to the form of lines, and says so', async (path, text, names) => {
    const found = await outline(path, text);
    expect(found).toMatchObject({
      kind: 'outline',
      completeness: 'unknown',
      why: [expect.stringMatching(/^found by the form of lines, since no grammar reads/)],
    });
    const { items } = found as Extract<typeof found, { kind: 'outline' }>;
    expect(items.map(({ name }) => name)).toEqual(names);
  });
});

describe('what nobody means to be read', () => {
  const deep = `${'def f():\n'.repeat(1)}${Array.from({ length: 3_000 }, (_, n) => `${' '.repeat(n)}if x:`).join('\n')}\n`;
  it.each<[name: string, path: string, text: string]>([
    ['a line of 10 MB', 'a.ts', `const x = "${'a'.repeat(10_000_000)}";\n`],
    ['10 MB on one line of code', 'a.js', 'f(1);'.repeat(2_000_000)],
    ['null bytes', 'a.py', `def f():\n  x = "\0\0\0"\n${'\0'.repeat(100_000)}\ndef g(): pass\n`],
    ['indents of a thousand steps', 'b.py', deep],
    ['brackets of 100,000 steps', 'c.ts', '['.repeat(100_000)],
    ['lone surrogates', 'd.ts', 'function go() { return "\ud800\udfff\udc00"; }\n'],
    ['no text at all', 'e.go', ''],
  ])('%s ends in an outline, and the next file is read', async (_, path, text) => {
    const found = await outline(path, text);
    expect(found.kind).toBe('outline');
    expect(await outline('next.py', 'def next_one():\n  pass\n')).toMatchObject({
      completeness: 'complete',
      items: [{ name: 'next_one', start: 1, end: 2 }],
    });
  });

  it('an error of syntax makes it partial, with its line', async () => {
    expect(await outline('a.py', 'def f(:\n  pass\n\ndef g():\n  pass\n')).toMatchObject({
      completeness: 'partial',
      why: [expect.stringContaining('from line 1')],
    });
  });
});

it('headings have all their words as a name', async () => {
  const found = await outline('a.md', '# One, and more\n\ntext\n\n## Help and docs ##\n');
  expect(found).toMatchObject({ items: [{ name: 'One, and more' }, { name: 'Help and docs' }] });
});

it.each([
  [
    'a.rb',
    'module Sidekiq\n  ##\n  # Retries a job.\n  class Job # of one\n    def go(x)\n    end\n  end\nend\n',
    ['module Sidekiq', 'class Job'],
  ],
  [
    'a.kt',
    'interface Job : Element {\n  /** Long. */\n  fun go(): Int\n}\n',
    ['interface Job : Element', 'fun go(): Int'],
  ],
  ['a.go', 'package a\n\ntype T struct {\n\t// Long.\n\tA int\n}\n', ['T struct', 'A int']],
  [
    'b.go',
    'package a\n\ntype I interface {\n\t// Long.\n\tGo(int) error\n}\n',
    ['I interface', 'Go(int) error'],
  ],
  ['c.go', 'package a\n\ntype M map[string]int\n', ['M map[string]int']],
])('%s: the signature of a type is without its members', async (path, text, signatures) => {
  const { items } = (await outline(path, text)) as Extract<
    Awaited<ReturnType<typeof outline>>,
    { kind: 'outline' }
  >;
  const [type] = items;
  expect([type!, ...type!.children].map(({ signature }) => signature)).toEqual(signatures);
});

it('a file that is not there is told', async () => {
  expect(await readOutline(memoryReader({}), syntax, 'a.py')).toMatchObject({ kind: 'unreadable' });
});
