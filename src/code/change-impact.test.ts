import { afterAll, describe, expect, it } from 'vitest';
import { findImpactOfFiles } from './change-impact.ts';
import type { ChangedFile } from './git/changed-lines.ts';
import { memoryReader, memoryWords, type Tree } from './memory-tree.contract.ts';
import { syntaxReader } from './syntax/reader.ts';

const syntax = syntaxReader();
afterAll(() => syntax.close());

/** Of one tree that becomes another: a text of null is gone. */
async function hanging(
  before: Tree,
  after: Record<string, string | null>,
  unreadable: readonly string[] = [],
  /** Of the first file; without it, all of it changed. */
  lines?: Pick<ChangedFile, 'spans' | 'before'>,
) {
  const now = { ...before } as Tree;
  for (const [path, text] of Object.entries(after))
    if (text === null) delete now[path];
    else now[path] = text;
  const [was, is] = [memoryReader(before), memoryReader(now)];
  const whole = (text: string | undefined | null) => [{ start: 1, end: text?.split('\n').length ?? 1 }];
  const found = await findImpactOfFiles(
    {
      syntax,
      words: memoryWords(now),
      reader: {
        readText: async (path, commit) =>
          commit == null
            ? is.readText(path)
            : unreadable.includes(path)
              ? { kind: 'unreadable', reason: 'too_large', message: path }
              : was.readText(path),
      },
      limitMs: Number.MAX_SAFE_INTEGER,
    },
    {
      commit: 'c0ffee',
      limitMs: Number.MAX_SAFE_INTEGER,
      files: Object.entries(after).map(([path, text], nth) => ({
        path,
        spans: whole(text),
        before: whole(before[path]),
        ...(nth === 0 && lines),
        created: before[path] === undefined,
        deleted: text === null,
      })),
    },
  );
  return {
    changed: found.changed.map(({ change, symbol }) => `${change} ${symbol}`),
    rows: found.rows.map(
      ({ path, line, kind, how, sure, of, hop }) =>
        `${hop} ${path}:${line} ${kind} ${sure ? how : `?${how}`} ${of.slice(of.indexOf('#') + 1)}`,
    ),
    tests: found.tests.map(({ path, name, command }) => command ?? `${path} ${name}`),
    completeness: found.completeness,
    why: found.why.join('; '),
  };
}

describe('for who reviews', () => {
  const lib = 'def one():\n  return 1\n\ndef two():\n  return one()\n';

  it('what was put between two definitions, or at the end of one, changes what it lies in alone', async () => {
    const files = { 'a.py': lib };
    const between = await hanging(files, { 'a.py': lib.replace('\n\n', '\n\ndef mid():\n  pass\n\n') }, [], {
      before: [{ start: 3, end: 4, isGap: true }],
      spans: [{ start: 4, end: 6 }],
    });
    expect(between.changed).toEqual(['added a.py#mid']);
    const atEnd = await hanging(files, { 'a.py': lib.replace('return 1\n', 'return 1\n  x = 2\n') }, [], {
      before: [{ start: 2, end: 3, isGap: true }],
      spans: [{ start: 3, end: 3 }],
    });
    expect(atEnd.changed).toEqual(['body a.py#one']);
    const taken = await hanging(files, { 'a.py': lib.replace('  return 1\n', '') }, [], {
      before: [{ start: 2, end: 2 }],
      spans: [{ start: 1, end: 2, isGap: true }],
    });
    expect(taken.changed).toEqual(['body a.py#one']);
  });

  it('a test that changed is one to run, and nobody is looked for who calls it', async () => {
    const test = 'from a import two\n\ndef test_two():\n  assert two() == 1\n';
    const found = await hanging(
      { 'a.py': lib, 'tests/test_a.py': test },
      { 'tests/test_a.py': `${test}\ndef test_more():\n  assert True\n` },
    );
    expect(found.tests).toEqual(['pytest tests/test_a.py::test_two', 'pytest tests/test_a.py::test_more']);
    expect(found.why).not.toMatch(/may call test_/);
  });

  it('tests of Rust and of scripts by what runs them in their package', async () => {
    const found = await hanging(
      {
        'package.json': '{"devDependencies": {"vitest": "^3"}}',
        'src/a.ts': 'export function one() { return 1; }\n',
        'src/a.test.ts': "import { one } from './a.ts';\nit('x', () => one());\n",
        'src/lib.rs':
          'pub fn ten() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n  use super::*;\n  #[test]\n  fn is_ten() { ten(); }\n}\n',
      },
      {
        'src/a.ts': 'export function one() { return 2; }\n',
        'src/lib.rs':
          'pub fn ten() -> u8 { 2 }\n#[cfg(test)]\nmod tests {\n  use super::*;\n  #[test]\n  fn is_ten() { ten(); }\n}\n',
      },
    );
    expect(found.tests).toEqual(
      expect.arrayContaining(['npx vitest run src/a.test.ts', 'cargo test is_ten']),
    );
  });

  it('of which definition something is not known, and each line once', async () => {
    const found = await hanging(
      {
        'a.cc':
          'int one(void) { return 1; }\nint two(void) { return 2; }\nint all(void) { return one() + one(); }\n',
      },
      {
        'a.cc':
          'int one(void) { return 3; }\nint two(void) { return 3; }\nint all(void) { return one() + one(); }\n',
      },
      [],
      { spans: [{ start: 1, end: 2 }], before: [{ start: 1, end: 2 }] },
    );
    expect(found.why).toMatch(/one, two: overloads, templates and macros/);
    expect(found.rows).toEqual(['1 a.cc:3 call scope one']);
  });
});

