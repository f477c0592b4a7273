import { expect, it } from 'vitest';
import { createScope } from './scope.ts';

it.each([
  ['src/a.py', true],
  ['c:1-2.py', process.platform !== 'win32'],
  ['diff:0a1b2c3d:src/a.py', true],
  ['c:/secret.txt', false],
  ['/etc/passwd', false],
  ['../a.py', false],
  ['a\\b.py', false],
  ['', false],
])('takes evidence from %j: %s', (path, isAdmitted) => {
  expect(createScope(undefined).admits(path)).toBe(isAdmitted);
});
