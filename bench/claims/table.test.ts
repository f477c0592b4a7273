import { expect, test } from 'vitest';
import { standsAnywhere, wordOverlap } from './floors.ts';
import { type Row, shuffled, type Verdict } from './set.ts';
import { tableOf, wilson } from './table.ts';

const row = (id: string, mutation?: string): Row => ({
  id,
  source: 'pool',
  kind: 'code',
  wording: 'answer',
  claim: 'The pool holds 20 connections.',
  lines: [{ path: 'pool.py', start: 1, end: 1, text: 'MAX_SIZE = 20  # connections the pool holds' }],
  truth: mutation === undefined,
  ...(mutation !== undefined && { mutation }),
});

test('a share has its interval by Wilson', () => {
  const [low, high] = wilson(8, 10);
  expect([low.toFixed(1), high.toFixed(1)]).toEqual(['49.0', '94.3']);
  expect(wilson(0, 0)).toEqual([0, 100]);
  expect(wilson(0, 20)[0]).toBe(0);
});

test('the table counts what was caught, left open and let through', () => {
  const judged = (
    [
      ['a', 'figure', 'contradicted'],
      ['b', 'figure', 'shown'],
      ['c', 'negation', 'unclear'],
      ['d', undefined, 'supported'],
      ['e', undefined, 'not shown'],
    ] as const
  ).map(([id, mutation, verdict]) => ({ row: row(id, mutation), verdict: verdict as Verdict }));
  const table = tableOf('this', judged);
  expect(table).toContain('| figure | 2 | 50.0 % (9-91) | 0.0 % (0-66) | 50.0 % (9-91) |');
  expect(table).toContain('| negation | 1 | 0.0 % (0-79) | 100.0 % (21-100) | 0.0 % (0-79) |');
  expect(table).toContain('| **all** | 2 | 50.0 % (9-91) | 0.0 % (0-66) | 50.0 % (9-91) |');
});

test('a shuffle is the same each time and another with another seed', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => row(id));
  const order = (seed: number): string =>
    shuffled(rows, seed)
      .map(({ id }) => id)
      .join('');
  expect(order(1)).toBe(order(1));
  expect(order(1)).not.toBe(order(2));
  expect([...order(1)].sort().join('')).toBe('abcdef');
});

test('floors see a figure or a word that is missing, and nothing else', () => {
  const asked = row('a');
  expect(standsAnywhere(asked)).toBe('shown');
  expect(standsAnywhere({ ...asked, claim: 'The pool holds 500 connections.' })).toBe('not shown');
  expect(standsAnywhere({ ...asked, claim: 'The pool never holds 20 connections.' })).toBe('shown');
  expect(wordOverlap(asked)).toBe('shown');
  expect(wordOverlap({ ...asked, claim: 'Requests are encrypted with a secret.' })).toBe('not shown');
});
