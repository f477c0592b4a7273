import { expect, it } from 'vitest';
import type { OutlineItem } from '../../core/index.ts';
import { findUnitsAround } from './units-around.ts';

const item = (
  name: string,
  start: number,
  end: number,
  children: readonly OutlineItem[] = [],
): OutlineItem => ({
  name,
  kind: 'function',
  start,
  end,
  signature: name,
  children,
});
const items = [item('A', 1, 20, [item('run', 5, 9), item('x', 12, 12)]), item('B', 30, 40)];
const matches = [{ path: 'a.py', line: 6, text: '' }];

it('names the innermost definition around a line, and its holders', async () => {
  const asked: string[] = [];
  const unitOf = await findUnitsAround(
    matches,
    {
      async outline({ path }) {
        asked.push(path);
        return { kind: 'outline', path, lines: 50, items, completeness: 'partial', why: [] };
      },
    },
    undefined,
  );
  expect([6, 12, 2, 25, 30].map((line) => unitOf('a.py', line))).toEqual(['A.run', 'A', 'A', null, 'B']);
  expect(unitOf('b.py', 6)).toBeNull();
  expect(asked).toEqual(['a.py']);
});

it('names none where syntax says nothing', async () => {
  expect((await findUnitsAround(matches, undefined, undefined))('a.py', 6)).toBeNull();
  const byForm = {
    outline: async () =>
      ({ kind: 'outline', path: 'a.py', lines: 50, items, completeness: 'unknown', why: [] }) as const,
  };
  expect((await findUnitsAround(matches, byForm, undefined))('a.py', 6)).toBeNull();
});
