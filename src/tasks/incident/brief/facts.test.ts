import { expect, it } from 'vitest';
import type { Change } from '../../../core/index.ts';
import { classifyChange } from './edits/nature.ts';
import { collectFacts, cutLongLines } from './facts.ts';

const commit: Change = {
  kind: 'commit',
  id: 'c1',
  service: null,
  at: 0,
  author: 'Ada',
  title: 'Vendor the editor',
  commits: [],
  paths: ['vendor/editor.min.js'],
  diff: `@@ -1 +1,2 @@\n-pool: 20\n+pool: 2\n+${'a=b("'.repeat(20_000)}`,
};

// The rules' patterns would take minutes over a line of 100,000 characters.
it('cuts the long lines of a diff, and no others', () => {
  const [change] = collectFacts([
    { rows: { kind: 'changes', changes: [commit] }, text: '', evidenceOf: () => 'ev-1' },
  ]).changes;
  const lines = change!.diff!.split('\n');
  expect(lines.slice(0, 3)).toEqual(['@@ -1 +1,2 @@', '-pool: 20', '+pool: 2']);
  expect(lines[3]).toHaveLength(1_000);
  expect(classifyChange(change!).diff?.values).toMatchObject([{ was: 20, is: 2 }]);
});

it('ends for a line of 30 MB', () => {
  const change = { ...commit, diff: `@@ -0,0 +1 @@\n+${'{"a":1},'.repeat(3_750_000)}` };
  expect(cutLongLines(change).diff!.length).toBeLessThan(2_000);
});
