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