describe('users of what a change took away', () => {
  it('Python: in its own file, by import, and under another name', async () => {
    const found = await hanging(
      {
        'a.py': 'def gone():\n  pass\n\ndef stays():\n  gone()\n',
        'b.py': 'from a import gone as it\nit()\n',
        'c.py': 'import a\na.gone()\n',
        'd.py': 'def gone_not(gone):\n  gone()\n',
      },
      { 'a.py': 'def stays():\n  gone()\n' },
    );
    expect(found.changed).toContain('removed a.py#gone');
    expect(found.rows).toEqual(
      expect.arrayContaining([
        '1 a.py:2 call scope gone',
        '1 b.py:1 import import gone',
        '1 b.py:2 call import gone',
        '1 c.py:2 call import gone',
      ]),
    );
    expect(found.rows.filter((row) => row.includes('d.py'))).toEqual([]);
    expect(found.completeness).toBe('complete');
  });

  it('TypeScript: a renamed default, a barrel, and a method of a class that stays', async () => {
    const found = await hanging(
      {
        'src/load.ts': 'export default function load() {}\nexport class Box {\n  open() {}\n  shut() {}\n}\n',
        'src/index.ts': "export { Box } from './load.ts';\n",
        'src/a.ts': "import anything from './load.ts';\nanything();\n",
        'src/b.ts': "import { Box } from './index.ts';\nexport const f = (box: Box) => box.open();\n",
      },
      { 'src/load.ts': 'export function fetchIt() {}\nexport class Box {\n  shut() { this.open(); }\n}\n' },
    );
    expect(found.changed).toEqual(
      expect.arrayContaining(['removed src/load.ts#load', 'removed src/load.ts#Box.open']),
    );
    expect(found.rows).toEqual(
      expect.arrayContaining([
        '1 src/a.ts:2 call import load',
        '1 src/b.ts:2 call type Box.open',
        '1 src/load.ts:3 call type Box.open',
      ]),
    );
  });

  it('a deleted file: each of its definitions, also through a module that is deleted with it', async () => {
    const found = await hanging(
      {
        'p/__init__.py': 'from .m import Meter, gauge\n',
        'p/m.py': 'class Meter:\n  def tick(self):\n    gauge()\n\ndef gauge(): pass\n',
        'use.py':
          'from p import Meter, gauge\n\nclass Own(Meter):\n  pass\n\ndef f(m: Meter):\n  m.tick()\n  gauge()\n',
      },
      { 'p/__init__.py': null, 'p/m.py': null },
    );
    expect(found.changed).toEqual([
      'removed p/m.py#Meter',
      'removed p/m.py#Meter.tick',
      'removed p/m.py#gauge',
    ]);
    expect(found.rows).toEqual(
      expect.arrayContaining([
        '1 use.py:1 import import gauge',
        '1 use.py:3 inherits import Meter',
        '1 use.py:7 call type Meter.tick',
        '1 use.py:8 call import gauge',
      ]),
    );
    expect(found.rows.filter((row) => row.includes(' p/'))).toEqual([]);
  });

  it('Go and Rust: what another file calls of it', async () => {
    const go = await hanging(
      {
        'go.mod': 'module example.org/m\n',
        'p/a.go': 'package p\n\nfunc gone() {}\n\nfunc stays() {}\n',
        'p/b.go': 'package p\n\nfunc use() { gone() }\n',
      },
      { 'p/a.go': 'package p\n\nfunc stays() {}\n' },
    );
    expect(go.rows).toContain('1 p/b.go:3 call scope gone');
    const rust = await hanging(
      {
        'Cargo.toml': '[package]\nname = "k"\n',
        'src/lib.rs': 'mod a;\nmod b;\n',
        'src/a.rs': 'pub fn gone() {}\n',
        'src/b.rs': 'use crate::a::gone;\nfn run() { gone(); }\n',
      },
      { 'src/a.rs': 'pub fn other() {}\n' },
    );
    expect(rust.rows).toContain('1 src/b.rs:2 call import gone');
  });

  it('what is known stands before what may be, and fields, whose names many share, come last', async () => {
    const found = await hanging(
      {
        'src/a.ts': 'export class Shape {\n  size = 1;\n  send() {}\n}\nexport function area() {}\n',
        'src/b.ts':
          "import { area } from './a.ts';\nexport const f = (x) => x.size + x.send();\nexport const g = () => area();\n",
      },
      { 'src/a.ts': null },
    );
    expect(found.changed.at(-1)).toBe('removed src/a.ts#Shape.size');
    expect(found.rows.findLastIndex((row) => !row.includes('?text'))).toBeLessThan(
      found.rows.findIndex((row) => row.includes('?text')),
    );
  });

  it('is complete only where no other definition may be meant by the name', async () => {
    const before = { 'a.py': 'def gone(): pass\n', 'b.py': 'x = 1\n' };
    const alone = await hanging(before, { 'a.py': 'def came(): pass\n' });
    expect(alone).toMatchObject({ rows: [], completeness: 'complete' });
    const moved = await hanging(
      { ...before, 'c.py': 'from b import gone\ngone()\n', 'd.py': 'from a import gone\n' },
      { 'a.py': 'def came(): pass\n', 'b.py': 'def gone(): pass\n' },
    );
    expect(moved.completeness).toBe('partial');
    expect(moved.why).toMatch(/a\.py#gone was removed, and other definitions have its name \(b\.py#gone\)/);
    expect(moved.rows).toContain('1 d.py:1 import import gone');
    const shim = await hanging(before, { 'a.py': 'from other import gone\n' });
    expect(shim).toMatchObject({ completeness: 'partial' });
    expect(shim.why).toMatch(/its file now has the name from elsewhere/);
  });
});

it('a function at the top of a file is told from a method of the same name', async () => {
  const found = await hanging(
    {
      'a.py': 'def run():\n  pass\n\nclass A:\n  def run(self):\n    pass\n',
      'b.py': 'from a import run\nrun()\n',
    },
    { 'a.py': 'def run(x):\n  pass\n\nclass A:\n  def run(self):\n    pass\n' },
  );
  expect(found.rows).toContain('1 b.py:2 call import run');
});

it('a name that is passed on no more is said, as its users were not followed', async () => {
  const found = await hanging(
    {
      'src/a.ts': 'export const f = () => 1;\n',
      'src/index.ts': "export { f } from './a.ts';\nexport const g = 1;\n",
    },
    { 'src/index.ts': 'export const g = 1;\n' },
  );
  expect(found).toMatchObject({ completeness: 'partial' });
  expect(found.why).toMatch(/src\/index\.ts no longer re-exports .*: f$/);
});

it('nothing is known of a file whose older text could not be read', async () => {
  const found = await hanging({ 'a.py': 'def gone(): pass\n' }, { 'a.py': 'x = 1\n' }, ['a.py']);
  expect(found).toMatchObject({ completeness: 'unknown' });
  expect(found.why).toMatch(/a\.py changed, and could not be read, as it was/);
});
