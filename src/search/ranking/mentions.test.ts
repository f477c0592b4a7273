import { describe, expect, test } from 'vitest';
import { mentionedFiles, PathEndings } from './mentions.ts';

const paths = [
  'src/app.py',
  'src/json/provider.py',
  'celery/backends/base.py',
  'celery/utils/base.py',
  'web/App.tsx',
  ...Array.from({ length: 6 }, (_, k) => `mod${k}/__init__.py`),
];
const endings = new PathEndings(paths.keys(), (file) => paths[file]!);

describe('files that a query names', () => {
  const check = (query: string, expected: Record<string, number>) =>
    test(query, () => {
      const found = mentionedFiles(query, () => endings);
      expect(Object.fromEntries([...found].map(([file, share]) => [paths[file], share]))).toEqual(expected);
    });

  check('crash in src/json/provider.py', { 'src/json/provider.py': 1 });
  check('crash in provider.py:12', { 'src/json/provider.py': 1 });
  check('File "/home/me/venv/lib/json/provider.py", line 3', { 'src/json/provider.py': 1 });
  check('C:\\work\\src\\app.py fails', { 'src/app.py': 1 });
  check('see base.py', { 'celery/backends/base.py': 0.5, 'celery/utils/base.py': 0.5 });
  check('celery.backends.base.KeyValueStore loses keys', { 'celery/backends/base.py': 1 });
  check('the app.tsx component', { 'web/App.tsx': 1 });
  check('every __init__.py', {});
  check('version 1.2.3 of e.g. nothing.py', {});
});

test('endings are not asked for where nothing looks like a name', () => {
  const never = (): PathEndings => {
    throw new Error('asked');
  };
  expect(mentionedFiles('how are retries counted?', never).size).toBe(0);
});

test.each(['a'.repeat(200_000), 'a.'.repeat(100_000), 'x/'.repeat(100_000), 'a.b '.repeat(50_000)])(
  'a dump names nothing, and is read in no time',
  (text) => {
    expect(mentionedFiles(text, () => endings).size).toBe(0);
  },
);
