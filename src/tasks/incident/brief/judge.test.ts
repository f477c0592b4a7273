import { describe, expect, it } from 'vitest';
import { blameOf, judge } from './judge.ts';
import { factsOfMade, hour, shaOf } from './made-facts.contract.ts';
import { madeIncidents } from './made-incidents.contract.ts';

describe('incidents made up', () => {
  for (const made of madeIncidents)
    it(`${made.name}: ${made.expected.verdict}`, () => {
      const { alert, expected } = made;
      const judged = judge(factsOfMade(made), {
        text: `${alert.metric} ${alert.summary}`,
        service: alert.service,
        at: hour + (alert.minute - 60) * 60_000,
      });
      expect({ verdict: judged.verdict, cause: blameOf(judged.cause)?.id }).toMatchObject({
        verdict: expected.verdict,
        ...(expected.culprit !== undefined && { cause: shaOf(expected.culprit) }),
      });
      expect(judged.firstFailing).toBe(alert.service);
    });
});

it('a culprit that was deployed after the onset is not blamed', () => {
  const [made] = madeIncidents;
  const late = {
    ...made!,
    commits: made!.commits.map((one, n) => (n === 5 ? ([83, one[1], one[2], one[3], one[4]] as const) : one)),
  };
  const judged = judge(factsOfMade(late), { text: 'orders p99', service: 'orders', at: hour + 24 * 60_000 });
  expect(judged.verdict).toBe('inconclusive');
  expect(judged.blamed.find(({ id }) => id === shaOf(5))).toMatchObject({ before: false });
});

it('a culprit whose diff is not given is not blamed', () => {
  const [made] = madeIncidents;
  const unread = {
    ...made!,
    commits: made!.commits.map((one, n) =>
      n === 5 ? ([one[0], one[1], one[2], one[3], null] as const) : one,
    ),
  };
  const judged = judge(factsOfMade(unread), {
    text: 'orders p99',
    service: 'orders',
    at: hour + 24 * 60_000,
  });
  expect(blameOf(judged.cause)?.id).not.toBe(shaOf(5));
});

it('what no deploy brings was not deployed, and is not blamed', () => {
  const made = madeIncidents.find(({ name }) => name === 'a commit below the one that the deploy names')!;
  const elsewhere = {
    ...made,
    commits: made.commits.map((one, n) => (n === 2 ? ([one[0], 'frontend', ...one.slice(2)] as never) : one)),
  };
  const judged = judge(factsOfMade(elsewhere), {
    text: 'orders p99',
    service: 'orders',
    at: hour + 24 * 60_000,
  });
  expect(judged.blamed.find(({ id }) => id === shaOf(1))).toMatchObject({ how: 'undelivered' });
  expect(blameOf(judged.cause)?.id).not.toBe(shaOf(1));
});
