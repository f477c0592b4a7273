import { describe, expect, test } from 'vitest';
import { findMentionedFiles, PathEndings } from './mentions.ts';

const paths = [
  'src/app.py',
  'src/json/provider.py',
  'celery/backends/base.py',
  'celery/utils/base.py',
  'web/App.tsx',
  'django/db/models/__init__.py',
  'django/db/models/query.py',
  'core/handlers/base.py',
  'packages/runtime/index.ts',
  ...Array.from({ length: 6 }, (_, k) => `mod${k}/__init__.py`),
];
const endings = new PathEndings(paths.keys(), (file) => paths[file]!);

describe('files that a query names', () => {
  const check = (query: string, expected: Record<string, number>) =>
    test(query, () => {
      const found = findMentionedFiles(query, () => endings);
      expect(Object.fromEntries([...found].map(([file, share]) => [paths[file], share]))).toEqual(expected);
    });

  check('crash in src/json/provider.py', { 'src/json/provider.py': 1 });
  check('crash in provider.py:12', { 'src/json/provider.py': 1 });
  check('File "/home/me/venv/lib/json/provider.py", line 3', { 'src/json/provider.py': 1 });
  check('C:\\work\\src\\app.py fails', { 'src/app.py': 1 });
  check('at open (file:///srv/dist/runtime/index.js:4:1)', { 'packages/runtime/index.ts': 1 });
  check('dist/app.js is a component', { 'web/App.tsx': 1 });
  check('nothing.js was built', {});
  check('see base.py', {
    'celery/backends/base.py': 1 / 3,
    'celery/utils/base.py': 1 / 3,
    'core/handlers/base.py': 1 / 3,
  });
  check('celery.backends.base.KeyValueStore loses keys', { 'celery/backends/base.py': 1 });
  check('the app.tsx component', { 'web/App.tsx': 1 });
  check('every __init__.py', {});
  check('why does django.db.models cache it?', { 'django/db/models/__init__.py': 1 });
  check('django.db.models.query.QuerySet is lazy', { 'django/db/models/query.py': 1 });
  check('see core/handlers/base for it', { 'core/handlers/base.py': 1 });
  check('what is in packages/runtime/?', { 'packages/runtime/index.ts': 1 });
  check('the client/server split, and/or a base/app thing', {});
  check('version 1.2.3 of e.g. nothing.py', {});
});

test('endings are not asked for where nothing looks like a name', () => {
  const never = (): PathEndings => {
    throw new Error('asked');
  };
  expect(findMentionedFiles('how are retries counted?', never).size).toBe(0);
});

test.each(['a'.repeat(200_000), 'a.'.repeat(100_000), 'x/'.repeat(100_000), 'a.b '.repeat(50_000)])(
  'a dump names nothing, and is read in no time',
  (text) => {
    expect(findMentionedFiles(text, () => endings).size).toBe(0);
  },
);
