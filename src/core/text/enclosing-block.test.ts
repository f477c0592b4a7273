import { expect, it } from 'vitest';
import { findEnclosingBlock } from './enclosing-block.ts';

const go = [
  'package a', // 1
  '',
  '// sum adds.', // 3
  '// It never fails.',
  'func sum(', // 5
  '\ta, b int,',
  ') int {', // 7
  '\tif a > 0 {',
  '\t\treturn a', // 9
  '\t} else {',
  '\t\treturn b', // 11
  '\t}',
  '}', // 13
  '',
  'var x = 1', // 15
];
const python = [
  'class Store:', // 1
  '    limit = 3',
  '',
  '    @cached', // 4
  '    def take(self,',
  '             key):', // 6
  '        """Takes one."""',
  '', // 8
  '        return self.items[key]',
  '', // 10
  '    def drop(self):',
  '        pass', // 12
  '',
  'def other():', // 14
  '    pass',
];
const braces = ['int main(void)', '{', '  int a = 1;', '', '  return a;', '}', 'int b;'];
const long = ['def long():', ...Array.from({ length: 200 }, (_, n) => `    step(${n})`), 'after()'];

it.each([
  ['a function with its comment, from the depth of it', go, 11, 20, [3, 13], null],
  ['the head of a function', go, 5, 20, [3, 13], null],
  ['a short method and the lines near it, where the class is too long', python, 9, 11, [5, 12], [1, 12]],
  ['a class that is short enough', python, 9, 20, [1, 12], null],
  ['a body whose brace stands alone', braces, 3, 20, [1, 6], null],
  ['lines near it, of a function that is too long', long, 100, 40, [89, 116], [1, 201]],
  ['lines near it, at the end of such a function', long, 200, 40, [189, 201], [1, 201]],
  ['lines near it, outside of all blocks', ['a', 'b', 'c'], 2, 40, [1, 3], null],
] as const)('%s', (_name, lines, at, max, [start, end], within) => {
  expect(findEnclosingBlock(lines, at, max)).toEqual({
    shown: { start, end },
    within: within === null ? null : { start: within[0], end: within[1] },
  });
});

it('never gives more lines than it may', () => {
  for (const lines of [go, python, braces, long])
    for (let at = 1; at <= lines.length; at += 1)
      for (const most of [1, 5, 12, 40]) {
        const { start, end } = findEnclosingBlock(lines, at, most).shown;
        expect(end - start + 1).toBeLessThanOrEqual(most);
        if (lines[at - 1] !== '') expect(start <= at && at <= end).toBe(true);
      }
});
