/** What failing messages share, and what they share with the others too. */
import { expect, it } from 'vitest';
import type { LogLine } from '../../../core/index.ts';
import { commonFields } from './common-field.ts';
import type { Facts, WithEvidence } from './facts.ts';

const noon = Date.parse('2026-05-04T12:00:00Z');
const line = (k: number, level: string, text: string): WithEvidence<LogLine> => ({
  at: noon + k * 1_000,
  service: 'basket',
  level,
  text,
  evidence: `ev-${level}`,
});
const facts = (lines: readonly WithEvidence<LogLine>[]): Facts =>
  ({
    lines,
    patterns: [
      {
        service: 'basket',
        level: 'ERROR',
        count: 40,
        baseline: 0,
        template: 'x',
        example: 'x',
        evidence: 'ev-p',
      },
    ],
  }) as unknown as Facts;
const names = new Set(['basket']);
const many = (n: number, level: string, text: (k: number) => string) =>
  Array.from({ length: n }, (_, k) => line(k, level, text(k)));
const calm = (field: string) =>
  many(30, 'INFO', (k) => `read ${field}=${['hemma', 'brico', 'vanst'][k % 3]} ok`);

it('all that fails is of one supplier, which is one of three: it is named', () => {
  const bad = many(40, 'ERROR', (k) => `supplier=vanst line ${k}: expected 14 columns`);
  expect(commonFields(facts([...calm('supplier'), ...bad]), names)).toMatchObject([
    { kind: 'upstream', id: 'vanst', evidence: ['ev-ERROR', 'ev-p'] },
  ]);
});
it('of one client: it is what is asked', () => {
  const bad = many(40, 'ERROR', () => 'client=vanst rejected: queue full');
  expect(commonFields(facts([...calm('client'), ...bad]), names)).toMatchObject([
    { kind: 'traffic', id: 'vanst' },
  ]);
});
it.each([
  [
    'all fail alike',
    calm('supplier'),
    (k: number) => `supplier=${['hemma', 'brico', 'vanst'][k % 3]} failed`,
  ],
  ['there is only one', many(30, 'INFO', () => 'supplier=vanst ok'), () => 'supplier=vanst failed'],
  ['nothing ordinary tells', [], () => 'supplier=vanst failed'],
  ['it is a field of the message', calm('request_id'), () => 'request_id=vanst failed'],
  ['nobody knows what the field is', calm('shade'), () => 'shade=vanst failed'],
])('%s: nothing is named', (_, lines, text) => {
  expect(commonFields(facts([...lines, ...many(40, 'ERROR', text)]), names)).toEqual([]);
});
