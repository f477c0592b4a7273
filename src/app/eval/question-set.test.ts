import { describe, expect, it } from 'vitest';
import { readQuestionSet } from './question-set.ts';

const row = { id: 'a', shape: 'research', root: 'src', question: 'How?', gold: { files: ['a.ts'] } };
const read = (...rows: readonly unknown[]) =>
  readQuestionSet(
    Buffer.from(rows.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')),
    '/sets/set.jsonl',
  );

describe('a set of questions', () => {
  it('has its paths from where it is, and empty lines count', () => {
    const { rows, hash } = read(row, '', { ...row, id: 'b', root: '/far' });
    expect(rows.map(({ id, root, line }) => [id, root, line])).toEqual([
      ['a', '/sets/src', 1],
      ['b', '/far', 3],
    ]);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(read({ ...row, id: 'c' }).hash).not.toBe(hash);
  });

  it('may begin with a byte order mark', () => {
    const marked = readQuestionSet(Buffer.from(`\uFEFF${JSON.stringify(row)}\n`), '/sets/set.jsonl');
    expect(marked.rows.map(({ id }) => id)).toEqual(['a']);
  });

  it.each([
    ['no JSON', '{', 'line 2: it is not JSON'],
    [
      'a shape that there is not',
      { ...row, shape: 'chat' },
      'line 2: shape cannot be asked (allowed: research, investigation, incident)',
    ],
    ['no place', { ...row, root: undefined }, 'needs either a root or a repo'],
    ['two places', { ...row, repo: 'r', commit: 'c' }, 'needs either a root or a repo'],
    [
      'a repo without a commit',
      { ...row, root: undefined, repo: 'r' },
      'needs both repo and commit, or neither',
    ],
    ['no question', { ...row, question: undefined }, 'has no question'],
    ['nothing that is right', { ...row, gold: {} }, 'contains no expected answer'],
    ['a field that there is not', { ...row, gold: { file: 'a' } }, 'line 2: gold'],
    [
      'lines the wrong way round',
      { ...row, gold: { lines: [{ path: 'a', start: 2, end: 1 }] } },
      'ends before it starts',
    ],
    ['a gold path that leads out', { ...row, gold: { files: ['../a'] } }, 'is not relative to the root'],
    ['an id that was there', row, 'the id a is also that of line 1'],
  ])('refuses %s by its line', (_what, wrong, says) => {
    expect(() => read(row, wrong)).toThrow(says);
  });

  it('names all lines that are wrong, and says of an empty set that it is', () => {
    expect(() => read('{', row, '[]')).toThrow(/line 1: .*line 3: /);
    expect(() => read('')).toThrow('it has no line');
  });
});
