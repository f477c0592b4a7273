import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { indexDocuments, openSegments } from '../lexical/documents.ts';
import { defaultSettings } from '../lexical/index.ts';

const top = mkdtempSync(join(tmpdir(), 'sonde-definitions-'));
afterAll(() => rmSync(top, { recursive: true }));

/** Words that count as defined: those whose frequency is above that of the body. */
function defined(path: string, content: string): string[] {
  const fields = { body: 1, path: 0, definition: 100, heading: 0 };
  const directory = mkdtempSync(join(top, 'index-'));
  indexDocuments(directory, [{ path, content }], { ...defaultSettings, fields });
  const corpus = openSegments(directory);
  const words = new Set<string>();
  corpus.forEachTerm((term, postings) =>
    postings((_chunk, frequency) => {
      if (frequency > 100) words.add(term);
    }),
  );
  corpus.close();
  return [...words].sort();
}

const check = (path: string, content: string, expected: readonly string[]) =>
  test(`${path}: ${content.slice(0, 50).replaceAll('\n', ' ')}`, () => {
    expect(defined(path, content)).toEqual([...expected].sort());
  });

describe('keywords', () => {
  check('a.py', 'class Foo:\n    async def bar(self):\n        return baz()\n', ['foo', 'bar']);
  check('a.go', 'func (srv *Server) Listen(addr string) {\n\tserve(addr)\n}\ntype Conn struct {\n}\n', [
    'listen',
    'conn',
  ]);
  check('a.rs', 'pub(crate) fn walk<T>(x: T) {}\nimpl<T> Visit for Tree<T> {}\n', ['walk', 'visit']);
  check('a.ts', 'export default async function main() {}\nexport const limit = 3;\n', ['main', 'limit']);
  check('a.rb', 'module Cache\n  def fetch\n  end\nend\n', ['cache', 'fetch']);
  check('a.h', '#define BUFFER 10\nstruct node { int key; };\n', ['buffer', 'node']);
  check('a.ts', 'const { one, two } = three;\n', []);
  check('a.md', 'type of thing\nclass struggle\n', []);
});

describe('bodies in braces', () => {
  check('a.c', 'static int\nread_block(int fd) {\n  if (fd) {\n  }\n}\n', ['read_block', 'read', 'block']);
  check('a.c', 'int write_all(int fd)\n{\n  while (go(fd)) {\n  }\n}\n', ['write_all', 'write', 'all']);
  check('A.java', '  @Override\n  public void close() throws IOException {\n  }\n', ['close']);
  check('a.js', 'class Pool {\n  acquire(key) {\n    for (const x of y) {\n    }\n  }\n}\n', [
    'pool',
    'acquire',
  ]);
  check('a.js', "app.get('/', (req) => {\n});\ndescribe('it', () => {\n});\n", []);
  check('a.js', 'return wrap(other) {\nregister(function () {\n});\n', []);
});
