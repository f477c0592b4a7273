import { afterAll, describe, expect, it } from 'vitest';
import { syntaxReader } from '../syntax/reader.ts';
import { type FileFacts, findEnclosingDefinition, listUses } from './facts.ts';

const reader = syntaxReader();
afterAll(() => reader.close());

async function factsOf(path: string, text: string): Promise<FileFacts> {
  const file = await reader.read(path, text);
  if (file.kind !== 'facts') throw new Error(file.reason);
  return file.facts;
}

const named = ({ definitions }: FileFacts) =>
  definitions.map(({ name, kind, start, end, parent }) => {
    const within = parent < 0 ? '' : `${definitions[parent]!.name}.`;
    return `${kind} ${within}${name} ${start}-${end}`;
  });

const bindings = (facts: FileFacts, name: string) =>
  listUses(facts, { name }).map(({ line, role, binding }) => {
    const what =
      binding?.kind === 'definition' ? facts.definitions[binding.index]!.kind : (binding?.kind ?? 'free');
    return `${line} ${role} ${what}`;
  });

describe.each<[path: string, text: string, definitions: readonly string[]]>([
  [
    'a.py',
    '@dec\nclass A(B):\n  x = 1\n  def f(self):\n    pass\n\ndef g():\n  def h(): pass\nK = 2\n',
    [
      'class A 1-5',
      'field A.x 3-3',
      'method A.f 4-5',
      'function g 7-8',
      'function g.h 8-8',
      'variable K 9-9',
    ],
  ],
  [
    'a.ts',
    'export class A<\n  T,\n> {\n  x = 1;\n  m(): void {}\n}\ninterface I { p: string; q(): void }\nconst f = () => 1, v = 2;\ntype U = A<1>;\nenum E { P }\n',
    [
      'class A 1-6',
      'field A.x 4-4',
      'method A.m 5-5',
      'interface I 7-7',
      'field I.p 7-7',
      'method I.q 7-7',
      'function f 8-8',
      'variable v 8-8',
      'type U 9-9',
      'enum E 10-10',
      'field E.P 10-10',
    ],
  ],
  [
    'a.go',
    'package p\ntype S struct {\n\tA int\n}\ntype I interface{ M() }\nfunc (s *S) M() {}\nfunc F() {}\nconst C = 1\nvar V int\n',
    [
      'class S 2-4',
      'field S.A 3-3',
      'interface I 5-5',
      'method I.M 5-5',
      'method M 6-6',
      'function F 7-7',
      'constant C 8-8',
      'variable V 9-9',
    ],
  ],
  [
    'a.rs',
    'pub struct S { a: u8 }\nimpl S {\n  fn m(&self) {}\n}\nfn f() {}\nmod n { fn g() {} }\nmacro_rules! mm { () => {} }\n',
    [
      'class S 1-1',
      'field S.a 1-1',
      'method m 3-3',
      'function f 5-5',
      'namespace n 6-6',
      'function n.g 6-6',
      'macro mm 7-7',
    ],
  ],
  [
    'a.c',
    'int proto(int);\n#define M(x) f(x)\nstatic int *f(int a) {\n  return 0;\n}\nstruct S { int b; };\nint g;\n',
    [
      'function proto 1-1',
      'macro M 2-2',
      'function f 3-5',
      'struct S 6-6',
      'field S.b 6-6',
      'variable g 7-7',
    ],
  ],
  [
    'a.cpp',
    'class A { int m(); };\nint A::m() { return 1; }\n',
    ['class A 1-1', 'method A.m 1-1', 'method m 2-2'],
  ],
  [
    'A.java',
    'class A {\n  int f;\n  int m(int x) { return x; }\n}\n',
    ['class A 1-4', 'field A.f 2-2', 'method A.m 3-3'],
  ],
  [
    'a.cs',
    'namespace N { class A { int M(int x) { return x; } } }\n',
    ['namespace N 1-1', 'class N.A 1-1', 'method A.M 1-1'],
  ],
  [
    'a.rb',
    'module M\n  class A < B\n    def f(a)\n    end\n  end\nend\n',
    ['namespace M 1-6', 'class M.A 2-5', 'method A.f 3-4'],
  ],
  [
    'a.php',
    '<?php\nclass A { function m($s) {} }\nfunction g() {}\n',
    ['class A 2-2', 'method A.m 2-2', 'function g 3-3'],
  ],
  ['a.sh', 'f() {\n  g\n}\n', ['function f 1-3']],
  ['a.kt', 'class A {\n  fun m(): Int { return 1 }\n}\n', ['class A 1-3', 'method A.m 2-2']],
  [
    'a.kt',
    'class A(val a: Int, b: Int) : B() {\n  private var x: Any? = null\n  @JvmField val Y = a.f(b)\n  val String.ext: Int get() = 1\n  companion object {\n    const val K = 2\n  }\n  fun m() {\n    val own = b\n    if (own) { var inner = own }\n    for (each in own) {}\n    val o = object : C { val held = 1 }\n  }\n}\nenum class E {\n  ONE,\n  TWO {\n    override fun g() = 1\n  }\n}\n',
    [
      'class A 1-14',
      'field A.a 1-1',
      'field A.x 2-2',
      'field A.Y 3-3',
      'field A.ext 4-4',
      'field A.K 6-6',
      'method A.m 8-13',
      'field m.held 12-12',
      'class E 15-20',
      'field E.ONE 16-16',
      'field E.TWO 17-19',
      'function TWO.g 18-18',
    ],
  ],
  [
    'a.java',
    'class A {\n  int a = f(), b;\n  void m() {\n    int c = 1, d = a;\n    class Own { private final int held = d; }\n    new C() { int kept = 2; };\n  }\n}\n',
    [
      'class A 1-8',
      'field A.a 2-2',
      'field A.b 2-2',
      'method A.m 3-7',
      'class m.Own 5-5',
      'field Own.held 5-5',
      'field m.kept 6-6',
    ],
  ],
  [
    'a.cs',
    'class A {\n  private readonly Func<T> _a = F(), _b;\n  public event Action E;\n  int P { get; set; }\n  void M() { var own = _a; }\n}\n',
    ['class A 1-6', 'field A._a 2-2', 'field A._b 2-2', 'field A.E 3-3', 'field A.P 4-4', 'method A.M 5-5'],
  ],
  ['a.rb', 'class Rack::Builder\n  def f; end\nend\n', ['class Builder 1-3', 'method Builder.f 2-2']],
  [
    'b.scala',
    'class A(val n: Int, m: Int) {\n  val (a, b) = f()\n  val Seq(h, t @ _*) = xs\n  var x, y = 1\n  def k() = { val own = x; own }\n}\n',
    [
      'class A 1-6',
      'field A.n 1-1',
      'field A.a 2-2',
      'field A.b 2-2',
      'field A.h 3-3',
      'field A.t 3-3',
      'field A.x 4-4',
      'field A.y 4-4',
      'method A.k 5-5',
    ],
  ],
  ['a.scala', 'object O {\n  def k() = 1\n}\n', ['class O 1-3', 'method O.k 2-2']],
])('%s', (path, text, definitions) => {
  it('gives its definitions, nested', async () => {
    const facts = await factsOf(path, text);
    expect(facts.errors).toEqual([]);
    expect(named(facts)).toEqual(definitions);
  });
});

