import { expect, it } from 'vitest';
import { lineWorths } from './choose-lines.ts';
import { lineWords } from './telling-lines.ts';

const weights = new Map(lineWords('retry limit').map((word) => [word, 1]));
const worths = (question: string, lines: readonly string[], fit = 1) =>
  lineWorths(question, lines, fit, weights);

it('counts lines that say nothing alone for nothing, and none for less', () => {
  const lines = ['import retry', '', '  }', '@retry', '  retry(limit)'];
  expect(worths('when is a retry over the limit?', lines).map((worth) => worth > 0)).toEqual([
    ...[false, false, false, false],
    true,
  ]);
});

it.each<[string, string, string, string]>([
  ['lines near the words before others', 'when is a retry over?', '  retry()', '  other()'],
  ['what decides before what is called', 'when is a retry over?', '  if (over)', '  over_it()'],
  ['code before what is said of it', 'when is a retry over?', '  over_it()', '  # over it'],
  ['a number where one is asked for', 'how long is a pause?', '  pause(20)', '  pause(it)'],
])('prefers %s', (_name, question, better, worse) => {
  const [one] = worths(question, [better]);
  const [two] = worths(question, [worse]);
  expect(one!).toBeGreaterThan(two!);
});

it('expects more of a better definition', () => {
  const [first] = worths('when is a retry over?', ['  retry()'], 1);
  const [third] = worths('when is a retry over?', ['  retry()'], 0.3);
  expect(first!).toBeGreaterThan(third!);
});
