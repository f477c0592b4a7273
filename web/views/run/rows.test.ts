import { expect, it } from 'vitest';
import type { TreeNode } from '../../../src/view.ts';
import { lanesOf, rowsOf } from './rows.ts';

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
