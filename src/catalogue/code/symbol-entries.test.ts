/** Listings over names: what their bounds cut, and how a change is told to who reviews it. */
import { afterAll, describe, expect, it } from 'vitest';
import { memorySymbols, type Tree } from '../../code/memory-tree.contract.ts';
import { syntaxReader } from '../../code/syntax/reader.ts';
import type { Impact, SymbolReader } from '../../core/index.ts';
import { collect } from '../../tasks/research/material/collect.ts';
import { scriptedMaterial } from '../../tasks/research/scripted.ts';
import { createScope, type Scope } from '../scope.ts';
import { codeEntries } from './code-entries.ts';
import type { CodePorts } from './code-ports.ts';

const syntax = syntaxReader();
afterAll(() => syntax.close());

const files: Tree = {
  'src/a.py':
    'def first():\n    """One.\n\n    Two.\n    """\n    return second()\n\ndef second():\n    return third()\n\ndef third():\n    return 3\n',
  'src/b.py': 'def third():\n    return 4\n',
};

async function ask(
  name: string,
  args: Readonly<Record<string, unknown>>,
  impact?: Impact,
  more: Partial<SymbolReader> = {},
  context: { readonly pieces?: number; readonly citable?: true; readonly scope?: Scope } & Pick<
    CodePorts,
    'definitions'
  > = {},
) {
  const { definitions, ...own } = context;
  const entry = codeEntries.find((one) => one.name === name)!;
  const { text, search } = scriptedMaterial({ files, commits: [] });
  const symbols = memorySymbols(files, syntax);
  return entry.run(entry.parameters.parse(args), {
    ports: {
      text,
      search,
      ...(definitions && { definitions }),
      symbols: { ...symbols, ...(impact && { impactOfChange: async () => impact }), ...more },
    },
    scope: createScope(undefined),
    pieces: 0,
    ...own,
    pieceLines: 100,
    held: [],
    path: (given) => given,
    collect: (finds) => collect(text, createScope(undefined), finds),
  });
}

it('an outline keeps to its scope', async () => {
  expect(await ask('outline', { file_path: 'src/a.py', scope: 'lib' })).toMatchObject({ kind: 'failed' });
  expect(await ask('outline', { file_path: 'src/a.py', scope: 'src' })).toMatchObject({ kind: 'done' });
});

it('a way ends where its bounds say, and says so', async () => {
  const way = { from: 'first', to: 'src/a.py#third' };
  expect(await ask('trace_path', way)).toMatchObject({ completeness: 'complete', data: { cut: false } });
  expect(await ask('trace_path', { ...way, limit: 2 })).toMatchObject({
    completeness: 'partial',
    data: { cut: true, steps: [{ name: 'first' }, { name: 'second' }] },
    notes: ['1 more step not listed'],
  });
});

it('a comment ends where its bounds say, and says so', async () => {
  expect(await ask('hover', { symbol: 'first' })).toMatchObject({ completeness: 'complete' });
  const long = { ...files, 'src/c.py': `def long_one():\n    """${'Word after word.\n'.repeat(100)}"""\n` };
  Object.assign(files, long);
  const found = await ask('hover', { symbol: 'long_one', max_tokens: 100 });
  expect(found).toMatchObject({
    completeness: 'partial',
    data: { cut: true },
    notes: ['the comment goes on'],
  });
});

it('of two names it says which is none, or several', async () => {
  expect(await ask('trace_path', { from: 'first', to: 'nothing_such' })).toMatchObject({
    summary: 'nothing_such occurs nowhere',
  });
  expect(await ask('trace_path', { from: 'first', to: 'third' })).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/^Several definitions are named third:/),
  });
});

it('several of a name, and none of them in the scope', async () => {
  expect(await ask('find_references', { symbol: 'third', scope: 'lib' })).toMatchObject({
    data: { found: 'nowhere' },
  });
});

