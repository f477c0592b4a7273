import { expect, test } from 'vitest';
import type { Change } from '../core/index.ts';
import { clipRows } from './rows.ts';

const change = (kind: Change['kind'], id: string, at: number, commits: readonly string[]): Change => ({
  ...{ kind, id, at, commits, service: null, author: null, title: id, paths: [], diff: null },
});
const [old, cut, late] = ['a1'.repeat(20), 'b2'.repeat(20), 'c3'.repeat(20)];

test('a commit stays that a deploy within the window brings, however long before it was written', () => {
  const changes = [
    change('deploy', 'r2', 150, [old, cut.slice(0, 12)]),
    change('commit', old, 10, [old]),
    change('commit', cut, 20, [cut]),
    change('commit', 'd4'.repeat(20), 30, []),
    change('deploy', 'r1', 90, ['e5'.repeat(20)]),
    change('commit', 'e5'.repeat(20), 40, []),
    change('deploy', 'r3', 210, [late]),
    change('commit', late, 205, [late]),
  ];
  const { rows } = { rows: clipRows({ kind: 'changes', changes }, 100, 200) };
  expect(rows.kind === 'changes' && rows.changes.map(({ id }) => id)).toEqual(['r2', old, cut]);
});

test('a commit that was written after the window is none of it, whatever names it', () => {
  const changes = [change('deploy', 'r2', 150, [late]), change('commit', late, 205, [late])];
  expect(clipRows({ kind: 'changes', changes }, 100, 200)).toMatchObject({ changes: [{ id: 'r2' }] });
});
