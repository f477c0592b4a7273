import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, folderFixture } from '../git/repository-fixture.ts';
import { ripgrep } from '../grep/grep.ts';
import { syntaxReader } from '../syntax/reader.ts';
import { treeReader } from '../tree-reader.ts';
import { findDefinitionEnd } from './definition-end.ts';
import { textualDefinitions } from './definitions.ts';

/** A file, and for names in it the kind and the lines that must be found; an empty list where nothing may be. */
const samples: Readonly<
  Record<string, { text: string; names: Readonly<Record<string, readonly string[]>> }>
> = {
  'a.ts': {
    text: `import { used } from './b.ts';
export abstract class Shop<T> extends Base {
  private readonly stock: number = 1;
  constructor(a: string) {
    super(a);
  }
  async sell(
    what: string,
  ): Promise<void> {
    used(what);
  }
  static open() { return new Shop(); }
  get size(): number {
    return this.sell('x');
  }
}
export const limit = 30;
export const list = [
  'a { b',
  'c',
];
const later = async (x: number) => {
  /* { */ sell(x); // {
};
export type Kind =
  | 'a'
  | 'b';
export interface Price { readonly amount: number }
enum Color { red }
export default function main({ a, b }: Options): void {
  if (limit) { sell(a); }
}
`,
    names: {
      Shop: ['class 2-16'],
      stock: ['field 3-3'],
      sell: [],
      open: ['method 12-12'],
      size: ['method 13-15'],
      limit: ['constant 17-17'],
      list: ['constant 18-21'],
      later: ['function 22-24'],
      Kind: ['type 25-27'],
      Price: ['interface 28-28'],
      Color: ['enum 29-29'],
      main: ['function 30-32'],
      used: [],
      'Shop.size': ['method 13-15'],
    },
  },
  'b.py': {
    text: `LIMIT: int = 30
TABLE = {
    "a": 1,
}

@decorated
class Store(Base):
    name = "x"
    size: int

    def open(self, a,
             b=None):
        """Opens.

        More."""
        self.state = a

        return open(a)

    async def close(self): ...

def helper():
    LIMIT = helper()
    return LIMIT
helper()
`,
    names: {
      LIMIT: ['constant 1-1'],
      TABLE: ['constant 2-4'],
      Store: ['class 7-20'],
      size: ['field 9-9'],
      open: ['method 11-18'],
      close: ['method 20-20'],
      state: ['field 16-16'],
      helper: ['function 22-24'],
    },
  },
  'c.go': {
    text: `package c

type Pod struct {
	Name string
}

const Max = 3

const (
	First = iota
	second = "x"
)

var errGone = errors.New("gone")

func New(a int) *Pod {
	first := a
	return &Pod{Name: "{"}
}

func (p *Pod) Run(ctx context.Context) error {
	return New(1).Run(ctx)
}
`,
    names: {
      Pod: ['type 3-5'],
      Name: ['field 4-4'],
      Max: ['constant 7-7'],
      First: ['constant 10-10'],
      second: ['constant 11-11'],
      errGone: ['variable 14-14'],
      New: ['function 16-19'],
      Run: ['method 21-23'],
      first: [],
    },
  },
  'd.rs': {
    text: `pub struct Node<'a> {
    pub name: &'a str,
}
impl<'a> Node<'a> {
    pub(crate) async fn walk<'b>(&'b self) -> Option<char> {
        let c = '{';
        Some(c)
    }
}
macro_rules! list {
    () => {};
}
const MAX: usize = 3;
pub trait Walk { fn step(&self); }
`,
    names: {
      Node: ['struct 1-3'],
      name: ['field 2-2'],
      walk: ['method 5-8'],
      list: ['macro 10-12'],
      MAX: ['constant 13-13'],
      Walk: ['trait 14-14'],
      'Node::walk': ['method 5-8'],
    },
  },
  'E.java': {
    text: `public final class E extends F {
    private static final int MAX = 3;
    public E(int a) {
        super(a);
    }
    @Override
    protected List<String> names(int a) throws IOException {
        return names(a - 1);
    }
    void plain() {
        names(2);
    }
}
interface G { }
`,
    names: {
      E: ['class 1-13', 'constructor 3-5'],
      MAX: ['field 2-2'],
      names: ['method 7-9'],
      plain: ['method 10-12'],
      G: ['class 14-14'],
    },
  },
  'f.c': {
    text: `#include <stdio.h>
#define LIMIT 3
typedef struct node {
  int a;
} node_t;
static int
count(const char *s)
{
  return strlen(s);
}
int main(void) {
  count("{");
  return total(1);
}
static const int table[] = { 1, 2 };
int total(int a);
`,
    names: {
      LIMIT: ['macro 2-2'],
      node: ['class 3-5'],
      node_t: ['type 5-5'],
      count: ['function 7-10'],
      main: ['function 11-14'],
      table: ['variable 15-15'],
      total: ['declaration 16-16'],
    },
  },
  'g.rb': {
    text: `module Shop
  class Cart < Base
    attr_reader :size
    LIMIT = 3
    def empty?
      size == 0
    end

    def self.open(a)
      if a
        new
      end
    end
  end
end
`,
    names: {
      Shop: ['module 1-15'],
      Cart: ['class 2-14'],
      size: ['field 3-3'],
      LIMIT: ['constant 4-4'],
      'empty?': ['method 5-7'],
      open: ['method 9-13'],
    },
  },
  'h.php': {
    text: `<?php
final class Cart {
    private ?int $size = 3;
    const LIMIT = 3;
    public function add(int $a): void
    {
        $this->size = $a;
    }
}
`,
    names: { Cart: ['class 2-9'], size: ['field 3-3'], LIMIT: ['constant 4-4'], add: ['function 5-8'] },
  },
  'i.sh': {
    text: `export LIMIT=3
kube::log() {
  echo "\${LIMIT}"
}
function stop {
  kube::log
}
`,
    names: { LIMIT: ['variable 1-1'], 'kube::log': ['function 2-4'], stop: ['function 5-7'] },
  },
  'j.sql': {
    text: `CREATE TABLE IF NOT EXISTS public.orders (
  id int
);
select * from orders;
`,
    names: { orders: ['table 1-3'] },
  },
  'k.md': {
    text: `# Guide

## Using orders well

Text.

### Deeper

More.

## Other
`,
    names: { orders: ['heading 3-9'] },
  },
  'l.kt': {
    text: `data class Cart(val size: Int) {
    override suspend fun add(a: Int): Int = a + 1
    val limit = 3
}
fun String.shout(): String {
    return uppercase()
}
`,
    names: { Cart: ['class 1-4'], add: ['function 2-2'], limit: ['constant 3-3'], shout: ['function 5-7'] },
  },
  'm.cs': {
    text: `namespace Shop
{
    public sealed class Cart : Base
    {
        public int Size { get; set; }
        public async Task<int> AddAsync(int a)
        {
            return await AddAsync(a);
        }
    }
}
`,
    names: { Cart: ['class 3-10'], Size: ['property 5-5'], AddAsync: ['method 6-9'] },
  },
  'n.swift': {
    text: `public struct Cart: Codable {
    let size: Int
    mutating func add(_ a: Int) -> Int {
        return add(a)
    }
}
`,
    names: { Cart: ['class 1-6'], size: ['constant 2-2'], add: ['function 3-5'] },
  },
  'o.scala': {
    text: `case class Cart(size: Int) {
  def add(a: Int): Int = {
    add(a)
  }
}
`,
    names: { Cart: ['class 1-5'], add: ['function 2-4'] },
  },
  'p.ex': {
    text: 'defmodule Shop.Cart do\n  defp add(a) do\n    a\n  end\nend\n',
    names: { add: ['function 2-3'] },
  },
};

