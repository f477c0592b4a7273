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
    { inside: [{ name: 'Check', kind: 'function' }], came: ['ErrFormat', 'strict'] },
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
      came: ['check'],
    },
  ],
  [
    'a constant',
    'board/stale.js',
    '-const STALE_MS = 5000;\n+const STALE_MS = 2000;',
    { inside: [{ name: 'STALE_MS', kind: 'value' }], came: [], gone: [] },
  ],
  [
    'a call that took the place of another',
    'app/notify.rb',
    '-  after_commit :announce\n+  after_create :announce',
    { gone: ['after_commit'], came: ['after_create'] },
  ],
  [
    'a parameter is seen by nobody outside',
    'media/tasks.py',
    '@@\n-def transcode(media, preset):\n-    run(PRESETS[preset])\n+def transcode(media, profile):\n+    run(PROFILES[profile])',
    { gone: ['PRESETS'], came: ['PROFILES'], locals: expect.arrayContaining(['preset', 'profile']) },
  ],
])('%s', async (_, path, diff, expected) => {
  const names = await read(path, diff);
  expect(names).toMatchObject({
    ...expected,
    ...('came' in expected && { came: expect.arrayContaining(expected.came) }),
    ...('inside' in expected && { inside: expect.arrayContaining(expected.inside) }),
  });
});

it('words of a text or a comment are no names', async () => {
  const names = await read('a.ts', '+// retries the payment\n+log("refund refused", "pay_later");');
  expect(names?.came).toEqual(['log']);
});

it('reads each file of a diff by its own language, and none that has no grammar', async () => {
  const diff =
    '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-def first():\n+def second():\n     pass\n--- a/b.yaml\n+++ b/b.yaml\n@@ -1 +1 @@\n-third: 1\n+third: 2';
  expect(await reader.read({ paths: ['a.py', 'b.yaml'], diff }, 30_000)).toMatchObject({
    gone: ['first'],
    came: ['second'],
  });
  expect(await read('b.yaml', '-third: 1\n+third: 2')).toBeNull();
});

it('what is cut off, binary or no diff ends in names or in none, never in an error', async () => {
  const odd = ['', '@@', '+{{{{{{', '-\u0000\u0001\n+\ufffd', '+'.repeat(5_000), '@@ -1 +1 @@ def f(\n-  x'];
  for (const diff of odd) await expect(read('odd.py', diff)).resolves.not.toThrow();
});
