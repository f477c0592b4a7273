import { expect, it } from 'vitest';
import { judge } from '../brief/judge.ts';
import { factsOfMade, hour, shaOf } from '../brief/made-facts.contract.ts';
import { madeIncidents } from '../brief/made-incidents.contract.ts';
import { ruling } from './verdict.ts';

const made = madeIncidents.find(({ name }) => name === 'a commit below the one that the deploy names')!;
const blame = (deployedTo: string) => {
  const facts = factsOfMade({
    ...made,
    commits: made.commits.map((one, n) => (n === 2 ? [one[0], deployedTo, one[2], one[3], one[4]] : one)),
  });
  const judgement = judge(facts, { text: 'orders p99', service: 'orders', at: hour + 24 * 60_000 });
  const claim = { text: 'The pool was cut from 100 to 10', evidence: ['ev-commit1'] };
  const claims = { isRefused: false, validated: [claim], open: [] };
  return ruling('code_change', shaOf(1).slice(0, 12), claims, judgement, facts);
};

// incident.md: diagnose 3
it('a model may blame a commit that a deploy brought, named or not', () => {
  expect(blame('orders')).toMatchObject({ verdict: 'code_change', culprit: shaOf(1), objection: null });
});

it('and none that no deploy brought', () => {
  expect(blame('frontend')).toMatchObject({
    verdict: 'inconclusive',
    objection: expect.stringContaining('no deploy that is known brings'),
  });
});

const setting = (culprit: string, verdict: 'config_change' | 'code_change' = 'config_change') => {
  const facts = factsOfMade(made);
  const judgement = judge(facts, { text: 'orders p99', service: 'orders', at: hour + 24 * 60_000 });
  const claim = { text: 'The pool was cut from 100 to 10', evidence: ['ev-commit1'] };
  return ruling(verdict, culprit, { isRefused: false, validated: [claim], open: [] }, judgement, facts);
};

it('a setting is named by the commit that changed it, or by its own name', () => {
  const diff = factsOfMade(made).changes.find(({ id }) => id === shaOf(1))!.diff!;
  const name = /[A-Za-z]{6,}/.exec(
    diff.split('\n').find((line) => line.startsWith('+') && !line.startsWith('+++'))!,
  )![0];
  for (const culprit of [shaOf(1), shaOf(1).slice(0, 12), name])
    expect(setting(culprit), culprit).toMatchObject({
      verdict: 'config_change',
      culprit: shaOf(1),
      objection: null,
    });
});

it('and by no other name', () => {
  for (const culprit of ['no_such_setting', 'ab', ''])
    expect(setting(culprit), culprit).toMatchObject({
      verdict: 'inconclusive',
      objection: expect.stringContaining('knows no flag or setting'),
    });
  expect(setting('MaxOpenConns', 'code_change')).toMatchObject({ verdict: 'inconclusive' });
});