describe('what a name means where it stands', () => {
  it.each<[why: string, path: string, text: string, expected: readonly string[]]>([
    [
      'a parameter hides a function',
      'a.py',
      'def cb(): pass\ndef g(cb):\n  cb()\ncb()\n',
      ['3 call local', '4 call function'],
    ],
    [
      'a value of a function hides it from its first line on',
      'a.py',
      'def cb(): pass\ndef g():\n  cb()\n  cb = 1\n',
      ['3 call local'],
    ],
    [
      '`global` shows the one of the module',
      'a.py',
      'def cb(): pass\ndef g():\n  global cb\n  cb = 1\n  cb()\n',
      ['5 call function'],
    ],
    [
      'a class does not show its names to its methods',
      'a.py',
      'def cb(): pass\nclass A:\n  cb = 1\n  def f(self):\n    cb()\n',
      ['5 call function'],
    ],
    [
      'an import, by the name it has here',
      'a.py',
      'from m import x as cb\ncb()\n',
      ['1 import import', '2 call import'],
    ],
    [
      'a value of a comprehension',
      'a.py',
      'def cb(): pass\n[cb() for cb in q]\ncb()\n',
      ['2 call local', '3 call function'],
    ],
    [
      'a block hides for itself',
      'a.ts',
      'function cb() {}\n{ const cb = 1; cb; }\ncb();\n',
      ['2 read local', '3 call function'],
    ],
    [
      'a pattern hides',
      'a.ts',
      'function cb() {}\nfunction g({ cb }: X) { cb(); }\n',
      ['2 key free', '2 call local'],
    ],
    [
      'an element of JSX is a call',
      'a.tsx',
      'function Cb() { return null; }\nconst g = () => <Cb />;\n',
      ['2 call function'],
    ],
    [
      'a short declaration hides',
      'a.go',
      'package p\nfunc cb() {}\nfunc g() { cb := 1; cb() }\nfunc h() { cb() }\n',
      ['3 call local', '4 call function'],
    ],
    [
      'what a pattern binds hides',
      'a.rs',
      'fn cb() {}\nfn g(x: Option<u8>) { if let Some(cb) = x { cb(); } cb(); }\n',
      ['2 call local', '2 call function'],
    ],
    [
      'tokens of a macro are no calls that are known',
      'a.rs',
      'fn cb() {}\nfn g() { m!(cb()); }\n',
      ['2 macro function'],
    ],
    ['the text of a macro', 'a.c', 'int cb(void) { return 1; }\n#define M cb()\n', ['2 macro function']],
    [
      'a pointer of the same name hides',
      'a.c',
      'int cb(void) { return 1; }\nint g(int (*cb)(void)) { return cb(); }\n',
      ['2 key free', '2 call local'],
    ],
    [
      'a text that is a path to a name',
      'a.py',
      "def cb(): pass\nf('a.b:cb', 'a sentence of cb')\n",
      ['2 string free'],
    ],
  ])('%s', async (_, path, text, expected) => {
    const facts = await factsOf(path, text);
    const name = text.includes('Cb') ? 'Cb' : 'cb';
    expect(bindings(facts, name)).toEqual(expected);
  });

  it('keeps the types that are written', async () => {
    const facts = await factsOf('a.py', 'def f(a: Foo):\n  b = Bar()\n  a.go()\n  b.go()\n');
    expect(listUses(facts, { name: 'go' }).map(({ receiver, binding }) => [receiver, binding])).toEqual([
      ['a', { kind: 'local', type: 'Foo' }],
      ['b', { kind: 'local', type: 'Bar()' }],
    ]);
  });
});

it('finds the definition around a line', async () => {
  const facts = await factsOf('a.py', 'class A:\n  def f(self):\n    pass\n\nx = 1\n');
  const at = (line: number) => facts.definitions[findEnclosingDefinition(facts, line)]?.name ?? null;
  expect([1, 3, 4, 5].map(at)).toEqual(['A', 'f', null, 'x']);
});
