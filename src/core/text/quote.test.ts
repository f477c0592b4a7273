import { describe, expect, it } from 'vitest';
import { findQuote, flattenLines } from './quote.ts';

const letters = (count: number, letter = 'x') => letter.repeat(count);

describe('findQuote', () => {
  it('ends for long quotes of a line of some megabytes', () => {
    const flat = flattenLines(['one', letters(4_000_000), 'two']);
    for (const length of [50, 1_000, 1_000_000])
      expect(findQuote(flat, letters(length), 2)).toEqual({ start: 2, end: 2 });
    expect(findQuote(flat, `y${letters(100_000)}`)).toBeNull();
    expect(findQuote(flat, `${letters(100_000)}y`)).toBeNull();
  });

  it('finds the nearest occurrence, and the later one of two that are equally near', () => {
    const flat = flattenLines(['a b', 'other', 'a b', 'a', 'b a']);
    expect(findQuote(flat, 'a b', 1)).toEqual({ start: 1, end: 1 });
    expect(findQuote(flat, 'a b', 2)).toEqual({ start: 3, end: 3 });
    expect(findQuote(flat, 'a b', 9)).toEqual({ start: 4, end: 5 });
    expect(findQuote(flat, 'c', 9)).toBeNull();
  });
});