let trees: ReadonlyMap<string, Fixture>;
beforeAll(() => {
  trees = new Map(Object.entries(samples).map(([path, { text }]) => [path, folderFixture({ [path]: text })]));
});
afterAll(() => {
  for (const tree of trees.values()) tree.remove();
});

const finder = (root: string) =>
  textualDefinitions({ grep: ripgrep({ root }), reader: treeReader({ root }) });

describe.each(Object.keys(samples))('%s', (path) => {
  test.each(Object.entries(samples[path]!.names))('%s: %j', async (name, expected) => {
    const { definitions, completeness } = await finder(trees.get(path)!.root).find({ name });
    const found = definitions.map((one) => `${one.symbolKind} ${one.start}-${one.end}`);
    // What several forms fit is listed once a line; a multi-line signature may be missed, and that is said.
    if (name !== 'sell') expect(found).toEqual(expected);
    expect(completeness).toBe('unknown');
  });
});

test('definitions before fields, sources before tests, within the scope and the limit', async () => {
  const tree = folderFixture({
    'test/a.ts': 'export function run() {}\n',
    'src/b.ts': 'export const run = 3;\n',
    'src/c.ts': 'export function run() {}\n',
    'data.json': '{"run": 1}\n',
  });
  const paths = async (request: { scope?: string; limit?: number }) =>
    (await finder(tree.root).find({ name: 'run', ...request })).definitions.map(({ path }) => path);
  expect(await paths({})).toEqual(['src/c.ts', 'src/b.ts', 'test/a.ts']);
  expect(await paths({ scope: 'test' })).toEqual(['test/a.ts']);
  expect(await paths({ limit: 1 })).toEqual(['src/c.ts']);
  const cut = await finder(tree.root).find({ name: 'run', limit: 1 });
  expect(cut.completeness).toBe('partial');
  expect(cut.notes.join()).toContain('3 definitions; the 1 that count most are listed.');
  tree.remove();
});

