import { describe, expect, test } from 'vitest';
import { isSondeError } from './errors.ts';
import { checkScopeMatches, scopeBases, scopeMatcher } from './scope.ts';

const paths = [
  'README.md',
  'src/a.ts',
  'src/a.test.ts',
  'src/deep/er/b.ts',
  'src/deep/er/.hidden',
  'srcs/c.ts',
  'lib/x.py',
  'lib/vendor/y.py',
  'app/[id]/page.tsx',
  'packages/one/src/m.ts',
  'packages/two/src/n.ts',
  'packages/two/test/n.ts',
] as const;

const cases: readonly [scope: string | undefined, expected: readonly string[]][] = [
  [undefined, paths],
  ['', paths],
  [' , ', paths],
  ['.', paths],
  ['./', paths],
  ['**', paths],
  ['src', ['src/a.ts', 'src/a.test.ts', 'src/deep/er/b.ts', 'src/deep/er/.hidden']],
  ['src/', ['src/a.ts', 'src/a.test.ts', 'src/deep/er/b.ts', 'src/deep/er/.hidden']],
  ['./src/deep', ['src/deep/er/b.ts', 'src/deep/er/.hidden']],
  ['/src/a.ts', ['src/a.ts']],
  ['src/**', ['src/a.ts', 'src/a.test.ts', 'src/deep/er/b.ts', 'src/deep/er/.hidden']],
  ['src/*.ts', ['src/a.ts', 'src/a.test.ts']],
  ['src/*.ts,!*.test.ts', ['src/a.ts']],
  ['*.py', ['lib/x.py', 'lib/vendor/y.py']],
  ['lib,!lib/vendor', ['lib/x.py']],
  ['!src,!lib,!packages,!app,!srcs', ['README.md']],
  ['packages/*/src', ['packages/one/src/m.ts', 'packages/two/src/n.ts']],
  ['packages/{one,two}/src/*.ts', ['packages/one/src/m.ts', 'packages/two/src/n.ts']],
  ['app/[id]', ['app/[id]/page.tsx']],
  ['app/[id]/page.tsx', ['app/[id]/page.tsx']],
  ['nothing', []],
];

test.each(cases)('scope %j', (scope, expected) => {
  expect(paths.filter(scopeMatcher(scope))).toEqual(expected);
});

test.each([['../x'], ['src/../../x'], ['src/[ab'], ['a\0b'], ['x'.repeat(5_000)]])('refuses %j', (scope) => {
  try {
    scopeMatcher(scope);
    expect.unreachable();
  } catch (thrown) {
    expect(isSondeError(thrown, 'bad_pattern')).toBe(true);
  }
});

describe('bases', () => {
  test.each([
    [undefined, null],
    ['*.py', null],
    ['src/**', ['src']],
    ['src/core/**,src/code/*.ts,lib/x.py', ['lib/x.py', 'src/code', 'src/core']],
    ['src,src/deep/**', ['src']],
    ['!src', null],
    ['packages/*/src', ['packages']],
  ] as const)('%j start at %j', (scope, expected) => {
    expect(scopeBases(scope)).toEqual(expected);
  });

  test('whatever is in the scope lies below a base', () => {
    for (const [scope] of cases) {
      const bases = scopeBases(scope);
      if (bases === null) continue;
      const matches = scopeMatcher(scope);
      for (const path of paths.filter(matches))
        expect(bases.some((base) => path === base || path.startsWith(`${base}/`))).toBe(true);
    }
  });
});

describe('a scope that no file is in', () => {
  test.each([undefined, '', 'src', '!lib'])('%s is none', (scope) => {
    expect(() => checkScopeMatches(scope, paths)).not.toThrow();
  });

  test('is refused', () => {
    expect(() => checkScopeMatches('nowhere/**', paths)).toThrow('no text file is in the scope "nowhere/**"');
  });

  test('but for its case is told what there is', () => {
    expect(() => checkScopeMatches('SRC/A.ts', paths)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('src/a.ts') }),
    );
  });
});
