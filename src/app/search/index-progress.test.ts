import { expect, test } from 'vitest';
import type { IndexProgress } from '../../search/index.ts';
import { throttleProgress } from './index-progress.ts';

test('a phase as it begins, then where it is, at most once a second', () => {
  let now = 0;
  const line = throttleProgress(() => now);
  const at = (ms: number, phase: IndexProgress['phase'], done: number) => {
    now = ms;
    return line({ phase, done, total: 900 });
  };
  expect(at(0, 'walk', 0)).toBe('looking for files');
  expect(at(10, 'index', 1)).toBe('indexing 1 of 900');
  expect([20, 400, 1_000].map((ms) => at(ms, 'index', ms))).toEqual([null, null, null]);
  expect(at(1_010, 'index', 500)).toBe('indexing 500 of 900');
  expect(at(1_020, 'write', 0)).toBe('writing the index');
});
