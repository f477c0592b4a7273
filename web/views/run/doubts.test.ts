import { expect, it } from 'vitest';
import type { Claim, ClaimVerdict } from '../../../src/view.ts';
import { doubtMarks } from '../../parts/marks.ts';
import { withDoubts } from './doubts.ts';

const shown = (text: string): string =>
  text
    .replaceAll(doubtMarks.contradicted, '{contradicted:')
    .replaceAll(doubtMarks['not shown'], '{not shown:')
    .replaceAll(doubtMarks.unclear, '{unclear:')
    .replaceAll(doubtMarks.end, '}');

type Told = readonly [text: string, verdict: ClaimVerdict];

it.each<readonly [answer: string, claims: readonly Told[], marked: string]>([
  [
    'It is one [ev-0123456789]. It is **two** [ev-0123456789]. [unsupported] It is three.',
    [
      ['It is one.', 'shown'],
      ['It is **two**.', 'not shown'],
      ['It is three.', 'unclear'],
    ],
    'It is one [ev-0123456789]. {not shown:It is **two** [ev-0123456789].} {unclear:It is three.}',
  ],
  [
    '- a `x = 1` [ev-0123456789].\n- **b** holds ev-0123456789\n',
    [
      ['a `x = 1`.', 'contradicted'],
      ['**b** holds', 'not shown'],
    ],
    '- {contradicted:a `x = 1` [ev-0123456789].}\n- {not shown:**b** holds ev-0123456789}\n',
  ],
  [
    '| a | b |\n|---|---|\n| one | two [ev-0123456789] |',
    [['one | two', 'unclear']],
    '| a | b |\n|---|---|\n| {unclear:one | two [ev-0123456789]} |',
  ],
  [
    '```js\nlet a = 1\n```\nAfter.',
    [['js let a = 1', 'not shown']],
    '```js\n{not shown:let a = 1}\n```\nAfter.',
  ],
  // The same words twice, of which the second is in doubt.
  [
    'Yes, it is. Yes, it is.',
    [
      ['Yes, it is.', 'shown'],
      ['Yes, it is.', 'unclear'],
    ],
    'Yes, it is. {unclear:Yes, it is.}',
  ],
  ['Nothing of it.', [['Something else.', 'contradicted']], 'Nothing of it.'],
  ['Nothing.', [['…', 'contradicted']], 'Nothing.'],
  // Marks in an answer are none of ours.
  [`A ${doubtMarks.unclear}b.`, [], 'A \ufffdb.'],
])('%j', (answer, claims, marked) => {
  const all = claims.map(([text, verdict]): Claim => ({ text, verdict, evidence: [], flags: [] }));
  expect(shown(withDoubts(answer, all))).toBe(marked);
});
