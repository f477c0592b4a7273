import { describe, expect, it } from 'vitest';
import { readReply } from './reply.ts';

const cases: readonly (readonly [
  name: string,
  reply: string,
  cells: readonly string[],
  told: RegExp | null,
])[] = [
  ['one block', '```python\nx = 1\n```', ['x = 1'], null],
  ['prose around it', 'First I look.\n\n```py\nx = 1\n```\nThen I go on.', ['x = 1'], null],
  ['no language', '```\nx = 1\n```', ['x = 1'], null],
  ['another name for it', '```repl\nx = 1\n```', ['x = 1'], null],
  ['a longer fence holds a shorter one', '````python\ns = """```"""\n````', ['s = """```"""'], null],
  ['tildes', '~~~python\nx = 1\n~~~', ['x = 1'], null],
  ['indented fence', '  ```python\n  x = 1\n  ```', ['x = 1'], null],
  ['CRLF', '```python\r\nx = 1\r\ny = 2\r\n```\r\n', ['x = 1\ny = 2'], null],
  ['thoughts before', '<think>```python\nno\n```</think>\n```python\nx = 1\n```', ['x = 1'], null],
  [
    'two blocks, in order',
    '```python\na = 1\n```\nand\n```python\nb = 2\n```',
    ['a = 1', 'b = 2'],
    /2 blocks/,
  ],
  ['nine blocks', '```python\na = 1\n```\n'.repeat(9), Array(8).fill('a = 1'), /9 blocks.*first 8/],
  ['another language beside', '```json\n{}\n```\n```python\nx = 1\n```', ['x = 1'], null],
  ['unclosed', 'Look:\n```python\nx = 1\ny = 2', ['x = 1\ny = 2'], /not closed/],
  ['a fence and nothing', '```python', [], /empty/],
  ['empty code', '```python\n\n   \n```', [], /empty/],
  ['only another language', '```bash\nls\n```', [], /bash and no Python/],
  [
    'no fence but code',
    'hits = kb_search("x")\nfor hit in hits:\n    print(hit.path)',
    ['hits = kb_search("x")\nfor hit in hits:\n    print(hit.path)'],
    /taken as code/,
  ],
  ['no fence, one call', 'FINAL("done")', ['FINAL("done")'], /taken as code/],
  ['prose only', 'The session expires after an hour.', [], /held no code/],
  ['prose that has brackets', 'I would call kb_search (wide) first.', [], /held no code/],
  ['nothing', '', [], /was empty/],
  ['white space', ' \n\t', [], /was empty/],
  ['thoughts that never end', '<think>hm', [], /was empty/],
  ['inline backticks', 'Call `kb_search(x)`.', [], /held no code/],
  ['FINAL in prose', 'I am sure now: FINAL("an hour")', [], /FINAL stood outside of a block/],
];

describe('a reply is read as cells', () => {
  it.each(cases)('%s', (_, reply, cells, told) => {
    const read = readReply(reply);
    expect(read.cells).toEqual(cells);
    if (told === null) expect(read.correction).toBeNull();
    else expect(read.correction).toMatch(told);
  });
  it('never throws, whatever it is', () => {
    const pieces = [
      '```',
      '```python\n',
      '\n',
      '~~~',
      'x=1',
      '<think>',
      '</think>',
      '\u0000',
      '\uFEFF',
      ' ',
      '`',
    ];
    let seed = 7;
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31);
    for (let round = 0; round < 2000; round += 1) {
      const text = Array.from({ length: next() % 12 }, () => pieces[next() % pieces.length]).join('');
      const { cells, correction } = readReply(text);
      expect(cells.length > 0 || correction !== null).toBe(true);
      for (const cell of cells) expect(cell.trim()).not.toBe('');
    }
  });
});
