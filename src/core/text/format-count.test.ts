import { expect, it } from 'vitest';
import { formatCount } from './plain-text.ts';

it('puts the noun in the singular only after 1', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'page'))).toEqual(['0 pages', '1 page', '2 pages']);
  expect(formatCount(1, 'search', 'searches')).toBe('1 search');
  expect(formatCount(2, 'search', 'searches')).toBe('2 searches');
});
