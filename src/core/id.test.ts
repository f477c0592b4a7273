import { expect, test } from 'vitest';
import { createSortableId } from './id.ts';

test('ids sort in the order in which they were made, also within a millisecond and after the clock stepped back', () => {
  const ids = [5_000, 5_000, 4_000, 5_000, 6_000].map(createSortableId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
