import { afterAll, describe, expect, it } from 'vitest';
import { memoryReader, memorySymbols, memoryWords, type Tree } from '../memory-tree.contract.ts';
import { syntaxReader } from '../syntax/reader.ts';
import { listReferences } from './references.ts';

const syntax = syntaxReader();
afterAll(() => syntax.close());

async function listed(files: Tree, symbol: string, more: { calls?: boolean } = {}) {
  const found = await memorySymbols(files, syntax).references({ symbol, ...more });
  if (found.kind !== 'listed') throw new Error(JSON.stringify(found));
  const rows = found.rows.map(
    ({ path, line, kind, how, sure }) => `${path}:${line} ${kind} ${sure ? how : `?${how}`}`,
  );
  return { rows, completeness: found.completeness, why: found.why.join('; ') };
}

interface Case {
  readonly files: Tree;
  readonly symbol: string;
  readonly rows: readonly string[];
  readonly completeness: string;
  readonly why?: RegExp;
}

describe.each<[name: string, one: Case]>([
  [
    'JavaScript: a private method, named with its class as a listing names it',
    {
      files: {
        'a.js': 'class Ky {\n  #wait() {}\n  go() { this.#wait(); }\n}\nclass Other { #wait() {} }\n',
      },
      symbol: 'Ky.#wait',
      rows: ['a.js:3 call type'],
      completeness: 'unknown',
    },
  ],
  [
    'Python: a module that is loaded by a name made at run time',
    {
      files: {
        'tables/v1.py': 'cell_table = 1\n',
        'load.py':
          'import importlib\nfrom importlib import import_module\nimport copy\n\ndef load(n):\n  module = importlib.import_module(f"tables.v{n}")\n  return module.cell_table\n\ndef other(n):\n  module = import_module(f"tables.v{n}")\n  module.cell_table\n  __import__(n).cell_table\n  copy.copy(n).cell_table\n',
      },
      symbol: 'tables/v1.py#cell_table',
      rows: ['load.py:7 reference ?text', 'load.py:11 reference ?text', 'load.py:12 reference ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a name alone among the arguments of a macro, which may make another of it',
    {
      files: {
        'src/lib.rs':
          'macro_rules! choose { ($a:ident) => { One.$a() } }\npub fn count_raw() {}\nfn f() { choose!(count_raw); choose!(count_raw()); assert!(g(count_raw)); }\n',
      },
      symbol: 'count_raw',
      rows: ['src/lib.rs:3 call scope', 'src/lib.rs:3 call scope', 'src/lib.rs:3 text ?text'],
      completeness: 'partial',
    },
  ],
  [
    'TypeScript: types in a tuple, with and without a label',
    {
      files: {
        'a.ts':
          'export type Held<A> = A;\nexport let one: [Held<string>, number];\nexport let two: [Held: Held<string>, more?: Held<1>, ...rest: Held<2>[]];\nexport let three: [a.Held<1>, (Held<1>)?, ...Held<1>[]];\n',
      },
      symbol: 'Held',
      rows: [
        'a.ts:2 type scope',
        'a.ts:3 type scope',
        'a.ts:3 type scope',
        'a.ts:3 type scope',
        'a.ts:4 type scope',
        'a.ts:4 type scope',
      ],
      completeness: 'complete',
    },
  ],
  [
    'Go: the key of a literal is a field, or a value where its type is a map',
    {
      files: {
        'go.mod': 'module x\n',
        'a.go':
          'package a\n\nconst state = 1\n\ntype box struct{ state int }\n\nvar one = box{state: 2}\nvar two = map[int]int{state: 3}\nvar three = [...]int{state: 4}\nvar four = struct{ state int }{state: 5}\nvar five = []box{{state: 6}}\n',
      },
      symbol: 'state',
      rows: [
        'a.go:8 reference scope',
        'a.go:9 reference scope',
        'a.go:7 reference ?text',
        'a.go:11 reference ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'TypeScript: what a file declares for all is one with what others declare',
    {
      files: {
        'a.ts': 'export {};\ndeclare global {\n  interface Opened { a: string }\n}\nlet one: Opened;\n',
        'b.ts': 'export {};\ndeclare global {\n  interface Opened { b: string }\n}\nlet two: Opened;\n',
      },
      symbol: 'a.ts#Opened',
      rows: ['a.ts:5 type scope', 'b.ts:5 type ?text'],
      completeness: 'unknown',
      why: /other files may declare more of it/,
    },
  ],
  [
    'TypeScript: an interface of a file without imports and exports is one with others of its name',
    {
      files: {
        'a.d.ts': 'interface Opened { a: string }\n',
        'b.d.ts': 'interface Opened { b: string }\ninterface Other { c: Opened }\n',
      },
      symbol: 'a.d.ts#Opened',
      rows: [],
      completeness: 'unknown',
      why: /other files may declare more of it/,
    },
  ],
  [
    'Rust: of two modules that a build chooses from, either may be meant',
    {
      files: {
        'src/lib.rs': 'mod simd;\npub fn go() { simd::find(); }\n',
        'src/simd/mod.rs':
          'mod wide;\nmod plain;\n#[cfg(wide)]\npub use self::wide::*;\n#[cfg(not(wide))]\npub use self::plain::*;\n',
        'src/simd/wide.rs': 'pub fn find() {}\n',
        'src/simd/plain.rs': 'pub fn find() {}\n',
      },
      symbol: 'src/simd/plain.rs#find',
      rows: ['src/lib.rs:2 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: of two names that a build chooses from, either may be meant, in the file and behind it',
    {
      files: {
        'src/lib.rs':
          'mod wide;\nmod plain;\nmod user;\n#[cfg(wide)]\npub use wide::find;\n#[cfg(not(wide))]\npub use plain::find;\npub fn go() { find(); }\n',
        'src/wide.rs': 'pub fn find() {}\n',
        'src/plain.rs': 'pub fn find() {}\n',
        'src/user.rs': 'fn go() { crate::find(); }\n',
      },
      symbol: 'src/wide.rs#find',
      rows: ['src/lib.rs:5 import import', 'src/lib.rs:8 call ?text', 'src/user.rs:1 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a name from elsewhere, or one of its own where a build has no such thing',
    {
      files: {
        'src/lib.rs':
          'mod wide;\nmod user;\n#[cfg(wide)]\npub use wide::find;\n#[cfg(not(wide))]\npub fn find() {}\npub fn go() { find(); }\n',
        'src/wide.rs': 'pub fn find() {}\n',
        'src/user.rs': 'use crate::find;\nfn go() { find(); }\n',
      },
      symbol: 'src/wide.rs#find',
      rows: [
        'src/lib.rs:4 import import',
        'src/lib.rs:7 call ?text',
        'src/user.rs:1 import ?text',
        'src/user.rs:2 call ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a function that has the name of a module beside it',
    {
      files: {
        'src/lib.rs': 'pub mod find;\nmod user;\npub fn find() {}\n',
        'src/find.rs': 'pub fn other() {}\n',
        'src/user.rs': 'use crate::find;\nfn go() { find(); find::other(); crate::find(); }\n',
      },
      symbol: 'src/lib.rs#find',
      rows: [
        'src/user.rs:1 import ?text',
        'src/user.rs:2 call ?text',
        'src/user.rs:2 reference ?text',
        'src/user.rs:2 call ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'Python: of two modules that a name may come from, either may be meant',
    {
      files: {
        'fast.py': 'def find_it(): pass\n',
        'slow.py': 'def find_it(): pass\n',
        'a.py':
          'try:\n  from fast import find_it\nexcept ImportError:\n  from slow import find_it\nfind_it()\n',
        'b.py': 'from a import find_it\nfind_it()\n',
        'c.py': 'if here:\n  import fast as impl\nelse:\n  import slow as impl\nimpl.find_it()\n',
      },
      symbol: 'fast.py#find_it',
      rows: [
        'a.py:2 import import',
        'a.py:5 call ?text',
        'b.py:1 import ?text',
        'b.py:2 call ?text',
        'c.py:5 call ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'Python: a name from elsewhere, or one of its own where that is not there',
    {
      files: {
        'fast.py': 'def find_it(): pass\n',
        'a.py': 'try:\n  from fast import find_it\nexcept ImportError:\n  def find_it(): pass\nfind_it()\n',
        'b.py': 'from a import find_it\nfind_it()\n',
        'c.py': 'try:\n  from fast import find_it\nexcept ImportError:\n  find_it = None\nfind_it()\n',
      },
      symbol: 'fast.py#find_it',
      rows: [
        'a.py:2 import import',
        'c.py:2 import import',
        'c.py:4 reference import',
        'c.py:5 call import',
        'a.py:5 call ?text',
        'b.py:1 import ?text',
        'b.py:2 call ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'Python: of what several modules bring in whole, the last is not always meant',
    {
      files: {
        'one.py': 'def find_it(): pass\n',
        'two.py': 'def find_it(): pass\n',
        'a.py': 'from one import *\nfrom two import *\nfind_it()\n',
      },
      symbol: 'two.py#find_it',
      rows: ['a.py:3 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a value may be used as what it holds, whoever holds it',
    {
      files: {
        'src/lib.rs':
          'use std::mem::ManuallyDrop;\npub struct A;\nimpl A { fn place(&self) {} }\npub struct B(A);\nimpl std::ops::Deref for B { type Target = A; fn deref(&self) -> &A { &self.0 } }\npub struct C;\nfn f(b: B, a: A, c: C) { b.place(); let d = ManuallyDrop::new(a); d.place(); c.place(); }\nfn g(e: ManuallyDrop<A>, v: Vec<A>) { e.place(); v.place(); }\n',
      },
      symbol: 'A.place',
      rows: ['src/lib.rs:7 call ?text', 'src/lib.rs:7 call ?text', 'src/lib.rs:8 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Python: what is outside may give back what it was handed, and makes values of its own',
    {
      files: {
        'a.py':
          'import copy, weakref, queue\nclass A:\n  def handle_it(self): pass\n\ndef f(a):\n  b = copy.copy(a)\n  b.handle_it()\n  weakref.proxy(a).handle_it()\n  q = queue.Queue()\n  q.handle_it()\n',
      },
      symbol: 'A.handle_it',
      rows: ['a.py:7 call ?text', 'a.py:8 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a method in the words of a macro, and one that a macro may put behind a dot',
    {
      files: {
        'src/lib.rs':
          'pub struct A;\nimpl A { pub fn next_one(&mut self) {} }\nmacro_rules! go { ($a:ident) => { $a.next_one() } }\nmacro_rules! by { ($a:ident, $m:ident) => { $a.$m() } }\nfn f(mut a: A) { go!(a); by!(a, next_one); assert_eq!(a.next_one(), ()); }\n',
      },
      symbol: 'A.next_one',
      rows: ['src/lib.rs:5 call type', 'src/lib.rs:3 call ?unique name', 'src/lib.rs:5 text ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a method of a value that a macro names',
    {
      files: {
        'src/lib.rs':
          'pub enum Lost { A }\nimpl Lost { fn message(&self) {} }\nmacro_rules! go { ($p:ident) => { let err = Lost::A; $p.print(err.message()); std::message(); } }\n',
      },
      symbol: 'Lost.message',
      rows: ['src/lib.rs:3 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Rust: a type that a module within the file brings in under another name, from a file that a build chooses',
    {
      files: {
        'src/lib.rs':
          '#[path = "imp_a.rs"]\nmod imp;\npub mod sync {\n    use super::imp::Cell as Imp;\n    fn f() { Imp::with_value(1); }\n}\n',
        'src/imp_a.rs':
          'pub(crate) struct Cell;\nimpl Cell {\n    pub(crate) fn with_value(n: u8) -> Cell { Cell }\n}\n',
      },
      symbol: 'Cell.with_value',
      rows: ['src/lib.rs:5 call ?unique name'],
      completeness: 'partial',
    },
  ],
  [
    'TypeScript: names that a type makes for itself',
    {
      files: {
        'a.ts':
          'export function accepts() {}\nexport type F = (accepts: string[]) => string;\nexport type G = new (accepts: string) => object;\nexport interface I { (accepts: string): void; [accepts: string]: unknown }\nexport type T = [accepts: string, more?: number];\nexport const f = function accepts() { accepts(); };\naccepts();\n',
      },
      symbol: 'accepts',
      rows: ['a.ts:7 call scope'],
      completeness: 'complete',
    },
  ],
  [
    'TypeScript: types that a type makes for itself',
    {
      files: {
        'a.ts':
          'export interface Item { a: string }\nexport type M<T> = { [Item in keyof T]: Item };\nexport type E<T> = T extends (infer Item)[] ? Item : never;\nexport type F = <Item>(x: Item) => Item;\nexport let one: Item;\n',
      },
      symbol: 'Item',
      rows: ['a.ts:5 type scope'],
      completeness: 'complete',
    },
  ],
  [
    'Rust: a module within a file sees what it brings in, from the file that it lies in',
    {
      files: {
        'src/lib.rs': 'pub mod a;\npub fn load() {}\n',
        'src/a.rs':
          'pub fn load() {}\nmod tests {\n  use super::load;\n  fn t() { load(); super::load(); }\n  mod deep {\n    use super::super::*;\n    fn u() { load(); }\n  }\n}\nmod all {\n  use super::*;\n  fn v() { load(); }\n}\nmod none {\n  fn w(load: fn()) { load(); }\n}\n',
      },
      symbol: 'src/a.rs#load',
      rows: [
        'src/a.rs:3 import import',
        'src/a.rs:4 call import',
        'src/a.rs:4 call import',
        'src/a.rs:7 call import',
        'src/a.rs:12 call scope',
      ],
      completeness: 'complete',
    },
  ],
  [
    'Rust: a module within a file has the names of the language, not those around it',
    {
      files: {
        'src/lib.rs':
          'pub type Result = u8;\nmod own {\n  pub fn f() -> Result<(), ()> { Ok(()) }\n}\npub fn g() -> Result { 1 }\n',
      },
      symbol: 'Result',
      rows: ['src/lib.rs:5 type scope'],
      completeness: 'complete',
    },
  ],
  [
    'Rust: a crate from outside, and a module of its name that a build may choose',
    {
      files: {
        'src/lib.rs': '#[cfg(new)]\nextern crate alloc;\nmod port;\nmod user;\nuse crate::port::*;\n',
        'src/port.rs': '#[cfg(old)]\npub mod alloc {\n  pub fn make() {}\n}\n',
        'src/user.rs': 'use crate::alloc::make;\nfn f() { make(); }\n',
      },
      symbol: 'make',
      rows: ['src/user.rs:1 import ?text', 'src/user.rs:2 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'C: who uses a macro that uses it, and a macro over that one',
    {
      files: {
        'a.h': 'void _check(int x);\n#define check(x) ((x) ? 0 : _check(x))\n#define check_all(x) check(x)\n',
        'a.c': '#include "a.h"\nvoid _check(int x) { }\n',
        'b.c': '#include "a.h"\nvoid go(void) { check(1); }\nvoid all(void) { check_all(2); }\n',
        'c.c': 'void check(int x);\nvoid other(void) { check(1); }\n',
      },
      symbol: '_check',
      rows: ['a.h:2 call scope', 'a.h:3 call import', 'b.c:2 call import', 'b.c:3 call import'],
      completeness: 'complete',
    },
  ],
  [
    'TypeScript: classes of one interface have its member, and no other of that name',
    {
      files: {
        'i.ts': 'export interface I { go(): void }\n',
        'a.ts': "import { I } from './i';\nexport class A implements I { go() {} one() { this.go(); } }\n",
        'b.ts': "import { I } from './i';\nexport class B implements I { go() {} two() { this.go(); } }\n",
        'c.ts': 'export class C { go() {} three() { this.go(); } }\n',
      },
      symbol: 'a.ts#A.go',
      rows: ['a.ts:2 call type', 'b.ts:2 call ?text'],
      completeness: 'unknown',
    },
  ],
  [
    'TypeScript: a method that a class has from another',
    {
      files: {
        'a.ts': 'export class A { go() {} }\n',
        'b.ts': "import { A } from './a';\nexport class B extends A { run() { this.go(); } }\n",
      },
      symbol: 'B.go',
      rows: ['b.ts:2 call type'],
      completeness: 'unknown',
      why: /^B\.go is inherited: what is shown is of a\.ts#A\.go; /,
    },
  ],
  [
    'Python: a method that a class has from the base of its base, in another file',
    {
      files: {
        'a.py': 'class A:\n  def go(self): pass\n',
        'b.py': 'from a import A\n\nclass B(A):\n  pass\n',
        'c.py': 'from b import B\n\nclass C(B):\n  def run(self):\n    self.go()\n',
      },
      symbol: 'c.py#C.go',
      rows: ['c.py:5 call type'],
      completeness: 'complete',
      why: /is inherited: what is shown is of a\.py#A\.go/,
    },
  ],
  [
    'C: branches that each open a brace; what is in the one that is not read may be anything',
    {
      files: {
        'a.c':
          'void one(int a) {\n#ifdef WIDE\n  if (wide(a)) {\n#else\n  if (narrow(a)) {\n#endif\n    both(a);\n  }\n}\nvoid narrow(int a) { }\nvoid two(void) { narrow(1); }\n',
      },
      symbol: 'narrow',
      rows: ['a.c:11 call scope', 'a.c:5 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'C: a static prototype in a header is one with the body of the file that includes it',
    {
      files: {
        'a.h': 'static int find_it(int a);\n',
        'a.c':
          '#include "a.h"\nint use_it(void) { return find_it(1); }\nstatic int find_it(int a) { return a; }\n',
        'b.c': '#include "a.c"\nint more(void) { return find_it(2); }\n',
      },
      symbol: 'a.h#find_it',
      rows: ['a.c:2 call scope', 'b.c:2 call import'],
      completeness: 'complete',
    },
  ],
  [
    'Kotlin: a name that is imported',
    {
      files: {
        'a/A.kt': 'package a\n\nfun encodeIt() {}\n',
        'b/B.kt': 'package b\n\nimport a.encodeIt\n\nfun f() { encodeIt() }\n',
      },
      symbol: 'encodeIt',
      rows: ['b/B.kt:3 import ?unique name', 'b/B.kt:5 call ?unique name'],
      completeness: 'unknown',
    },
  ],
  [
    'TypeScript: what is written of a field holds, whatever it is given',
    {
      files: {
        'a.ts':
          'export class A { private go() {} }\nexport class W { a: A; constructor(f: any) { this.a = f.make(); } run() { this.a.go(); } }\n',
      },
      symbol: 'A.go',
      rows: ['a.ts:2 call type'],
      completeness: 'complete',
    },
  ],
  [
    'Python: what is written of a field holds, whatever it is given',
    {
      files: {
        'a.py':
          'class A:\n  def go(self): pass\n\nclass W:\n  def __init__(self, f):\n    self.a: A = None\n    self.a = f.make()\n  def run(self):\n    self.a.go()\n',
      },
      symbol: 'A.go',
      rows: ['a.py:9 call type'],
      completeness: 'complete',
    },
  ],
  [
    'Python: imports, under other names, through a package',
    {
      files: {
        'pkg/__init__.py': 'from .a import load as fetch\n',
        'pkg/a.py': 'def load():\n  pass\n',
        'b.py': 'from pkg import fetch\nfetch()\n',
        'c.py': 'import pkg.a\npkg.a.load()\n',
        'd.py': 'from other import load\nload()\n',
        'e.py': 'def load(): pass\nload()\n',
        'f.py': 'from pkg.a import load as it\ndef run():\n  it()\n',
      },
      symbol: 'pkg/a.py#load',
      rows: [
        'b.py:1 import import',
        'b.py:2 call import',
        'c.py:2 call import',
        'f.py:1 import import',
        'f.py:1 import import',
        'f.py:3 call import',
        'pkg/__init__.py:1 import import',
        'pkg/__init__.py:1 import import',
      ],
      completeness: 'complete',
    },
  ],
  [
    'Python: self, types that are written, and classes between',
    {
      files: {
        'a.py':
          'class A:\n  def go(self):\n    pass\n  def run(self):\n    self.go()\n\nclass B(A):\n  def two(self):\n    super().go()\n',
        'b.py':
          'from a import A, B\ndef f(x: A, y):\n  x.go()\n  y.go()\n  B().go()\n  z = A()\n  z.go()\n\nclass C:\n  def go(self): pass\n  def f(self):\n    self.go()\n',
      },
      symbol: 'A.go',
      rows: [
        'a.py:5 call type',
        'a.py:9 call type',
        'b.py:3 call type',
        'b.py:5 call type',
        'b.py:7 call type',
        'b.py:4 call ?text',
      ],
      completeness: 'partial',
      why: /1 place may mean it/,
    },
  ],
  [
    'TypeScript: re-exports, defaults under any name, name spaces',
    {
      files: {
        'src/load.ts': 'export function load() {}\nexport default load;\n',
        'src/index.ts': "export { load as fetchIt } from './load.js';\nexport * from './load';\n",
        'src/a.ts': "import anything from './load';\nanything();\n",
        'src/b.ts': "import { fetchIt } from './index.ts';\nfetchIt();\n",
        'src/c.ts': "import * as all from '.';\nall.load();\n",
        'src/d.ts': "import { load } from 'elsewhere';\nload();\nconst f = (load: () => void) => load();\n",
      },
      symbol: 'src/load.ts#load',
      rows: [
        'src/a.ts:1 import import',
        'src/a.ts:2 call import',
        'src/b.ts:1 import import',
        'src/b.ts:2 call import',
        'src/c.ts:2 call import',
        'src/index.ts:1 export import',
        'src/load.ts:2 export scope',
      ],
      completeness: 'complete',
    },
  ],
  [
    'Python: types that are written in strings, with others',
    {
      files: {
        'a.py':
          'from typing import TypeAlias, cast\n\nclass Atom: pass\n\nList: TypeAlias = \'list["Atom" | int]\'\n\ndef f(x):\n  return cast("dict[str, Atom]", x)\n',
      },
      symbol: 'Atom',
      rows: ['a.py:5 text ?text', 'a.py:8 text ?text'],
      completeness: 'partial',
    },
  ],
  [
    'Go: a package whose path does not show its name',
    {
      files: {
        'go.mod': 'module example.org/go-toml/v2\n',
        'errors.go': 'package toml\n\ntype DecodeError struct{}\n',
        'cli/cli.go':
          'package cli\n\nimport "example.org/go-toml/v2"\n\nvar one *toml.DecodeError\n\nfunc two(err *toml.DecodeError) {}\n',
      },
      symbol: 'DecodeError',
      rows: ['cli/cli.go:5 type import', 'cli/cli.go:7 type import'],
      completeness: 'complete',
    },
  ],
  [
    'Go: a package, its importers, and methods by their types',
    {
      files: {
        'go.mod': 'module example.org/m\n',
        'p/a.go':
          'package p\n\ntype S struct{}\n\nfunc New() *S { return nil }\n\nfunc (s *S) close() {}\n\nfunc (s *S) End() { s.close() }\n',
        'p/b.go': 'package p\n\nfunc use() {\n\ts := New()\n\ts.close()\n}\n',
        'main.go': 'package main\n\nimport "example.org/m/p"\n\nfunc main() { p.New() }\n',
      },
      symbol: 'S.close',
      rows: ['p/a.go:9 call type', 'p/b.go:5 call type'],
      completeness: 'complete',
    },
  ],
  [
    'Rust: paths, uses, and types',
    {
      files: {
        'Cargo.toml': '[package]\nname = "my-crate"\n',
        'src/lib.rs': 'pub mod a;\nmod b;\n',
        'src/a.rs':
          'pub struct S;\nimpl S {\n  pub fn make() -> S { S }\n}\npub fn load() {}\nfn near() { load(); }\n',
        'src/b.rs':
          'use crate::a::load;\nuse crate::a;\nfn f() { load(); a::load(); crate::a::load(); let load = 1; load; }\n',
      },
      symbol: 'src/a.rs#load',
      rows: [
        'src/a.rs:6 call scope',
        'src/b.rs:1 import import',
        'src/b.rs:3 call import',
        'src/b.rs:3 call import',
        'src/b.rs:3 call import',
      ],
      completeness: 'complete',
    },
  ],
  [
    'Rust: a trait in the header of an `impl` is inherited, and words of a sentence that a macro is given are text',
    {
      files: {
        'src/lib.rs':
          'pub trait Runs {}\npub struct One;\nimpl Runs for One {}\nimpl<T: Clone> Runs\n    for Box<T> {}\nfn take(one: &dyn Runs) {}\nfn say() { println!("Runs twice, {}", 1); }\n',
      },
      symbol: 'Runs',
      rows: [
        'src/lib.rs:3 inherits scope',
        'src/lib.rs:4 inherits scope',
        'src/lib.rs:6 type scope',
        'src/lib.rs:7 text ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'Rust: what a macro is given is no use of what has its name',
    {
      files: {
        'src/lib.rs':
          'pub struct Unsigned;\nmacro_rules! make { ($Unsigned:ty) => { impl Go for $Unsigned { fn f() -> Unsigned { Unsigned } } } }\n',
      },
      symbol: 'Unsigned',
      rows: ['src/lib.rs:2 call scope', 'src/lib.rs:2 text ?text'],
      completeness: 'partial',
    },
  ],
  [
    'C#: by the name that is printed, where a namespace has a dot',
    {
      files: { 'a.cs': 'namespace A.B {\n  class C { void Go() {} void Run() { Go(); } }\n}\n' },
      symbol: 'a.cs#A.B.C.Go',
      rows: ['a.cs:2 call scope'],
      completeness: 'unknown',
    },
  ],
  [
    'Bash: called within a text',
    {
      files: { 'a.sh': 'where_is() { echo 1; }\nrun() { X="$(where_is "$1")"; }\n' },
      symbol: 'where_is',
      rows: ['a.sh:2 call scope'],
      completeness: 'unknown',
    },
  ],
  [
    'C: complete, where no macro can hide a use',
    {
      files: {
        'a.h': 'int load(int);\n',
        'a.c': '#include "a.h"\nint load(int x) { return x; }\n',
        'b.c': '#include "a.h"\nint f(void) { return load(1); }\n',
        'c.c': 'static int load(int x) { return x; }\nint g(void) { return load(1); }\n',
      },
      symbol: 'a.c#load',
      rows: ['b.c:2 call import'],
      completeness: 'complete',
    },
  ],
  [
    'C: a macro that puts names together, by another that hands it on',
    {
      files: {
        'm.h': '#define JOIN(a, b) a##b\n#define CALL(x) JOIN(do_, x)(1)\n',
        'a.c':
          '#include "m.h"\nint do_load(int x) { return x; }\nint do_save(int x) { return x; }\nint f(void) { return CALL(load); }\n',
      },
      symbol: 'do_load',
      rows: [],
      completeness: 'unknown',
      why: /the macro CALL puts names together, and may make this one \(a\.c:4\)/,
    },
  ],
  [
    'C: a macro that puts together other names alone',
    {
      files: {
        'm.h':
          '#define JOIN(a, b) a##b\n#define CALL(x) JOIN(do_, x)(1)\n#define TELL(f, ...) printf(f, ##__VA_ARGS__)\n',
        'a.c':
          '#include "m.h"\nint do_load(int x) { return x; }\nint do_save(int x) { return x; }\nint f(void) { return CALL(load); }\nint g(void) { return do_save(2); }\n',
      },
      symbol: 'do_save',
      rows: ['a.c:5 call scope'],
      completeness: 'complete',
    },
  ],
  [
    'C: a macro that puts names together where the definition is not seen',
    {
      files: {
        'deps/m.h': '#define JOIN(a, b) a##b\n',
        'deps/d.c': '#include "m.h"\nint x = JOIN(FIRST, SECOND);\n',
        'src/a.c': 'int do_load(int x) { return x; }\nint f(void) { return do_load(1); }\n',
      },
      symbol: 'do_load',
      rows: ['src/a.c:2 call scope'],
      completeness: 'complete',
    },
  ],
  [
    'C: a word that is there to be added to, which nothing defines',
    {
      files: {
        'm.h':
          '#define JOIN2(a, b) a##b\n#define JOIN(a, b) JOIN2(a, b)\n#define PICK(...) JOIN(PICK_, COUNT(__VA_ARGS__))\nint do_load(int);\n',
        'd.c': '#include "m.h"\nint x(void) { return PICK(1, 2); }\n',
        'a.c': '#include "m.h"\nint do_load(int x) { return x; }\nint f(void) { return do_load(1); }\n',
      },
      symbol: 'do_load',
      rows: ['a.c:3 call scope'],
      completeness: 'complete',
    },
  ],
  [
    'C: a word that is there to be added to, which the call of a compiler may define',
    {
      files: {
        'm.h':
          '#define JOIN2(a, b) a##b\n#define JOIN(a, b) JOIN2(a, b)\n#define PICK(...) JOIN(PICK_, COUNT(__VA_ARGS__))\nint do_load(int);\n',
        'd.c': '#include "m.h"\nint x(void) { return PICK(1, 2); }\n',
        'a.c': '#include "m.h"\nint do_load(int x) { return x; }\nint f(void) { return do_load(1); }\n',
        Makefile: 'CFLAGS += -DPICK_=\n',
      },
      symbol: 'do_load',
      rows: ['a.c:3 call scope'],
      completeness: 'unknown',
    },
  ],
  [
    'Rust: a type of its own where a build has none from outside',
    {
      files: {
        'src/lib.rs':
          '#[cfg(wide)]\nuse std::sync::atomic::AtomicUsize;\n#[cfg(not(wide))]\nstruct AtomicUsize { v: usize }\n#[cfg(not(wide))]\nimpl AtomicUsize {\n  fn put(&self, v: usize) {}\n}\nstatic STATE: AtomicUsize = AtomicUsize::new(0);\npub fn go() { STATE.put(1); }\n',
      },
      symbol: 'AtomicUsize.put',
      rows: ['src/lib.rs:10 call ?unique name'],
      completeness: 'unknown',
    },
  ],
  [
    'Python: a method of a name that values from outside have',
    {
      files: {
        'a.py': 'class Request:\n  def groups(self): pass\n',
        'b.py': 'import os\n\ndef f(x):\n  return x.pattern.match(x).groups()\n',
      },
      symbol: 'Request.groups',
      rows: ['b.py:4 call ?text'],
      completeness: 'partial',
    },
  ],
  [
    'C++: a header with the ending of C',
    {
      files: {
        'a.h': 'namespace one {\nclass Two : public Base {\n public:\n  void go() { load(1); }\n};\n}\n',
        'b.h': '#ifdef __cplusplus\nextern "C" {\nclass Other;\n#endif\nint load(int);\n',
      },
      symbol: 'Two',
      rows: [],
      completeness: 'unknown',
    },
  ],
  [
    'C: a macro that puts together what another macro says',
    {
      files: {
        'm.h': '#define JOIN2(a, b) a##b\n#define JOIN(a, b) JOIN2(a, b)\nint do_load(int);\n',
        'd.c': '#include "m.h"\nint x(void) { return JOIN(FIRST, SECOND)(1); }\n',
        'a.c': '#include "m.h"\nint do_load(int x) { return x; }\nint f(void) { return do_load(1); }\n',
      },
      symbol: 'do_load',
      rows: ['a.c:3 call scope'],
      completeness: 'unknown',
      why: /the macro JOIN puts names together/,
    },
  ],
  [
    'C: a name that is handed to a macro, which keeps it, makes another of it, or takes it for a field',
    {
      files: {
        'm.h': '#define KEEP(f) run(f)\n#define TEXT(f) run2(#f, f##_old)\n#define TAKE(o, f) ((o)->f)\n',
        'a.c':
          '#include "m.h"\nstatic int load(int x) { return x; }\nint f(void) { return KEEP(load); }\nint g(void) { TEXT(load); return TAKE(o, load); }\n',
      },
      symbol: 'load',
      rows: ['a.c:3 reference scope', 'a.c:4 reference ?scope', 'a.c:4 reference ?scope'],
      completeness: 'partial',
    },
  ],
  [
    'C: a tag is no function, and a parameter of a macro no use',
    {
      files: {
        'a.c':
          'struct load { int x; };\nint load(struct load *l) { return l->x; }\n#define M(load) (load + 1)\nint f(struct load *l) { return load(l); }\n',
      },
      symbol: 'a.c#load',
      rows: ['a.c:4 call scope'],
      completeness: 'complete',
    },
  ],
  [
    'C: in an assembly, in a place that was not understood, and behind a look-up at run time',
    {
      files: {
        'a.c':
          'int load(int x) { return x; }\nvoid f(void) { __asm__("call load"); }\nvoid *g(char *n) { return dlsym(0, n); }\n',
      },
      symbol: 'load',
      rows: ['a.c:2 text ?text'],
      completeness: 'partial',
      why: /looked up at run time/,
    },
  ],
  [
    'C: one value for the linker, with its announcements in a header and within a function',
    {
      files: {
        'a.h': 'extern int level;\n',
        'a.c': '#include "a.h"\nint level = 1;\nint get(void) { extern int level; return level; }\n',
        'b.c': '#include "a.h"\nint f(int level) { return level; }\nint g(void) { return level; }\n',
      },
      symbol: 'level',
      rows: ['a.c:3 reference scope', 'a.c:3 reference scope', 'b.c:3 reference import'],
      completeness: 'complete',
    },
  ],
  [
    'C: an error of the grammar elsewhere in a file takes nothing from a name that is sure in all its places',
    {
      files: {
        'a.c':
          'static int load(int x) { return x; }\nint f(void) { return load(1); }\nAPI(int) ( @ broken (;\n',
      },
      symbol: 'load',
      rows: ['a.c:2 call scope'],
      completeness: 'complete',
    },
  ],
  [
    'C: what starts before anybody calls it',
    {
      files: { 'a.c': '__attribute__((constructor))\nstatic void load(void) { }\n' },
      symbol: 'load',
      rows: [],
      completeness: 'unknown',
      why: /attribute/,
    },
  ],
  [
    'C++: names may mean several',
    {
      files: { 'a.cpp': 'int load(int x) { return x; }\nint f() { return load(1); }\n' },
      symbol: 'load',
      rows: ['a.cpp:2 call scope'],
      completeness: 'unknown',
      why: /overloads/,
    },
  ],
  [
    'C++: a member that a class declares in a header is the one whose body stands elsewhere',
    {
      files: {
        'lib/box.h':
          'namespace lib {\nclass Box {\n public:\n  void put(int n);\n  void put(long n);\n};\n}\n',
        'lib/box.cc':
          '#include "lib/box.h"\nnamespace lib {\nvoid Box::put(int n) {}\nvoid Box::put(long n) {}\n}\n',
        'lib/use.cc': '#include "lib/box.h"\nnamespace lib {\nvoid f(Box& box) { box.put(1); }\n}\n',
      },
      symbol: 'Box.put',
      rows: ['lib/use.cc:3 call ?unique name'],
      completeness: 'unknown',
      why: /overloads/,
    },
  ],
  [
    'Go: a type that a struct embeds is a field of its name',
    {
      files: {
        'go.mod': 'module x\n',
        'a.go':
          'package a\n\ntype config struct{ n int }\n\ntype box struct{ config }\n\nfunc f(b *box) *config { return &b.config }\nfunc g(v any) { _ = v.(other).config }\n\nvar one = box{config: config{}}\n',
      },
      symbol: 'a.go#config',
      rows: [
        'a.go:5 type scope',
        'a.go:7 type scope',
        'a.go:7 reference type',
        'a.go:10 type scope',
        'a.go:8 reference ?text',
        'a.go:10 reference ?text',
      ],
      completeness: 'partial',
    },
  ],
  [
    'Python: what is in brackets is no name, and what may be anything may be it',
    {
      files: {
        'a.py': [
          'from typing import Any, TypeVar',
          'class Fast:',
          '  def go(self): ...',
          "S = TypeVar('S', bound=Fast)",
          'def f(a, b, c: Any, d: S, e: object, h: "Union[Fast, int] | None"):',
          '  (a or b).go()',
          '  (a if b else a).go()',
          '  c.go()',
          '  d.go()',
          '  e.go()',
          '  h.go()',
          'def g[T: Fast](x: T):',
          '  x.go()',
          '',
        ].join('\n'),
      },
      symbol: 'Fast.go',
      rows: ['a.py:13 call type', ...[6, 7, 8, 9, 10, 11].map((line) => `a.py:${line} call ?unique name`)],
      completeness: 'partial',
    },
  ],
  [
    'TypeScript: type parameters, casts, and what methods of the same object give',
    {
      files: {
        'a.ts': [
          'export class Fast {',
          '  go() {}',
          '}',
          'export class Slow {',
          '  go() {}',
          '}',
          'export function f<T extends Fast>(x: T, y: unknown) {',
          '  x.go();',
          '  (y as Fast).go();',
          '  if (y instanceof Fast) y.go();',
          '}',
          'export class Driver<T extends Fast> {',
          '  constructor(private t: T) {}',
          '  make(): Fast { return this.t; }',
          '  run() {',
          '    const made = this.make();',
          '    made.go();',
          '  }',
          '}',
          '',
        ].join('\n'),
      },
      symbol: 'Fast.go',
      rows: ['a.ts:8 call type', 'a.ts:9 call type', 'a.ts:17 call type', 'a.ts:10 call ?text'],
      completeness: 'unknown',
    },
  ],
  [
    'TypeScript: a declaration file and the JavaScript beside it are one definition',
    {
      files: {
        'm.d.ts': 'export declare function take(n: number): number;\n',
        'm.js': 'export function take(n) {\n  return n;\n}\n',
        'a.js': "import { take } from './m.js';\ntake(1);\n",
        'b.ts': "import { take } from './m';\ntake(2);\n",
      },
      symbol: 'take',
      rows: ['a.js:1 import import', 'a.js:2 call import', 'b.ts:1 import import', 'b.ts:2 call import'],
      completeness: 'complete',
    },
  ],
  [
    'Python: a stub and its module are one definition',
    {
      files: {
        'p/__init__.py': 'from .m import take\n',
        'p/m.py': 'def take(n):\n  return n\n',
        'p/m.pyi': 'def take(n: int) -> int: ...\ndef more(f=take) -> int: ...\n',
        't.py': 'from p import take\ntake(1)\n',
      },
      symbol: 'take',
      rows: [
        'p/__init__.py:1 import import',
        'p/m.pyi:2 reference scope',
        't.py:1 import import',
        't.py:2 call import',
      ],
      completeness: 'complete',
    },
  ],
])('%s', (_, { files, symbol, rows, completeness, why }) => {
  it('lists who uses it, how that is known, and whether that is all', async () => {
    const found = await listed(files, symbol);
    expect(found.rows).toEqual(rows);
    expect(found.completeness).toBe(completeness);
    if (why !== undefined) expect(found.why).toMatch(why);
  });
});

describe('what may hide a caller', () => {
  const py = 'class A:\n  def handle_x(self):\n    pass\n\ndef plain():\n  pass\n';
  it.each<[why: string, files: Tree, symbol: string, completeness: string]>([
    ['nothing does', { 'a.py': py }, 'plain', 'complete'],
    [
      'a name that is made',
      { 'a.py': py, 'b.py': "def f(a, k):\n  getattr(a, 'handle_' + k)()\n" },
      'A.handle_x',
      'unknown',
    ],
    [
      'a name that is made concerns no function',
      { 'a.py': py, 'b.py': "def f(a, k):\n  getattr(a, 'handle_' + k)()\n" },
      'plain',
      'complete',
    ],
    [
      'a name of a module that is made',
      { 'a.py': py, 'b.py': 'import a as mod\ndef f(k):\n  getattr(mod, k)()\n' },
      'plain',
      'unknown',
    ],
    [
      'a name that begins otherwise',
      { 'a.py': py, 'b.py': "def f(a, k):\n  getattr(a, 'on_' + k)()\n" },
      'A.handle_x',
      'complete',
    ],
    [
      'one that ends otherwise',
      { 'a.py': py, 'b.py': "def f(a, k):\n  getattr(a, f'{k}_end')()\n" },
      'A.handle_x',
      'complete',
    ],
    [
      'a name of which nothing is known',
      { 'a.py': py, 'b.py': 'def f(a, k):\n  getattr(a, k)()\n' },
      'A.handle_x',
      'partial',
    ],
    [
      'of its own class',
      { 'a.py': `${py}\nclass B(A):\n  def go(self, k):\n    getattr(self, k)()\n` },
      'A.handle_x',
      'unknown',
    ],
    [
      'of a type that is written',
      { 'a.py': py, 'b.py': 'from a import A\ndef f(a: A, k):\n  getattr(a, k)()\n' },
      'A.handle_x',
      'unknown',
    ],
    [
      'of another class',
      { 'a.py': py, 'b.py': 'class B:\n  def go(self, k):\n    getattr(self, k)()\n' },
      'A.handle_x',
      'partial',
    ],
    [
      'of a module from outside',
      { 'a.py': py, 'b.py': 'import logging\ndef f(k):\n  getattr(logging, k)()\n' },
      'A.handle_x',
      'complete',
    ],
    [
      'a name that is written on the next line',
      { 'a.py': py, 'b.py': "def f(a):\n  getattr(\n    a, 'other', None)()\n" },
      'A.handle_x',
      'complete',
    ],
    [
      'values of an instance',
      { 'a.py': py, 'b.py': 'class B:\n  def go(self, x):\n    self.__dict__.update(x)\n' },
      'A.handle_x',
      'complete',
    ],
    [
      'all members',
      { 'a.py': py, 'b.py': 'import inspect\ndef f(a):\n  for _, m in inspect.getmembers(a): m()\n' },
      'A.handle_x',
      'partial',
    ],
    [
      'what answers for any name',
      {
        'a.py': py,
        'b.py':
          'class P:\n  def __getattr__(self, n):\n    return getattr(self.o, n)\ndef f():\n  P().handle_x()\n',
      },
      'A.handle_x',
      'partial',
    ],
    [
      'code that is made where it is seen',
      { 'a.py': py, 'b.py': 'from a import plain\ndef f(x):\n  exec(x)\n' },
      'plain',
      'unknown',
    ],
    [
      'code that is made where it is not',
      { 'a.py': py, 'b.py': 'def f(x):\n  exec(x)\n' },
      'plain',
      'complete',
    ],
    ['a module as a value', { 'a.py': py, 'b.py': 'import a\nrun(a)\n' }, 'plain', 'unknown'],
    [
      'a base from outside',
      { 'a.py': 'import threading\nclass A(threading.Thread):\n  def go(self): pass\n' },
      'A.go',
      'unknown',
    ],
    ['a decorator', { 'a.py': '@app.route("/")\ndef plain(): pass\n' }, 'plain', 'unknown'],
    ['a runner of tests', { 'test_a.py': 'def test_it(): pass\n' }, 'test_it', 'unknown'],
    ['its name in a text', { 'a.py': py, 'b.py': "run('a:plain')\n" }, 'plain', 'partial'],
    ['its name in a file that is not read', { 'a.py': py, 'x.html': '{{ plain() }}\n' }, 'plain', 'partial'],
    ['prose hides none', { 'a.py': py, 'README.md': 'Call plain().\n' }, 'plain', 'complete'],
    ['a file with an error', { 'a.py': py, 'b.py': 'def g(:\n  plain(\n' }, 'plain', 'partial'],
    ['a public method of TypeScript', { 'a.ts': 'export class A { go() {} }\n' }, 'A.go', 'unknown'],
    [
      'a private one is seen',
      { 'a.ts': 'export class A { private go() {} run() { this.go(); } }\n' },
      'A.go',
      'complete',
    ],
    [
      'code that sees it',
      { 'a.ts': 'export function go() {}\n', 'b.ts': "import { go } from './a';\neval(x); go;\n" },
      'go',
      'unknown',
    ],
    [
      'code that does not',
      { 'a.ts': 'export function go() {}\n', 'b.ts': 'eval(x);\nnew Function(y);\n' },
      'go',
      'complete',
    ],
    [
      'a member by a name that is made',
      { 'a.ts': 'export class A { private go() {} run(k: string) { this[k](); } }\n' },
      'A.go',
      'unknown',
    ],
    [
      'of another class alone',
      {
        'a.ts': 'export class A { private go() {} run() { this.go(); } }\n',
        'b.ts': 'class B { run(k: string) { this[k](); } }\n',
      },
      'A.go',
      'complete',
    ],
    [
      'a name space as a value',
      { 'a.ts': 'export function go() {}\n', 'b.ts': "import * as a from './a';\na[key]();\n" },
      'go',
      'unknown',
    ],
    [
      'a module that is loaded',
      { 'a.ts': 'export function go() {}\n', 'b.ts': "import('./a').then((m) => m[key]());\n" },
      'go',
      'unknown',
    ],
    [
      'a function of TypeScript',
      { 'a.ts': 'export function go() {}\n', 'b.ts': "import * as a from './a';\na.go();\n" },
      'go',
      'complete',
    ],
    [
      'a method that an interface asks for',
      { 'a.go': 'package p\n\ntype I interface{ end() }\n\ntype S struct{}\n\nfunc (s S) end() {}\n' },
      'S.end',
      'unknown',
    ],
    [
      'an exported method of Go',
      { 'a.go': 'package p\n\ntype S struct{}\n\nfunc (s S) String() string { return "" }\n' },
      'S.String',
      'unknown',
    ],
    ['a function of Go', { 'a.go': 'package p\n\nfunc end() {}\n' }, 'end', 'complete'],
    [
      'a type of a trait, by the types that have it',
      {
        'src/lib.rs':
          'pub trait Cast {\n  type Target;\n}\nfn cast<U: Cast>(x: U::Target) -> U::Target { x }\n',
      },
      'Target',
      'unknown',
    ],
    [
      'a type that a foreign trait asks for, and that hides no other of its name',
      {
        'src/lib.rs':
          'struct Kept;\nstruct S;\nimpl IntoIterator for S {\n  type Kept = Kept;\n  fn into_iter(self) -> Kept { Kept }\n}\n',
      },
      'S.Kept',
      'unknown',
    ],
    [
      'a value that a trait asks for',
      {
        'src/lib.rs': 'trait Sized2 {\n  const WIDTH: usize;\n}\nfn f<T: Sized2>() -> usize { T::WIDTH }\n',
      },
      'WIDTH',
      'unknown',
    ],
    [
      'a value of a type, where a foreign trait asks for it',
      { 'src/lib.rs': 'struct S;\nimpl Width for S {\n  const WIDTH: usize = 1;\n}\n' },
      'WIDTH',
      'unknown',
    ],
    [
      'an alias at the top of a file is no type of a trait',
      { 'src/lib.rs': 'type Pair = (u8, u8);\nfn f() -> Pair { (1, 2) }\n' },
      'Pair',
      'complete',
    ],
    [
      'a method of a trait, of a type without a name',
      {
        'src/lib.rs':
          'struct S;\nimpl PartialEq<S> for [u8] {\n  fn eq_all(&self, o: &S) -> bool { true }\n}\n',
      },
      'eq_all',
      'unknown',
    ],
    [
      'a method of a trait',
      { 'src/lib.rs': 'struct S;\nimpl Drop for S {\n  fn drop(&mut self) {}\n}\n' },
      'S.drop',
      'unknown',
    ],
    [
      'tokens of a macro that make names',
      { 'src/lib.rs': 'fn load() {}\nfn f() { paste! { x } }\n' },
      'load',
      'unknown',
    ],
  ])('%s', async (_, files, symbol, completeness) => {
    expect((await listed(files, symbol)).completeness).toBe(completeness);
  });

  it('a function that is handed on may be called where nobody sees it', async () => {
    const files = { 'a.py': 'def plain(): pass\nrun(plain)\n' };
    expect(await listed(files, 'plain')).toMatchObject({
      completeness: 'complete',
      rows: ['a.py:2 reference scope'],
    });
    expect(await listed(files, 'plain', { calls: true })).toMatchObject({
      completeness: 'partial',
      rows: [],
    });
  });
});

describe('which definition is meant', () => {
  const files = {
    'a.py': 'class A:\n  def go(self): pass\n',
    'b.py': 'class B:\n  def go(self): pass\n',
    'test/c.py': 'def only(): pass\n',
    'd.py': 'def only(): pass\n',
  };
  const ask = (symbol: string) => memorySymbols(files, syntax).references({ symbol });
  it('says where a name means several', async () => {
    expect(await ask('go')).toEqual({ kind: 'ambiguous', candidates: ['a.py#A.go', 'b.py#B.go'] });
    for (const symbol of ['A.go', 'a.py#go', 'a.py#A.go', 'a.A.go', 'A#go', 'A::go', 'A.go()'])
      expect(await ask(symbol)).toMatchObject({ kind: 'listed', symbol: 'a.py#A.go' });
  });
  it('takes sources before tests, and says that there are others', async () => {
    expect(await ask('only')).toMatchObject({
      kind: 'listed',
      symbol: 'd.py#only',
      why: [expect.stringContaining('1 other definitions')],
    });
  });
  it('tells a word without a definition from no word', async () => {
    expect(await ask('self')).toMatchObject({ kind: 'undefined', places: ['a.py', 'b.py'] });
    expect(await ask('gone')).toEqual({ kind: 'nowhere' });
    expect(await ask('A.gone')).toEqual({ kind: 'nowhere' });
  });
});

it('a file that changes meanwhile is stale, and nothing of it is guessed', async () => {
  const files: Tree = { 'a.py': 'def plain(): pass\nplain()\n', 'b.py': 'from a import plain\nplain()\n' };
  const reader = memoryReader(files);
  let reads = 0;
  const found = await listReferences(
    {
      words: memoryWords(files),
      syntax,
      limitMs: Number.MAX_SAFE_INTEGER,
      reader: {
        readText: async (path) =>
          path === 'b.py' && ++reads > 1 ? { kind: 'text', lines: ['other'] } : reader.readText(path),
      },
    },
    { symbol: 'plain' },
  );
  expect(found).toMatchObject({
    kind: 'listed',
    completeness: 'partial',
    files: { stale: 1 },
    rows: [{ path: 'a.py' }],
  });
});

it.each([
  ['where few files hold the word', 1, 'def plain(): pass\n', { kind: 'listed', completeness: 'partial' }],
  ['where no line looks like a definition', 8, 'plain = make()\n', { kind: 'undefined', cut: true }],
])('is cut at its time, and says so: %s', async (_, users, definition, expected) => {
  const files: Tree = {
    ...Object.fromEntries(
      Array.from({ length: users }, (_one, nth) => [`b${nth}.py`, 'from z import plain\n']),
    ),
    'z.py': definition,
  };
  let time = 0;
  const found = await listReferences(
    { words: memoryWords(files), reader: memoryReader(files), syntax, limitMs: 0, now: () => time++ },
    { symbol: 'plain' },
  );
  expect(found).toMatchObject(expected);
});

it('reads the file that is named, though the time is over', async () => {
  const files: Tree = { 'a.py': 'def plain(): pass\n', 'b.py': 'from a import plain\n' };
  let time = 0;
  const found = await listReferences(
    { words: memoryWords(files), reader: memoryReader(files), syntax, limitMs: 0, now: () => time++ },
    { symbol: 'a.py#plain' },
  );
  expect(found).toMatchObject({ kind: 'listed', completeness: 'partial', rows: [] });
});

it('reads what looks like the definition of a name, though the time is over', async () => {
  const users = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.py`, 'from z import plain\nplain()\n']),
  );
  const files: Tree = { ...users, 'z.py': 'def plain(): pass\n' };
  let time = 0;
  const found = await listReferences(
    { words: memoryWords(files), reader: memoryReader(files), syntax, limitMs: 0, now: () => time++ },
    { symbol: 'plain' },
  );
  expect(found).toMatchObject({ kind: 'listed', symbol: 'z.py#plain', completeness: 'partial' });
});

describe('what hangs on what', () => {
  const files: Tree = {
    'a.py': 'def low(): pass\n\ndef mid():\n  low()\n',
    'b.py': 'from a import mid\n\ndef high():\n  mid()\n\nclass K(Base):\n  pass\n',
    'test_b.py': 'from b import high\n\ndef test_high():\n  high()\n',
  };
  const symbols = memorySymbols(files, syntax);
  it('impact goes by steps, and names tests with their commands', async () => {
    const found = await symbols.impact({ symbol: 'low' });
    if (found.kind !== 'impact') throw new Error(found.kind);
    expect(
      found.rows.filter(({ kind }) => kind === 'call').map(({ path, line, hop }) => `${hop} ${path}:${line}`),
    ).toEqual(['1 a.py:4', '2 b.py:4', '3 test_b.py:4']);
    expect(found.tests).toContainEqual({
      path: 'test_b.py',
      name: 'test_high',
      command: 'pytest test_b.py::test_high',
    });
  });
  it('impact says where it stops: what may be a use of a user, and what may call one unseen', async () => {
    const go = memorySymbols(
      {
        'p.go':
          'package p\n\ntype part interface {\n\tinsert(n int)\n}\n\ntype mem struct{}\n\nfunc (m *mem) insert(n int) {\n\tput(n)\n}\n\ntype disk struct{}\n\nfunc (d *disk) insert(n int) {}\n\nfunc put(n int) {}\n',
        's.go':
          'package p\n\nfunc store(all []part) {\n\tfor _, one := range all {\n\t\tone.insert(1)\n\t}\n}\n',
      },
      syntax,
    );
    const found = await go.impact({ symbol: 'put' });
    if (found.kind !== 'impact') throw new Error(found.kind);
    expect(found.rows.map(({ path, line }) => `${path}:${line}`)).toEqual(['p.go:10']);
    expect(found.completeness).toBe('partial');
    expect(found.why).toEqual([
      'mem.insert: 1 place may mean it or another, and was not followed',
      'mem.insert: an interface may ask for it',
    ]);
    const way = await go.trace({ from: 'store', to: 'put' });
    expect(way).toMatchObject({ steps: [], completeness: 'partial' });
    expect(way.kind === 'trace' && way.why).toContain(
      '1 place may be a step or another, and was not followed',
    );
  });
  it('a path goes along calls', async () => {
    const found = await symbols.trace({ from: 'high', to: 'low' });
    expect(found.kind === 'trace' && found.steps.map(({ name, row }) => [name, row?.line ?? null])).toEqual([
      ['high', 4],
      ['mid', 4],
      ['low', null],
    ]);
    const none = await symbols.trace({ from: 'low', to: 'high' });
    expect(none).toMatchObject({ kind: 'trace', steps: [] });
    expect(none.kind === 'trace' && none.completeness).not.toBe('complete');
  });
  it('expands along what it calls, who calls it and what it inherits', async () => {
    const found = await symbols.expand({ symbol: 'mid', along: ['calls', 'called-by', 'imports'] });
    expect(found.kind === 'expansion' && found.rows.map(({ along, to }) => `${along} ${to}`)).toEqual([
      'called-by b.py#high',
      'calls a.py#low',
    ]);
  });
  it('along inheritance it names the classes above and those below, and which is which', async () => {
    const inherited = memorySymbols(
      {
        'base.py': 'class Base:\n  pass\n\nclass Mid(Base):\n  pass\n',
        'low.py':
          'from base import Mid as Middle\n\ndef make():\n  @final\n  class Low(\n    Middle,\n  ):\n    pass\n  return Low\n',
        'low.ts': "import { Own } from './own';\nexport class Sub extends Own {}\n",
        'own.ts': 'export class Own {}\n',
      },
      syntax,
    );
    const edges = async (symbol: string) => {
      const found = await inherited.expand({ symbol, along: ['inherits'] });
      return found.kind === 'expansion' ? found.rows.map(({ along, to }) => `${along} ${to}`) : [];
    };
    expect((await edges('Mid')).toSorted()).toEqual([
      'inherited-by low.py#make.Low',
      'inherits base.py#Base',
    ]);
    expect(await edges('Own')).toEqual(['inherited-by low.ts#Sub']);
  });
  it.each([
    [
      'Rust, where an `impl` stands apart',
      'a.rs',
      'pub trait Shape {}\npub trait Named: Shape {}\npub trait Draws {\n    type Error: Shape;\n}\npub struct Wrap<T> { inner: T }\nimpl<T: Clone>\n    Shape for Wrap<T>\n{}\nfn take(one: &dyn Shape) {}\n',
      'Shape',
      ['inherited-by a.rs#Named', 'inherited-by a.rs#Wrap'],
      'Wrap',
      ['inherits a.rs#Shape'],
    ],
    [
      'Go, where a type is embedded',
      'a.go',
      'package a\n\ntype Base struct{}\n\ntype Low struct {\n\t*Base\n\theld Base\n}\n\ntype Holder struct {\n\theld Base\n}\n',
      'Base',
      ['inherited-by a.go#Low'],
      'Low',
      ['inherits a.go#Base'],
    ],
    [
      'Ruby, also by a mixin',
      'a.rb',
      'module Walks\nend\nclass Human\n  include Walks\n  def go\n    Walks\n  end\nend\n',
      'Walks',
      ['included-by a.rb#Human'],
      null,
      [],
    ],
    [
      'PHP, also by a trait',
      'a.php',
      '<?php\ntrait Counts {}\nclass Post {\n  use Counts;\n}\n',
      'Counts',
      ['included-by a.php#Post'],
      'Post',
      ['includes a.php#Counts'],
    ],
    [
      'Java',
      'A.java',
      'interface Store {}\nclass Box implements Store {\n  Store held;\n}\ninterface Big extends Store {}\n',
      'Store',
      ['inherited-by A.java#Box', 'inherited-by A.java#Big'],
      'Box',
      ['inherits A.java#Store'],
    ],
    [
      'C#',
      'a.cs',
      'interface IRepo { }\nclass User : IRepo { }\n',
      'IRepo',
      ['inherited-by a.cs#User'],
      'User',
      ['inherits a.cs#IRepo'],
    ],
    [
      'Kotlin',
      'a.kt',
      'open class View(val id: Int) {\n    fun show() = 1\n}\nclass Button(id: Int) : View(id) {\n}\n',
      'View',
      ['inherited-by a.kt#Button'],
      'Button',
      ['inherits a.kt#View'],
    ],
    [
      'Scala',
      'a.scala',
      'trait Animal { def noise: String }\nclass Dog(n: String) extends Object with Animal { def noise = "w" }\n',
      'Animal',
      ['inherited-by a.scala#Dog'],
      'Dog',
      ['inherits a.scala#Animal'],
    ],
    [
      'C++',
      'a.hpp',
      'class Node { public: int size(); };\nclass Leaf : public Node { Node *up; };\n',
      'Node',
      ['inherited-by a.hpp#Leaf'],
      'Leaf',
      ['inherits a.hpp#Node'],
    ],
    [
      'TypeScript, by a namespace',
      'b.ts',
      "import * as own from './own';\nexport class Far extends own.Core {\n  held?: own.Core;\n}\n",
      'Core',
      ['inherited-by b.ts#Far'],
      'Far',
      ['inherits own.ts#Core'],
    ],
  ])('along inheritance in %s', async (_, path, text, base, below, heir, above) => {
    const all = { [path]: text, 'own.ts': 'export class Core {}\n' };
    const tree = memorySymbols(all, syntax);
    const edges = async (symbol: string) => {
      const found = await tree.expand({ symbol, along: ['inherits'] });
      return found.kind === 'expansion' ? found.rows.map(({ along, to }) => `${along} ${to}`) : [];
    };
    expect(await edges(base)).toEqual(below);
    if (heir !== null) expect(await edges(heir)).toEqual(above);
  });
  it.each([
    ['arguments that are calls', 'b.One(size()).Two(max(size(), 2)).Three(";)").Four()'],
    [
      'a long chain over several lines',
      'b.One(1).\n\t\tTwo("a text that is long enough to fill a line of its own").\n\t\tThree("another (text) of the same length, so that all is long"). // )\n\t\tFour()',
    ],
    ['a variable in the middle', 'c := b.One(size()).Two(max(size(), 2))\n\tc.Three("").Four()'],
  ])('Go: every link of a chain of calls is a call: %s', async (_, chain) => {
    const chained = memorySymbols(
      {
        'go.mod': 'module x\n',
        'store/b.go':
          'package store\n\ntype B struct{}\n\nfunc (b *B) One(n int) *B { return b }\nfunc (b *B) Two(n any) *B { return b }\nfunc (b *B) Three(s string) *B { return b }\nfunc (b *B) Four() int { return 1 }\n',
        'a.go': `package main\n\nimport "x/store"\n\nfunc size() int { return 1 }\n\nfunc run(b *store.B) {\n\t${chain}\n}\n`,
        'other.go': 'package main\n\ntype O struct{}\n\nfunc (o *O) Four() int { return 2 }\n',
      },
      syntax,
    );
    const found = await chained.expand({ symbol: 'run', along: ['calls'] });
    if (found.kind !== 'expansion') throw new Error(found.kind);
    expect(found.rows.map(({ to }) => to)).toEqual(
      expect.arrayContaining(['One', 'Two', 'Three', 'Four'].map((name) => `store/b.go#B.${name}`)),
    );
    expect(found.why.filter((why) => why.includes('not traced') && !/^[12] /.test(why))).toEqual([]);
    const way = await chained.trace({ from: 'run', to: 'B.Four' });
    expect(way.kind === 'trace' && way.steps.map(({ name }) => name)).toEqual(['run', 'Four']);
  });
  it('Go: what a call gives may be called itself, and its type is not known', async () => {
    const { rows } = await listed(
      {
        'a.go':
          'package a\n\ntype B struct{}\n\nfunc (b B) Four() {}\n\nfunc size() int { return 1 }\n\nfunc make(n int) func() B { return nil }\n\nfunc run() {\n\tmake(max(size(), 1))().Four()\n}\n',
      },
      'B.Four',
    );
    expect(rows).toEqual(['a.go:12 call ?unique name']);
  });
});
