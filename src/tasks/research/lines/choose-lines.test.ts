import { expect, it } from 'vitest';
import { chooseLines, lineWorths, type Quotable, tellingLine } from './choose-lines.ts';
import { lineWords } from './telling-lines.ts';

const weights = new Map(lineWords('limit retry').map((word, n) => [word, 2 - n]));
const definition = (lines: readonly string[], rank = 0): Quotable => ({
  ...{ lines, first: 1, frame: 40, indent: 2, telling: -1 },
  worth: lineWorths('when is a retry over the limit?', lines, (rank + 1) ** -1.6, weights),
});
const filler = (count: number, name = 'step') => Array.from({ length: count }, (_, n) => `  ${name}_${n}()`);
const far = [
  'def deliver(message):',
  ...filler(10),
  '  if message.retries > limit:',
  '    raise Gone(message)',
  ...filler(20, 'other'),
  '  message.retry_at = now()',
  '  queue.retry(message)',
  ...filler(10, 'last'),
];
const textOf = (lines: readonly string[], chosen: readonly number[]) => chosen.map((n) => lines[n]!.trim());

it('takes the lines that say it from wherever they stand, and what they open', () => {
  const [chosen] = chooseLines([definition(far)], 420);
  expect(textOf(far, chosen!)).toEqual(
    expect.arrayContaining([
      'if message.retries > limit:',
      'raise Gone(message)',
      'message.retry_at = now()',
      'queue.retry(message)',
    ]),
  );
  expect(chosen!.length).toBeLessThan(far.length * 0.7);
});

it('takes no more bytes than there are, frames and marks of omission included', () => {
  for (const bytes of [0, 50, 100, 200, 400, 900]) {
    const chosen = chooseLines([definition(far), definition(far, 1)], bytes);
    const size = chosen.flatMap((numbers) =>
      numbers.length === 0 ? [] : [40, ...numbers.map((n) => far[n]!.length - 2 + 3)],
    );
    expect(size.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(bytes);
  }
});

it('prefers the better definition, and leaves no gap of a single line', () => {
  const [first, second] = chooseLines([definition(far), definition(far, 1)], 500);
  expect(first!.length).toBeGreaterThan(second!.length);
  for (const chosen of [first!, second!])
    for (const [at, n] of chosen.entries()) if (at > 0) expect(n - chosen[at - 1]!).not.toBe(2);
});

it('says nothing by imports and brackets alone', () => {
  const lines = [
    'class Retry:',
    ...Array.from({ length: 12 }, (_, n) => `  import retry_${n}`),
    '  }',
    '  )',
  ];
  expect(chooseLines([definition(lines)], 1_000)).toEqual([[]]);
});

it('quotes the condition that a line stands under, within the same room', () => {
  const guarded = [
    'def deliver(message):',
    ...filler(4),
    '  if (message.attempts > ceiling',
    '      and message.age > ceiling):',
    ...filler(8, '  note'),
    '    retry.limit(message)',
    '    raise Retry(limit)',
    ...filler(12, 'other'),
  ];
  const of = { lines: guarded, first: 1, frame: 40, indent: 2, telling: -1 };
  const worth = guarded.map((line) => (/limit/.test(line) ? 0.9 : 0.01));
  for (let bytes = 0; bytes <= 700; bytes += 20) {
    const [chosen] = chooseLines([{ ...of, worth }], bytes);
    const size = chosen!.reduce((sum, n) => sum + guarded[n]!.length - 2 + 3, chosen!.length === 0 ? 0 : 40);
    expect(size).toBeLessThanOrEqual(bytes);
    if (chosen!.includes(16)) expect(chosen).toEqual(expect.arrayContaining([5, 6]));
  }
  const [chosen] = chooseLines([{ ...of, worth }], 220);
  expect(chosen).toEqual(expect.arrayContaining([5, 6, 16]));
});

it('quotes the line of a text that says most, however long it is', () => {
  const long = `  Retry it at the limit with ${'a shortcut of the keyboard, '.repeat(6)}on every system.`;
  const lines = [
    '# Search',
    '  tags',
    '  alias',
    '  cover',
    ...filler(6, 'note'),
    long,
    ...filler(6, 'more'),
  ];
  const worth = lines.map((line, n) => (n === 0 ? 0 : line === long ? 0.9 : 0.4));
  const of = { lines, worth, first: 1, frame: 40, indent: 2 };
  const told = tellingLine('when is a retry at its limit?', lines, weights, of);
  expect(lines[told]).toBe(long);
  expect(chooseLines([{ ...of, telling: -1 }], 320)[0]).not.toContain(told);
  expect(chooseLines([{ ...of, telling: told }], 320)[0]).toContain(told);
  expect(tellingLine('limit', ['}', ''], weights, { worth: [0, 0], first: 0 })).toBe(-1);
});
