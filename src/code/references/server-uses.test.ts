import { afterAll, describe, expect, it } from 'vitest';
import type { SymbolRow } from '../../core/index.ts';
import { memoryReader, memoryWords, type Tree } from '../memory-tree.contract.ts';
import type { LanguageServers, ServerPlace } from '../servers/index.ts';
import { symbolReader } from '../symbol-reader.ts';
import { syntaxReader } from '../syntax/reader.ts';

const syntax = syntaxReader();
afterAll(() => syntax.close());

/** Names these places, as `path:line:column`; a text is why it is missing. */
function scripted(says: readonly string[] | string): LanguageServers & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const at = (text: string): ServerPlace => {
    const [path = '', line, column] = text.split(':');
    return { path, line: Number(line), column: Number(column) };
  };
  return {
    asked,
    serves: (path) => path.endsWith('.py'),
    async uses(question) {
      asked.push(question);
      return typeof says === 'string'
        ? { kind: 'missing', server: 'fake', why: says }
        : { kind: 'answered', server: 'fake', places: says.map(at), outside: 0, cut: false };
    },
    hover: async () =>
      typeof says === 'string'
        ? { kind: 'missing', server: 'fake', why: says }
        : { kind: 'answered', server: 'fake', type: 'def load() -> int' },
    check: async () => ({ kind: 'answered', server: 'fake', version: '' }),
    close: async () => {},
  };
}

const files: Tree = {
  'a.py': 'def load():\n  return 1\n',
  'b.py': 'from a import load\nload()\n',
  'c.py': 'def load(): pass\nload()\n',
};

const readerOf = (tree: Tree, servers: LanguageServers) =>
  symbolReader({
    root: '/nowhere',
    reader: memoryReader(tree),
    words: memoryWords(tree),
    syntax,
    servers,
    limitMs: Number.MAX_SAFE_INTEGER,
  });

async function listed(tree: Tree, says: readonly string[] | string, symbol = 'a.py#load') {
  const servers = scripted(says);
  const found = await readerOf(tree, servers).references({ symbol });
  if (found.kind !== 'listed') throw new Error(JSON.stringify(found));
  const shown = ({ path, line, column, how, sure, provenance }: SymbolRow) =>
    `${path}:${line}:${column} ${sure ? '' : '?'}${how} ${provenance?.join('+') ?? 'syntax'}`;
  return {
    rows: found.rows.map(shown),
    completeness: found.completeness,
    why: found.why,
    asked: servers.asked,
  };
}

