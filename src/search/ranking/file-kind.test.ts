import { expect, test } from 'vitest';
import { fileKind } from './file-kind.ts';

test.each([
  ['src/flask/app.py', 'code'],
  ['src/_pytest/python.py', 'code'],
  ['lib/latest.js', 'code'],
  ['tests/test_app.py', 'test'],
  ['test_app.py', 'test'],
  ['pkg/server_test.go', 'test'],
  ['src/button.spec.tsx', 'test'],
  ['src/__tests__/button.tsx', 'test'],
  ['testing/conftest.py', 'test'],
  ['docs/conf.py', 'docs'],
  ['README.md', 'docs'],
  ['notes/2024.txt', 'docs'],
  ['examples/tutorial/app.py', 'example'],
  ['package-lock.json', 'generated'],
  ['api/v1/types.pb.go', 'generated'],
  ['vendor/github.com/x/y.go', 'generated'],
  ['package.json', 'config'],
  ['.github/workflows/ci.yml', 'config'],
  ['Makefile', 'config'],
])('%s is %s', (path, kind) => expect(fileKind(path)).toBe(kind));
