import { describe, expect, test } from 'vitest';
import { toInt8 } from './int8.ts';
import { openScanner } from './scanner.ts';

/** Deterministic numbers between -1 and 1. */
function numbers(count: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, one, two] = [0, 0, 0];
  for (let d = 0; d < a.length; d++) {
    product += a[d]! * b[d]!;
    one += a[d]! ** 2;
    two += b[d]! ** 2;
  }
  return product / Math.sqrt(one * two);
}

describe.each([
  { rows: 1, dimensions: 16 },
  { rows: 7, dimensions: 5 },
  { rows: 300, dimensions: 384 },
  { rows: 64, dimensions: 100 },
])('$rows vectors of $dimensions dimensions', ({ rows, dimensions }) => {
  const vectors = numbers(rows * dimensions, 7);
  const query = numbers(dimensions, 11);
  const table = toInt8(vectors, dimensions);
  const fast = openScanner(table);
  const plain = openScanner(table, 'javascript');

  test('WebAssembly and JavaScript agree to the last bit', () => {
    expect([fast.engine, plain.engine]).toEqual(['wasm', 'javascript']);
    expect(fast.cosines(query)).toEqual(plain.cosines(query));
    expect(fast.cosines(vectors.subarray(0, dimensions))).toEqual(
      plain.cosines(vectors.subarray(0, dimensions)),
    );
  });

  test('cosines are those of the vectors as they were given', () => {
    const cosines = fast.cosines(query);
    for (let row = 0; row < rows; row++) {
      const exact = cosine(query, vectors.subarray(row * dimensions, (row + 1) * dimensions));
      expect(Math.abs(cosines[row]! - exact)).toBeLessThan(0.02);
    }
  });
});

test('the extremes do not overflow', () => {
  const dimensions = 4096;
  const table = toInt8(
    Float32Array.from({ length: dimensions * 2 }, (_, i) => (i < dimensions ? 3 : -3)),
    dimensions,
  );
  const [same, opposite] = openScanner(table).cosines(new Float32Array(dimensions).fill(1));
  expect(same).toBeCloseTo(1, 3);
  expect(opposite).toBeCloseTo(-1, 3);
});

test('a vector of zeros is like nothing', () => {
  const table = toInt8(new Float32Array(32), 16);
  expect([...openScanner(table).cosines(new Float32Array(16).fill(1))]).toEqual([0, 0]);
  expect([...openScanner(toInt8(new Float32Array(16).fill(1), 16)).cosines(new Float32Array(16))]).toEqual([
    0,
  ]);
});
