/** What a hunk touches, by syntax: what its words alone do not tell. */
import { afterAll, expect, it } from 'vitest';
import { openChangedNames } from './changed-names.ts';

const reader = openChangedNames();
afterAll(() => reader.close());
const read = (path: string, diff: string) => reader.read({ paths: [path], diff }, 30_000);

it.each([
  [
    'the function around it, from the head of the hunk',
    'idem/key.go',
    '@@ -39,2 +39,3 @@ func Check(ctx context.Context, key string) error {\n+\tif !strict(key) {\n+\t\treturn ErrFormat\n+\t}\n \treturn store.Claim(ctx, key)\n }',
    { inside: [{ name: 'Check', kind: 'function' }] },
  ],
  [
    'a method that stands alone, and the class that its file is named after',
    'src/OrderListener.java',
    '@@\n   public void on(Order order) {\n-    place(order);\n+    check(order);\n+    place(order);\n   }',
    {
      inside: [
        { name: 'on', kind: 'function' },
        { name: 'OrderListener', kind: 'type' },
      ],
    },
  ],
  [
    'a constant',
    'board/stale.js',
    '-const STALE_MS = 5000;\n+const STALE_MS = 2000;',
    { inside: [{ name: 'STALE_MS', kind: 'value' }] },
  ],
])('%s', async (_, path, diff, expected) => {
  const names = await read(path, diff);
  expect(names?.inside).toEqual(expect.arrayContaining(expected.inside));
});

it('reads each file of a diff by its own language, and none that has no grammar', async () => {
  const diff =
    '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-def first():\n+def second():\n     pass\n--- a/b.yaml\n+++ b/b.yaml\n@@ -1 +1 @@\n-third: 1\n+third: 2';
  expect(await reader.read({ paths: ['a.py', 'b.yaml'], diff }, 30_000)).toEqual({
    inside: expect.arrayContaining([
      { name: 'first', kind: 'function' },
      { name: 'second', kind: 'function' },
    ]),
  });
  expect(await read('b.yaml', '-third: 1\n+third: 2')).toBeNull();
});

it('what is cut off, binary or no diff ends in names or in none, never in an error', async () => {
  const odd = ['', '@@', '+{{{{{{', '-\u0000\u0001\n+\ufffd', '+'.repeat(5_000), '@@ -1 +1 @@ def f(\n-  x'];
  for (const diff of odd) await expect(read('odd.py', diff)).resolves.not.toThrow();
});
