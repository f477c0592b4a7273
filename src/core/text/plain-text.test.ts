import { describe, expect, test } from 'vitest';
import { escapePath, unescapePath } from './plain-text.ts';

describe('the name of a file on one line', () => {
  test.each([
    ['src/a file.ts', 'src/a file.ts'],
    ['größe/日本.md', 'größe/日本.md'],
    ['we\nird.md', 'we\\nird.md'],
    ['a\\nb.md', 'a\\\\nb.md'],
    ['\r\t\u001b[31m.md', '\\r\\t\\u{1b}[31m.md'],
    ['a\u202egnp.md', 'a\\u{202e}gnp.md'],
    ['a\u{e0041}b', 'a\\u{e0041}b'],
    [' a ', '\\u{20}a\\u{20}'],
    ['\\u{1b}', '\\\\u{1b}'],
  ])('%j is shown as %j, and told from it again', (path, shown) => {
    expect(escapePath(path)).toBe(shown);
    expect(unescapePath(shown)).toBe(path);
  });

  test('what nobody has escaped is taken as it stands', () => {
    for (const path of ['a\\b', 'C:\\dir', 'x\\u{110000}', '\\']) expect(unescapePath(path)).toBe(path);
  });
});