describe('a server beside syntax', () => {
  it('says the same: both are told, and the listing stays complete', async () => {
    expect(await listed(files, ['b.py:1:14', 'b.py:2:0', 'a.py:1:4'])).toMatchObject({
      rows: ['b.py:1:14 import syntax+lsp', 'b.py:2:0 import syntax+lsp'],
      completeness: 'complete',
      why: [],
    });
  });

  it('says less: what syntax is sure of stays, and the listing is partial', async () => {
    expect(await listed(files, ['b.py:1:14'])).toMatchObject({
      rows: ['b.py:1:14 import syntax+lsp', 'b.py:2:0 import syntax'],
      completeness: 'partial',
      why: ['fake does not name 1 place that syntax is sure of (b.py:2)'],
    });
  });

  it('says more: that is told as its word alone, and the listing is partial', async () => {
    expect(await listed(files, ['b.py:1:14', 'b.py:2:0', 'c.py:2:0'])).toMatchObject({
      rows: ['b.py:1:14 import syntax+lsp', 'b.py:2:0 import syntax+lsp', 'c.py:2:0 ?server lsp'],
      completeness: 'partial',
      why: ['1 place may mean it or another', 'fake names 1 place that syntax does not (c.py:2)'],
    });
  });

  const open: Tree = {
    'a.py': 'class A:\n  def go(self): pass\n',
    'b.py': 'def f(x):\n  x.go()\n',
    'c.py': 'class B:\n  def go(self): pass\n',
  };
  it('decides what syntax leaves open, and what it does not name stays open', async () => {
    expect(await listed(open, ['b.py:2:4'], 'A.go')).toMatchObject({
      rows: ['b.py:2:4 server syntax+lsp'],
      completeness: 'complete',
    });
    expect(await listed(open, [], 'A.go')).toMatchObject({
      rows: ['b.py:2:4 ?text syntax'],
      completeness: 'partial',
    });
  });

  it('never makes complete what may hide a caller', async () => {
    const hiding = { ...open, 'd.py': 'def f(x, name):\n  getattr(x, name)()\n' };
    expect(await listed(hiding, ['b.py:2:4'], 'A.go')).toMatchObject({ completeness: 'partial' });
    const typed = { ...hiding, 'd.py': 'from a import A\ndef f(x: A, name):\n  getattr(x, name)()\n' };
    expect(await listed(typed, ['b.py:2:4'], 'A.go')).toMatchObject({ completeness: 'unknown' });
    const kept = { ...open, 'a.py': 'class A:\n  @keep\n  def go(self): pass\n' };
    expect(await listed(kept, ['b.py:2:4'], 'A.go')).toMatchObject({ completeness: 'unknown' });
  });

  it('is missing: syntax alone is told, and that it is missing', async () => {
    const alone = await listed(files, 'it ended');
    expect(alone).toMatchObject({
      rows: ['b.py:1:14 import syntax', 'b.py:2:0 import syntax'],
      completeness: 'complete',
      why: ['fake gave no answer: it ended'],
    });
  });

  it('names what no file of the tree is, or where no name stands: that is no row', async () => {
    const told = ['b.py:1:14', 'b.py:2:0', 'other.py:1:0', 'node_modules/x.py:1:0'];
    expect(await listed(files, told)).toMatchObject({ rows: { length: 2 }, completeness: 'complete' });
    expect(await listed(files, [...told, 'b.py:2:4', 'b.py:99:0'])).toMatchObject({
      rows: { length: 2 },
      completeness: 'partial',
      why: ['fake names 2 places where no name was read'],
    });
  });

  it('names what is in a string, or defines the name: that is no other place, and no use', async () => {
    const named = { ...files, 'a.py': "__all__ = ('load',)\n\n\ndef load():\n  return 1\n" };
    const told = ['a.py:1:12', 'b.py:1:14', 'b.py:2:0', 'c.py:1:4'];
    expect(await listed(named, told)).toMatchObject({
      rows: expect.arrayContaining([expect.stringMatching(/^a\.py:1:\d+ .* syntax\+lsp$/)]),
      why: [],
    });
    expect((await listed(named, told)).rows).toHaveLength(3);
  });

  it('names nothing in a file: whether it reads it is not known', async () => {
    const more = { ...files, 'd.py': 'from a import load\n' };
    expect(await listed(more, ['b.py:1:14', 'b.py:2:0'])).toMatchObject({
      rows: { length: 3 },
      completeness: 'partial',
      why: ['fake names nothing in 1 file with places that syntax is sure of, and may not read it'],
    });
  });

  it('is asked with the text that was read, of all files that hold the word', async () => {
    const { asked } = await listed(files, []);
    expect(asked).toMatchObject([
      { path: 'a.py', line: 1, column: 4, text: files['a.py'], known: { length: 2 } },
    ]);
    expect((asked[0] as { candidates: Map<string, string> }).candidates).toEqual(
      new Map(Object.entries(files)),
    );
  });

  it('gives the type, where it is there', async () => {
    const hover = (says: readonly string[] | string) =>
      readerOf(files, scripted(says)).hover({ symbol: 'a.py#load' });
    expect(await hover([])).toMatchObject({ found: [{ type: 'def load() -> int' }], why: [] });
    const without = await hover('it ended');
    expect(without).toMatchObject({ why: [expect.stringContaining('fake gave no answer: it ended')] });
    expect(without).not.toHaveProperty('found.0.type');
  });
});
