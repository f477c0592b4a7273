import { expect, it } from 'vitest';
import type { LoggedEvent, TreeNode } from '../../../src/view.ts';
import { lanesOf, rowsOf, sharesOf, spendingOf } from './rows.ts';

const node = (id: string, parent: string | null, started = 0, ended: number | null = 1): TreeNode => ({
  ...{ id, parent, kind: 'action', title: id, outcome: 'ok', started, ended },
  ...{ spent: {}, note: '', evidence: [] },
});

it('a tree is rows, without what is below a closed one', () => {
  const nodes = [node('a', null), node('b', 'a'), node('c', 'b'), node('d', null)];
  const shown = (closed: readonly string[]) =>
    rowsOf(nodes, new Set(closed)).map(({ node: { id }, depth }) => `${id}${depth}`);
  expect(shown([])).toEqual(['a0', 'b1', 'c2', 'd0']);
  expect(shown(['b'])).toEqual(['a0', 'b1', 'd0']);
  expect(shown(['a'])).toEqual(['a0', 'd0']);
});

it('what runs at once has lanes of its own, and what comes after takes the first that is free', () => {
  const lanes = lanesOf(
    [node('a', null, 0, 10), node('b', null, 5, 20), node('c', null, 10, 12), node('d', null, 11, null)],
    30,
  );
  expect(lanes.map(({ id, lane, to }) => [id, lane, to])).toEqual([
    ['a', 0, 10],
    ['b', 1, 20],
    ['c', 0, 12],
    ['d', 2, 30],
  ]);
});

it('what was spent is told over time, and by what was asked', () => {
  const log = (
    [
      ['a', 'plan', 100, 0],
      ['b', 'read', 10, undefined],
      ['c', 'plan', 200, 150],
    ] as const
  ).flatMap(([call, signature, tokens, cached], n): LoggedEvent[] => [
    {
      ...{ seq: 2 * n + 1, at: 2 * n },
      event: { kind: 'model_called', step: 1, call, model: 'm', signature, reserved: {} },
    },
    {
      ...{ seq: 2 * n + 2, at: 2 * n + 1 },
      event: {
        ...{ kind: 'model_replied', step: 1, call, spent: { tokens, usd: 1 }, unknown: false, wall_ms: 1 },
        ...{ text: '', ...(cached !== undefined && { cached }) },
      },
    },
  ]);
  expect(spendingOf(log)).toEqual([
    { at: 1, tokens: 100, cached: 0, usd: 1 },
    { at: 3, tokens: 110, cached: 0, usd: 2 },
    { at: 5, tokens: 310, cached: 150, usd: 3 },
  ]);
  expect(sharesOf(log)).toEqual([
    { model: 'm', signature: 'plan', calls: 2, tokens: 300, cached: 150, usd: 2 },
    { model: 'm', signature: 'read', calls: 1, tokens: 10, cached: 0, usd: 1 },
  ]);
});
