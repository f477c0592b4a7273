import { describe, expect, test } from 'vitest';
import type { ComputedAnswer, ComputedValue } from '../core/index.ts';
import { claimsOfValues, decidedByValues } from './values.ts';

const value = (at: ComputedValue['at'], more: Partial<ComputedValue> = {}): ComputedValue => ({
  ...{ at, flow: 'material', count: 1, sources: [] },
  spans: [{ path: 'a.md', start: 2, end: 2 }],
  ...more,
});
const literal = { flow: 'literal', spans: [], count: 0 } as const;
const answer = (values: readonly ComputedValue[], more: Partial<ComputedAnswer> = {}): ComputedAnswer => ({
  ...{ cell: 'root/t2.1', again: 'same', values, reads: ['a.md', 'b.md'] },
  ...more,
});
const told = (given: unknown, computed: ComputedAnswer) =>
  claimsOfValues(given, computed).claims.map(({ text, verdict }) => [text, verdict]);

describe('claims of values', () => {
  test('a number, with its cell and its lines', () => {
    const [claim] = claimsOfValues(412, answer([value([], { count: 500 })])).claims;
    expect(claim).toMatchObject({ text: '412', verdict: 'computed', evidence: ['root/t2.1'] });
    expect(claim!.why).toBe('Cell 2.1, run again: the same. From 500 stretches of lines: a.md:2, ….');
  });

  test('each entry by itself, and how many there are', () => {
    const values = [value([]), value([0]), value([1], literal)];
    expect(told([7, 8], answer(values))).toEqual([
      ['7', 'computed'],
      ['8', 'unclear'],
      ['2 items', 'computed'],
    ]);
  });

  test('a text that stands in the code is a claim like any other', () => {
    const found = claimsOfValues(
      { note: 'It is fast.', count: 7 },
      answer([value([]), value(['note'], literal), value(['count'])]),
    );
    expect(found.texts).toEqual(['It is fast.']);
    expect(found.claims.map(({ text }) => text)).toEqual(['count: 7']);
  });

  test('where the flow is lost it is computed all the same, and the reads are named', () => {
    const [claim] = claimsOfValues(
      7,
      answer([value([], { ...literal, flow: 'lost' })], { lost: 'a class' }),
    ).claims;
    expect(claim!.verdict).toBe('computed');
    expect(claim!.why).toBe('Cell 2.1, run again: the same. Flow: lost, a class; it read a.md, b.md.');
  });

  test.each([
    ['other', 'unclear'],
    ['unable', 'unclear'],
  ] as const)('a second run that is %s', (again, verdict) => {
    expect(told(7, answer([value([])], { again }))).toEqual([['7', verdict]]);
  });

  test('what a model said is not computed', () => {
    expect(told(7, answer([value([], { flow: 'model' })]))).toEqual([['7', 'unclear']]);
  });

  test('a long list names how many, and shows the first', () => {
    const items = Array.from({ length: 300 }, (_, n) => `item ${n}`);
    expect(told(items, answer([value([], { items: 300 })]))).toEqual([
      ['300 items, the first: "item 0"', 'computed'],
    ]);
  });
});

describe('a claim in a text that a cell put together', () => {
  const stretch = (text: string, more: Partial<ComputedValue> = {}) => value([], { stretch: text, ...more });
  const verdict = (text: string, values: readonly ComputedValue[], more: Partial<ComputedAnswer> = {}) =>
    decidedByValues(text, answer(values, more))?.verdict ?? null;

  test.each([
    [
      'every figure of it was computed',
      '412 of 500 pages have one.',
      [stretch('412'), stretch('500')],
      'computed',
    ],
    ['a figure of it stands in the code', '412 of 500 pages have one.', [stretch('412')], null],
    ['the stretch stands in the code', '412 pages.', [stretch('412', literal)], null],
    ['it has no figure', 'Many pages have one.', [stretch('Many')], null],
    ['it denies', '412 pages never close it.', [stretch('412')], null],
  ] as const)('%s', (_, text, values, expected) => {
    expect(verdict(text, values)).toBe(expected);
  });

  test('a cell that came to something else carries nothing', () => {
    expect(verdict('412 pages.', [stretch('412')], { again: 'other' })).toBeNull();
  });
});
