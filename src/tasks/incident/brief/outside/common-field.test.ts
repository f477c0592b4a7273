/** What failing messages share, and what they share with the others too. */
import { expect, it } from 'vitest';
import type { LogLine } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import type { Movement } from '../movement.ts';
import { findCommonFields, findDominantClient } from './common-field.ts';

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
  expect(findCommonFields(facts([...calm('supplier'), ...bad]), names)).toMatchObject([
    { kind: 'upstream', id: 'vanst', evidence: ['ev-ERROR', 'ev-p'] },
  ]);
});
it('of one client: it is what is asked', () => {
  const bad = many(40, 'ERROR', () => 'client=vanst rejected: queue full');
  expect(findCommonFields(facts([...calm('client'), ...bad]), names)).toMatchObject([
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
  expect(findCommonFields(facts([...lines, ...many(40, 'ERROR', text)]), names)).toEqual([]);
});

it('what fails is of one supplier in what the alerted service depends on, which tells nothing itself', () => {
  const bad = many(40, 'ERROR', (k) => `supplier=vanst line ${k}: expected 14 columns`);
  const all = facts([...calm('supplier'), ...bad]);
  const stock = new Set(['stock']);
  expect(findCommonFields(all, stock, new Set(['stock', 'basket']))).toMatchObject([{ id: 'vanst' }]);
  expect(findCommonFields(all, stock, new Set(['stock', 'mail']))).toEqual([]);
});

const rise = (metric: string, kind: Movement['kind'], factor: number): Movement => ({
  service: 'basket',
  metric,
  kind,
  onset: noon + 60 * 60_000,
  direction: 'up',
  before: 10,
  after: 10 * factor,
  factor,
  shape: 'step',
  ended: null,
  evidence: 'ev-rise',
});
/** Lines of five accounts before the rise, and of the last of them by that many since. */
const asked = (of: number, field = 'account') => [
  ...many(30, 'INFO', (k) => `accepted ${field}=${['ann', 'bob', 'eve', 'kim', 'lou'][k % 5]}`),
  ...many(100, 'INFO', (k) => `accepted ${field}=${k < of ? 'eve' : ['ann', 'bob'][k % 2]}`).map((one) => ({
    ...one,
    at: one.at! + 61 * 60_000,
  })),
];
const flooding = (lines: readonly WithEvidence<LogLine>[], risen: Movement) =>
  findDominantClient({ lines } as unknown as Facts, [risen], risen.onset).map(({ kind, id, service }) => [
    kind,
    id,
    service,
  ]);

it('one account of several is most of what came on top: it is named', () => {
  const risen = rise('events_per_sec', 'work', 18);
  expect(flooding(asked(83), risen)).toEqual([['traffic', 'eve', 'basket']]);
});
it.each([
  ['all came on top', asked(20), rise('events_per_sec', 'work', 18)],
  ['nothing did', asked(83), rise('events_per_sec', 'work', 1.2)],
  ['what rose is what is suffered', asked(83), rise('p95_ms', 'latency', 18)],
  [
    'it was most before',
    asked(83).filter(({ text, at }) => at! > noon + 3_600_000 || /eve/.test(text)),
    rise('events_per_sec', 'work', 18),
  ],
  ['the field names nobody who asks', asked(83, 'colour'), rise('events_per_sec', 'work', 18)],
])('%s: nobody is named', (_, lines, risen) => {
  expect(flooding(lines, risen)).toEqual([]);
});
