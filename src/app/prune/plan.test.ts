import { expect, it } from 'vitest';
import { type PrunableRun, type PruneTerms, planPrune } from './plan.ts';

const day = 24 * 60 * 60_000;
const now = 1000 * day;

function run(run_id: string, age: number, more: Partial<PrunableRun> = {}): PrunableRun {
  const created = now - age * day;
  return {
    run_id,
    workspace: null,
    thread: null,
    question: '?',
    created,
    updated: created,
    finished: true,
    isCitedByPage: false,
    ...more,
  };
}

const runs = [
  run('new', 1),
  run('middle', 10),
  run('old', 40),
  run('oldest', 50),
  run('waits', 60, { finished: false }),
  run('behind', 60, { isCitedByPage: true }),
  run('old but resumed yesterday', 45, { updated: now - day }),
];
const indexes = [3, 40].map((age) => ({ folder: `${age}`, root: null, used: now - age * day, bytes: 1 }));

it.each<[string, PruneTerms, readonly string[], readonly string[]]>([
  ['of an age', { olderThan: 30 * day, keep: 0 }, ['old', 'oldest'], ['40']],
  ['of an age, but the newest', { olderThan: 30 * day, keep: 4 }, ['oldest'], ['40']],
  ['all but the newest', { olderThan: null, keep: 2 }, ['old', 'old but resumed yesterday', 'oldest'], []],
  ['all', { olderThan: null, keep: 0 }, ['new', 'middle', 'old', 'old but resumed yesterday', 'oldest'], []],
  ['none', { olderThan: 100 * day, keep: 0 }, [], []],
])('removes %s, never what waits or what pages rest on', (_what, terms, gone, folders) => {
  const plan = planPrune({ runs, indexes }, terms, now);
  expect(plan.runs.map(({ run_id }) => run_id)).toEqual(gone);
  expect(plan.indexes.map(({ folder }) => folder)).toEqual(folders);
  expect(plan.kept).toEqual({ unfinished: 1, behind_pages: 1, recent: 5 - gone.length });
});
