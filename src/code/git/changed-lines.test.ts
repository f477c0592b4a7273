import { expect, it } from 'vitest';
import { parseDiff } from './changed-lines.ts';

const all = [{ start: 1, end: Number.MAX_SAFE_INTEGER }];

it('names what git calls binary, which may have changed as a whole', () => {
  const found = parseDiff(
    [
      'diff --git a/src/wide name.py b/src/wide name.py',
      'index 1..2 100644',
      'Binary files a/src/wide name.py and b/src/wide name.py differ',
      'diff --git a/new.ts b/new.ts',
      'new file mode 100644',
      'Binary files /dev/null and b/new.ts differ',
      'diff --git "a/s\\303\\266.c" "b/s\\303\\266.c"',
      'deleted file mode 100644',
      'Binary files "a/s\\303\\266.c" and /dev/null differ',
      'diff --git a/plain.py b/plain.py',
      '--- a/plain.py',
      '+++ b/plain.py',
      '@@ -1 +1,2 @@',
      '-Binary files a/x and b/x differ',
      '+++ b/no file',
      '+diff --git a/no b/no',
    ].join('\n'),
  );
  expect(found).toEqual([
    { path: 'src/wide name.py', spans: all, before: all, created: false, deleted: false, whole: true },
    { path: 'new.ts', spans: all, before: all, created: true, deleted: false, whole: true },
    { path: 'sö.c', spans: all, before: all, created: false, deleted: true, whole: true },
    {
      path: 'plain.py',
      spans: [{ start: 1, end: 2 }],
      before: [{ start: 1, end: 1 }],
      created: false,
      deleted: false,
    },
  ]);
});

it('tells a place where nothing stands from lines that changed', () => {
  const text = '--- a/a.py\n+++ b/a.py\n@@ -4,0 +5,2 @@\n+a\n+b\n@@ -9,3 +11,0 @@\n-a\n-b\n-c\n';
  const [file] = parseDiff(text);
  expect(file).toMatchObject({
    before: [
      { start: 4, end: 5, isGap: true },
      { start: 9, end: 11 },
    ],
    spans: [
      { start: 5, end: 6 },
      { start: 11, end: 12, isGap: true },
    ],
  });
});
