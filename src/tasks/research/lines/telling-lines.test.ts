import { expect, it } from 'vitest';
import { asQuote } from './telling-lines.ts';

it('quotes the part of a long line that bears on the question', () => {
  const line = `{"a":"${'z'.repeat(9_000)}","tapirLimit":99,"b":"${'y'.repeat(9_000)}"}`;
  const quote = asQuote(line, 'What is the tapirLimit?');
  expect(quote).toContain('"tapirLimit":99');
  expect(quote.length).toBeLessThanOrEqual(160);
  expect(line).toContain(quote);
});

it('quotes a short line whole, with its white space folded', () => {
  expect(asQuote('  a   b ', 'tapirLimit')).toBe('a b');
});