it('a change by what changed: its users below it, tests by what runs them', async () => {
  const row = (path: string, line: number, of: string, hop = 1) => ({
    path,
    line,
    column: 0,
    text: `use(${line})`,
    kind: 'call' as const,
    how: 'import' as const,
    sure: true,
    enclosing: null,
    hop,
    of,
  });
  const changed = (name: string) => ({
    symbol: `src/a.py#${name}`,
    path: 'src/a.py',
    name,
    kind: 'function',
    start: 1,
    end: 2,
    header: 1,
    signature: `def ${name}()`,
    change: 'body',
  });
  const test = (path: string, name: string, command: string) => ({ path, name, command });
  const found = await ask(
    'find_impact',
    { diff: 'HEAD' },
    {
      kind: 'impact',
      changed: [changed('first'), changed('second')],
      files: { with_word: 1, parsed: 1, failed: 0, over_limit: 0, stale: 0 },
      rows: [
        row('src/b.py', 5, 'src/a.py#second'),
        row('src/b.py', 7, 'src/a.py#first'),
        row('src/b.py', 9, 'src/a.py#first', 2),
        ...[1, 2, 3, 4].map((line) => row('tests/t.py', line, 'src/a.py#first')),
      ],
      tests: [
        test('tests/t.py', 'test_a', 'pytest tests/t.py::test_a'),
        test('tests/t.py', 'test_b', 'pytest tests/t.py::test_b'),
        test('x/y_test.go', 'TestOne', "go test ./x -run '^TestOne$'"),
        test('x/y_test.go', 'TestTwo', "go test ./x -run '^TestTwo$'"),
        test('z/y_test.go', 'TestTwo', "go test ./z -run '^TestTwo$'"),
        test('src/lib.rs', 'tests.one', 'cargo test one'),
        test('src/lib.rs', 'tests.two', 'cargo test two'),
        { path: 't/odd.sh', name: 't/odd.sh' },
      ],
      completeness: 'partial',
      why: ['first: 1 place may mean it or another'],
    },
  );
  expect(found).toMatchObject({ kind: 'done', notes: ['first: 1 place may mean it or another'] });
  expect((found as { lines: readonly string[] }).lines).toEqual([
    '7 places in 2 files and 8 tests hang on 2 definitions; partial',
    'body src/a.py#first: def first()',
    '  src/b.py:7| use(7)  (call, by import)',
    '  src/b.py:9| use(9)  (call, by import, step 2)',
    '  tests/t.py:1| use(1)  (call, by import)',
    '  tests/t.py:2| use(2)  (call, by import)',
    '  tests/t.py: 2 more lines',
    'body src/a.py#second: def second()',
    '  src/b.py:5| use(5)  (call, by import)',
    '8 tests to run:',
    '  pytest tests/t.py::test_a tests/t.py::test_b',
    "  go test ./x -run '^(TestOne|TestTwo)$'",
    "  go test ./z -run '^TestTwo$'",
    '  cargo test -- one two',
    '  t/odd.sh',
  ]);
});

it('what was not found in the time is no failure, and says that not all was looked at', async () => {
  const places = ['src/a.py'];
  const uses = (cut: boolean) =>
    ask('find_references', { symbol: 'f' }, undefined, {
      references: async () => ({ kind: 'undefined', places, cut }),
    });
  expect(await uses(true)).toMatchObject({
    kind: 'done',
    nothing:
      'No definition of f was found in the time, in which not all was looked at; the word stands in src/a.py.',
    completeness: 'partial',
    data: { found: 'undefined', cut: true },
  });
  expect(await uses(false)).toMatchObject({ kind: 'failed', details: { found: 'undefined' } });
  const trace = async () =>
    ({ kind: 'trace', steps: [], cut: true, completeness: 'partial', why: [] }) as const;
  expect(await ask('trace_path', { from: 'f', to: 'g' }, undefined, { trace })).toMatchObject({
    nothing: expect.stringMatching(/not all was looked at/),
    completeness: 'partial',
  });
});

it('edges are given as one text, or as a list', async () => {
  const both = await Promise.all(
    ['calls,called-by', ['calls', 'called-by']].map((along) =>
      ask('expand_symbol', { symbol: 'second', along }),
    ),
  );
  expect(both[0]).toMatchObject({ kind: 'done', summary: '2 edges', data: { files: { failed: 0 } } });
  expect(both[1]).toEqual(both[0]);
  expect(await ask('expand_symbol', { symbol: 'second', along: ['calls', 'odd'] })).toMatchObject({
    kind: 'failed',
    message: '"odd" is not a kind of edge.',
  });
});

it('of methods with one name, the one of the named class is shown and asked for', async () => {
  Object.assign(files, {
    'src/pool.py':
      'class AsyncPool:\n    def close_all(self):\n        return 1\n\n    def end(self):\n        self.close_all()\n',
    'src/sync_pool.py':
      'class SyncPool:\n    def close_all(self):\n        return 2\n\n    def end(self):\n        self.close_all()\n\nclass Low(SyncPool):\n    pass\n',
  });
  const at = (path: string, symbol: string, start: number, end: number) => ({
    ...{ path, symbol, start, end, symbolKind: 'any', score: 1, provenance: 'grep' as const },
  });
  const all = [
    at('src/pool.py', 'AsyncPool', 1, 6),
    at('src/pool.py', 'close_all', 2, 3),
    at('src/sync_pool.py', 'SyncPool', 1, 6),
    at('src/sync_pool.py', 'close_all', 2, 3),
    at('src/sync_pool.py', 'Low', 8, 9),
  ];
  const definitions: CodePorts['definitions'] = {
    find: async ({ name }) => ({
      definitions: all.filter(({ symbol }) => symbol === name),
      completeness: 'complete',
      notes: [],
    }),
  };
  const shownOf = async (name: string, symbol: string) => {
    const found = await ask(name, { symbol }, undefined, {}, { pieces: 9, citable: true, definitions });
    return found.kind === 'done'
      ? [...new Set(found.evidence.map(({ file_path }) => file_path))]
      : found.message;
  };
  const either = ['src/pool.py', 'src/sync_pool.py'];
  expect(await shownOf('find_definition', 'close_all')).toEqual(either);
  expect(await shownOf('find_definition', 'SyncPool.close_all')).toEqual(['src/sync_pool.py']);
  expect(await shownOf('find_definition', 'AsyncPool#close_all(self)')).toEqual(['src/pool.py']);
  expect(await shownOf('find_definition', 'Low.close_all')).toEqual(['src/sync_pool.py']);
  expect(await shownOf('find_definition', 'src/pool.py#close_all')).toEqual(['src/pool.py']);
  expect(await shownOf('find_definition', 'src/pool.py#AsyncPool.close_all')).toEqual(['src/pool.py']);
  expect(await shownOf('find_definition', 'src/none.py#close_all')).toEqual(either);
  expect(await shownOf('find_references', 'SyncPool.close_all')).toEqual(['src/sync_pool.py']);
  expect(await shownOf('find_references', 'Low.close_all')).toEqual(['src/sync_pool.py']);
  expect(await shownOf('find_references', 'Elsewhere.close_all')).toEqual(either);
});