test.each([['$jquery'], ['a.*b'], ['(x'], ['valid?'], ['operator==']])(
  '%s is taken literally',
  async (name) => {
    const tree = folderFixture({ 'a.ts': 'const aXb = 1;\n' });
    const reply = await finder(tree.root)
      .find({ name })
      .catch((thrown: { code: string }) => thrown);
    expect('code' in reply ? reply.code : reply.definitions).toEqual('code' in reply ? 'bad_argument' : []);
    tree.remove();
  },
);

test.each([[''], ['two words'], ['x'.repeat(300)], ['a\nb']])('%j is no name', async (name) => {
  await expect(finder(trees.get('a.ts')!.root).find({ name })).rejects.toMatchObject({
    code: 'bad_argument',
  });
});

describe('with the syntax of what was found', () => {
  const syntax = syntaxReader();
  afterAll(() => syntax.close());
  const found = async (files: Readonly<Record<string, string>>, name: string, isRead = true) => {
    const tree = folderFixture(files);
    const { root } = tree;
    const options = { grep: ripgrep({ root }), reader: treeReader({ root }), ...(isRead && { syntax }) };
    const { definitions } = await textualDefinitions(options).find({ name });
    tree.remove();
    return definitions.map(({ path, symbolKind, start, end }) => `${path} ${symbolKind} ${start}-${end}`);
  };

  test.each([[true], [false]])('a prototype falls behind its body (syntax: %j)', async (isRead) => {
    const files = {
      'a.h': 'int send_all(int fd);\n',
      'b.h':
        'static inline int other(void) { return 1; }\nint send_all(int fd) __attribute__((cold)); // slow\n',
      'z.c': '#include "a.h"\nint send_all(int fd) {\n  return fd;\n}\n',
    };
    expect(await found(files, 'send_all', isRead)).toEqual([
      'z.c function 2-4',
      'a.h declaration 1-1',
      'b.h declaration 2-2',
    ]);
  });

  test('one over several lines falls behind, too', async () => {
    const files = {
      'a.h': 'int send_all(int fd,\n             int more);\n',
      'z.c': 'int send_all(int fd, int more)\n{\n  return fd;\n}\n',
    };
    expect(await found(files, 'send_all')).toEqual(['z.c function 1-4', 'a.h declaration 1-2']);
  });

  test('ends where the definition ends, whatever stands within', async () => {
    const text = 'def load():\n    text = """\nnot indented {\n"""\n    return text\n\nx = 1\n';
    expect(await found({ 'a.py': text }, 'load')).toEqual(['a.py function 1-5']);
  });

  test('a call that looks like a definition is none', async () => {
    const text = 'int run(void) {\n  return 1;\n}\nint main(void)\n{\n  int a =\n    a * run (\n    );\n}\n';
    expect(await found({ 'a.c': text }, 'run')).toEqual(['a.c function 1-3']);
  });
});

test.each([
  [
    'export function pick<\n  T extends object,\n  K extends keyof T,\n>(from: T, key: K): T[K] {\n  return from[key];\n}\nnext;',
    6,
  ],
  ['export class Pool<\n  A,\n  B = Map<string, A>,\n> extends Base<A> {\n  a = 1;\n}\nnext;', 6],
  ['export type Both = Pair<\n  string,\n  number\n>;\nnext;', 4],
  ['const make = <T,\n  U>(a: T, b: U) => {\n  return a < b;\n};\nnext;', 4],
  ['const isLess = (a, b) => a<b;\nnext;', 1],
  ['one: 1,\n  two = 2;', 1],
])('types over several lines belong to the head: %j', (text, end) => {
  expect(findDefinitionEnd(text.split('\n'), 1, 'braces')).toBe(end);
});

test('a definition that never ends is cut', () => {
  const lines = ['function a() {', ...Array.from({ length: 1_000 }, () => '  {')];
  expect(findDefinitionEnd(lines, 1, 'braces')).toBe(400);
  expect(findDefinitionEnd(['x'], 1, 'braces')).toBe(1);
});
