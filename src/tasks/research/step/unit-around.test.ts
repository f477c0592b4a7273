import { expect, it } from 'vitest';
import type { OutlineItem, SymbolReader } from '../../../core/index.ts';
import { unitAround } from './unit-around.ts';

const item = (start: number, end: number, children: readonly OutlineItem[] = []): OutlineItem => ({
  name: 'f',
  kind: 'function',
  start,
  end,
  signature: 'f()',
  children,
});
const lines = Array.from({ length: 200 }, (_, nth) => `    line ${nth + 1}`);

const symbols = (items: readonly OutlineItem[], completeness: 'complete' | 'unknown' = 'complete') => ({
  outline: (async ({ path }) => ({
    kind: 'outline',
    path,
    lines: lines.length,
    items,
    completeness,
    why: [],
  })) satisfies SymbolReader['outline'],
});

const around = (items: readonly OutlineItem[], line: number, max = 45) =>
  unitAround(symbols(items), { path: 'a.py', lines, line, max, signal: new AbortController().signal });

it('shows a definition whole where it fits, the largest that does', async () => {
  expect(await around([item(10, 40, [item(20, 25)])], 22)).toEqual({
    shown: { start: 10, end: 40 },
    within: null,
  });
  expect(await around([item(10, 140, [item(20, 45)])], 22)).toEqual({
    shown: { start: 20, end: 45 },
    within: { start: 10, end: 140 },
  });
});

it('shows the comment above with it where both fit', async () => {
  const said = lines.with(8, '    // What it is for').with(7, '    /// and why');
  const shown = async (max: number) =>
    (
      await unitAround(symbols([item(10, 40)]), {
        path: 'a.py',
        lines: said,
        line: 22,
        max,
        signal: new AbortController().signal,
      })
    ).shown;
  expect(await shown(45)).toEqual({ start: 8, end: 40 });
  expect(await shown(32)).toEqual({ start: 9, end: 40 });
  expect(await shown(31)).toEqual({ start: 10, end: 40 });
});

it('shows a short one with its neighbours, and never more than its holder', async () => {
  const { shown, within } = await around([item(10, 140, [item(20, 22)])], 21);
  expect(within).toEqual({ start: 10, end: 140 });
  expect(shown).toEqual({ start: 10, end: 37 });
});

it('shows the lines around in one that is too long', async () => {
  const { shown, within } = await around([item(10, 190)], 100);
  expect(within).toEqual({ start: 10, end: 190 });
  expect(shown.start).toBeLessThan(100);
  expect(shown.end).toBeGreaterThan(100);
  expect(shown.end - shown.start).toBeLessThan(45);
  expect((await around([item(10, 190)], 12)).shown.start).toBe(10);
});

it('goes by the form of lines where no syntax says more', async () => {
  const asked = { path: 'a.py', lines, line: 100, max: 45, signal: new AbortController().signal };
  const byForm = await unitAround(undefined, asked);
  expect(await unitAround(symbols([item(1, 200)], 'unknown'), asked)).toEqual(byForm);
  expect(await unitAround(symbols([item(1, 50)]), asked)).toEqual(byForm);
});
