import { describe, expect, test } from 'vitest';
import type { ComputedAnswer, ComputedValue } from '../../core/index.ts';
import { createValueClaims, isValue } from './values.ts';

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
  createValueClaims(given, computed).claims.map(({ text, verdict }) => [text, verdict]);

describe('claims of values', () => {
  test('a number, with its cell and its lines', () => {
    const [claim] = createValueClaims(412, answer([value([], { count: 500 })])).claims;
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
    const found = createValueClaims(
      { note: 'It is fast.', count: 7 },
      answer([value([]), value(['note'], literal), value(['count'])]),
    );
    expect(found.texts).toEqual(['It is fast.']);
    expect(found.claims.map(({ text }) => text)).toEqual(['count: 7']);
  });

  test('where the flow is lost it is computed all the same, and the reads are named', () => {
    const [claim] = createValueClaims(
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

  test('a text is a value where it was copied or computed as a whole, and not where the code holds it', () => {
    const whole = { whole: true } as const;
    expect(isValue('Three retries', answer([value([], whole)]))).toBe(true);
    expect(isValue('Three retries', answer([value([])]))).toBe(false);
    expect(isValue('x', answer([value([], { ...whole, flow: 'lost' }), value([], literal)]))).toBe(false);
    expect(isValue(7, answer([]))).toBe(true);
    expect(told('Three retries', answer([value([], whole)]))).toEqual([['"Three retries"', 'computed']]);
  });

  test('a long list names how many, and shows the first', () => {
    const items = Array.from({ length: 300 }, (_, n) => `item ${n}`);
    expect(told(items, answer([value([], { items: 300 })]))).toEqual([
      ['300 items, the first: "item 0"', 'computed'],
    ]);
  });
});