it.each([
  [
    'Rust',
    'Pool.close',
    {
      'src/pool.rs': 'pub struct Pool;\nimpl Pool {\n    pub fn close(&self) {}\n}\n',
      'src/door.rs': 'pub struct Door;\nimpl Door {\n    pub fn close(&self) {}\n}\n',
    },
    'src/pool.rs',
  ],
  [
    'Go',
    'Pool.Close',
    {
      'pool.go': 'package pool\n\ntype Pool struct{}\n\nfunc (p *Pool) Close() {}\n',
      'door.go': 'package pool\n\ntype Door struct{}\n\nfunc (d *Door) Close() {}\n',
    },
    'pool.go',
  ],
])('a method of %s is found by its type, outside of which it stands', async (_, symbol, all, path) => {
  Object.assign(files, all);
  const definitions: CodePorts['definitions'] = {
    find: async ({ name }) => ({
      definitions: Object.entries(all).flatMap(([file, text]) => {
        const line = text.split('\n').findIndex((one) => one.includes(`${name}(`)) + 1;
        const at = { path: file, symbol: name, start: line, end: line, symbolKind: 'any', score: 1 };
        return line === 0 ? [] : [{ ...at, provenance: 'grep' as const }];
      }),
      completeness: 'complete',
      notes: [],
    }),
  };
  const found = await ask('find_definition', { symbol }, undefined, {}, { pieces: 9, definitions });
  expect(found.kind === 'done' && found.evidence.map(({ file_path }) => file_path)).toEqual([path]);
});

describe('no listing that is not complete is without a why', () => {
  const listings: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[] = [
    ['outline', { file_path: 'src/a.py' }],
    ['find_references', { symbol: 'second' }],
    ['find_impact', { symbol: 'second' }],
    ['trace_path', { from: 'first', to: 'src/a.py#third' }],
    ['trace_path', { from: 'src/a.py#third', to: 'first' }],
    ['hover', { symbol: 'first' }],
    ['expand_symbol', { symbol: 'second' }],
    ['list_tree', {}],
  ];
  /** As if every answer of the reader were incomplete, for reasons that name a path, or for none. */
  const lowered = (completeness: 'partial' | 'unknown', why: readonly string[]): Partial<SymbolReader> => {
    const symbols = memorySymbols(files, syntax);
    const names = ['outline', 'references', 'impact', 'trace', 'hover', 'expand', 'paths'] as const;
    return Object.fromEntries(
      names.map((name) => [
        name,
        async (request: never) => ({ ...(await symbols[name](request)), completeness, why }),
      ]),
    );
  };
  const check = (found: Awaited<ReturnType<typeof ask>>): void => {
    if (found.kind !== 'done') throw new Error(found.message);
    const { completeness, why } = found.data as { completeness: string; why: readonly string[] };
    expect(found.completeness).toBe(completeness);
    if (completeness !== 'complete') expect(why).not.toEqual([]);
    expect(found.notes).toEqual(expect.arrayContaining([...why]));
  };

  it.each(listings)('%s %j', async (name, args) => {
    check(await ask(name, args));
    const cut = await ask(name, name === 'hover' ? { ...args, max_tokens: 100 } : { ...args, limit: 1 });
    check(cut);
    check(await ask(name, args, undefined, {}, { scope: createScope('src/a.py') }));
    for (const completeness of ['partial', 'unknown'] as const) {
      const outside = lowered(completeness, ['lib/secret.py could not be read']);
      const inside = await ask(name, args, undefined, outside, { scope: createScope('src/a.py,src/b.py') });
      check(inside);
      if (name !== 'outline' && name !== 'list_tree') expect(JSON.stringify(inside)).not.toContain('secret');
      check(await ask(name, args, undefined, lowered(completeness, [])));
    }
  });

  it('nor is a way of which a step lies outside of the scope', async () => {
    const way = { from: 'first', to: 'src/a.py#third' };
    const found = await ask('trace_path', way, undefined, {}, { scope: createScope('src/b.py') });
    expect(found).toMatchObject({
      completeness: 'partial',
      data: { steps: [], completeness: 'partial', why: ['a way that leaves the scope is not listed'] },
    });
  });
});
