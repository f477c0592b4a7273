import { describe, expect, test } from 'vitest';
import type { ComputedAnswer, ComputedValue } from '../../core/index.ts';
import { checkClaims, checkPlacedClaims } from '../answer/check-claims.ts';
import { findFigures } from '../claim/figures.ts';
import type { ClaimSource } from '../gate.ts';

const stretch = (text: string, more: Partial<ComputedValue> = {}): ComputedValue => ({
  ...{ at: [], stretch: text, flow: 'material', count: 3, sources: [] },
  spans: [{ path: 'a.md', start: 2, end: 2 }],
  ...more,
});
const computed = (values: readonly ComputedValue[], more: Partial<ComputedAnswer> = {}): ComputedAnswer => ({
  ...{ cell: 'root/t2.1', again: 'same', values, reads: ['a.md'] },
  ...more,
});
const source: ClaimSource = {
  ...{ id: 'ev-0123456789', path: 'Notes/Harbour.md', start: 3, end: 4 },
  content: 'The harbour has 14 berths.\nThe crane lifts 20 tons.',
};
const cited = (text: string) => text.replace('CITED', `[${source.id}]`);
const of = (text: string, ...stretches: readonly string[]) =>
  checkPlacedClaims({
    ...{ answer: cited(text), sources: text.includes('CITED') ? [source] : [] },
    computed: computed(stretches.map((one) => stretch(one))),
  });

describe('a claim in a text that a cell put together', () => {
  test.each<[string, string, readonly string[], string]>([
    ['every figure of it was computed', '412 of 500 pages have one.', ['412', '500'], 'computed'],
    ['all of it is a stretch that was copied', 'It says 14 berths.', ['14 berths'], 'computed'],
    ['with its thousands apart', 'There are 12,400 lines.', ['12400', '12,400'], 'computed'],
    [
      'the rest of it stands in the cited line',
      'All hold 412 tons, the crane lifts 20 tons CITED.',
      ['412'],
      'computed',
    ],
    [
      'the rest stands before it',
      'The harbour has 14 berths, and all of them 412 CITED.',
      ['412'],
      'computed',
    ],
    [
      'a figure of the rest stands nowhere',
      'All hold 412 tons, the crane lifts 25 tons CITED.',
      ['412'],
      'not shown',
    ],
    ['the rest is not in these words', 'All hold 412 tons, 14 of them are free CITED.', ['412'], 'unclear'],
    [
      'a figure of it stands in the code, and nothing is cited',
      '412 of 500 pages have one.',
      ['412'],
      'unclear',
    ],
    ['it denies', '412 pages never close it.', ['412'], 'unclear'],
    ['no figure of it was computed', 'The crane lifts 25 tons CITED.', ['412'], 'not shown'],
    ['a longer number holds the digits', 'The crane lifts 4120 tons CITED.', ['412'], 'not shown'],
  ])('%s', (_, text, stretches, verdict) => {
    expect(of(text, ...stretches).map(({ claim }) => claim.verdict)).toEqual([verdict]);
  });

  test('each claim of an answer by itself', () => {
    const text = 'All hold 412 tons. The crane lifts 20 tons CITED; it lifts 31 tons CITED.'.replaceAll(
      'CITED',
      `[${source.id}]`,
    );
    const claims = checkClaims({ answer: text, sources: [source], computed: computed([stretch('412')]) });
    expect(claims.map(({ verdict }) => verdict)).toEqual(['computed', 'shown', 'not shown']);
  });

  test('why names the cell, what was read for it, and that the rest is cited', () => {
    const [{ claim } = { claim: null }] = of('All hold 412 tons, the crane lifts 20 tons CITED.', '412');
    expect(claim).toMatchObject({
      why: 'Cell 2.1, run again: the same. From 3 stretches of lines: a.md:2. The lines show the rest.',
      evidence: [source.id],
    });
  });

  test.each<[string, Partial<ComputedValue>, Partial<ComputedAnswer>]>([
    ['stands in the code', { flow: 'literal' }, {}],
    ['is what a model said', { flow: 'model' }, {}],
    ['comes out otherwise in the second run', {}, { again: 'other' }],
  ])('a figure that %s carries nothing', (_, more, whole) => {
    const given = computed([stretch('412', more)], whole);
    const [claim] = checkClaims({ answer: '412 pages.', sources: [], computed: given });
    expect(claim!.verdict).toBe('unclear');
  });
});

test('a hash is no figure with a unit, and a length before minutes is one', () => {
  expect(findFigures('It is 5972d959288f0cf2, or 12s3f.')).toEqual([]);
  expect(findFigures('12h30m').map(({ text }) => text)).toEqual(['12h']);
  expect(findFigures('12h30m')).toMatchObject([{ value: 12 * 3.6e6, otherwise: 12.5 * 3.6e6 }]);
});
