import { expect, test } from 'vitest';
import { fileKind, isChangeLog, isProgram, isTranslation } from './file-kind.ts';

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
  ['tools/generate.py', 'code'],
  ['api/generated.ts', 'generated'],
  ['api/types.generated.ts', 'generated'],
  ['src/regenerated_tokens.go', 'code'],
  ['static/app.min.css', 'generated'],
  ['feed/changes_feed.go', 'code'],
  ['feed/changes.go', 'code'],
  ['web/SecurityConfig.java', 'code'],
  ['src/history.ts', 'code'],
  ['auth/security.py', 'code'],
  ['src/licensee.rs', 'code'],
  ['django/contrib/auth/models.py', 'code'],
  ['CHANGES', 'docs'],
  ['README.zh', 'docs'],
  ['LICENSE-MIT', 'docs'],
  ['CODE_OF_CONDUCT', 'docs'],
  ['release-notes.html', 'docs'],
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

test.each([
  ['CHANGELOG.md', true],
  ['docs/history.rst', true],
  ['release-notes-2.md', true],
  ['AUTHORS', true],
  ['src/history.ts', false],
  ['src/changes.go', false],
  ['newsletter.md', false],
])('%s lists changes or people: %s', (path, expected) => expect(isChangeLog(path)).toBe(expected));

test.each([
  ['app/locale/fr/LC_MESSAGES/app.po', true, false],
  ['app/locale/app.pot', true, false],
  ['web/locales/de.json', true, false],
  ['app/locale/__init__.py', false, true],
  ['config/app.json', false, false],
  ['src/app.GO', false, true],
  ['adapt/error_sort.caddyfiletest', false, false],
])('%s: a translation %s, a program %s', (path, translation, program) => {
  expect([isTranslation(path), isProgram(path)]).toEqual([translation, program]);
});
