import { describe, expect, test } from 'vitest';
import { ByteTable, hashBytes } from './byte-table.ts';

const capacities = [1, 3, 16, 1000, 1024, 1025, 4097, 6001];

describe.each(capacities)('a table for %i strings', (capacity) => {
  // Masks stand for remainders: a table of another size would be searched for ever.
  test('has slots of a power of two', () => {
    const { slots } = new ByteTable(capacity);
    expect(Math.log2(slots.length) % 1).toBe(0);
  });

  test('finds what was added, and ends where something was not', () => {
    const table = new ByteTable(capacity);
    const words = Array.from({ length: 9_000 }, (_, k) => Buffer.from(`word${k * 7}`));
    for (const word of words) {
      const hash = hashBytes(word, 0, word.length);
      table.add(~table.find(word, 0, word.length, hash), word, 0, word.length, hash);
    }
    words.forEach((word, k) => {
      expect(table.find(word, 0, word.length, hashBytes(word, 0, word.length))).toBe(k + 1);
    });
    const absent = Buffer.from('absent');
    expect(table.find(absent, 0, absent.length, hashBytes(absent, 0, absent.length))).toBeLessThan(0);
  });
});
