import { describe, expect, it } from 'vitest';
import { judge, toBlame } from './judge.ts';
import { factsOfMade, hour, shaOf } from './made/made-facts.contract.ts';
import { madeIncidents } from './made/made-incidents.contract.ts';

describe('incidents made up', () => {
  for (const made of madeIncidents)
    it(`${made.name}: ${made.expected.verdict}`, () => {
      const { alert, expected } = made;
      const judged = judge(factsOfMade(made), {
        text: `${alert.metric} ${alert.summary}`,
        service: alert.service,
        at: hour + (alert.minute - 60) * 60_000,
      });
      expect({ verdict: judged.verdict, cause: toBlame(judged.cause)?.id }).toMatchObject({
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
  expect(toBlame(judged.cause)?.id).not.toBe(shaOf(5));
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
  expect(toBlame(judged.cause)?.id).not.toBe(shaOf(1));
});

it('an alert whose labels only lists of alerts have is of nothing that a system knows', () => {
  const points = Array.from({ length: 60 }, (_, k): [number, number] => [hour + k * 60_000, 1]);
  const labels = { service: 'ghost-export' };
  const verdict = (name: string, more: Readonly<Record<string, string>> = {}) => {
    const series = [
      { name, labels: { ...labels, ...more }, points, evidence: 'ev-0000000001' },
      { name: 'up', labels: { service: 'shop' }, points, evidence: 'ev-0000000002' },
    ];
    const facts = {
      series,
      lines: [],
      patterns: [],
      changes: [],
      spans: [],
      alerts: [],
      texts: [],
      tables: [],
    };
    return judge(facts, { text: 'no export', service: 'ghost-export', at: hour + 50 * 60_000 }).verdict;
  };
  expect(verdict('ALERTS', { alertname: 'NoExport', alertstate: 'firing' })).toBe('unrelated');
  expect(verdict('up')).not.toBe('unrelated');
});

it('what is alerted is the first to fail only where a record shows trouble of it', () => {
  const nothing = {
    ...factsOfMade(madeIncidents[0]!),
    series: [],
    lines: [],
    patterns: [],
    spans: [],
    tables: [],
  };
  const alert = { text: 'orders p99', service: 'orders', at: hour + 24 * 60_000 };
  expect(judge({ ...nothing, changes: [] }, alert)).toMatchObject({
    verdict: 'inconclusive',
    firstFailing: null,
  });
  expect(judge(nothing, alert)).toMatchObject({ verdict: 'inconclusive', firstFailing: null });
  expect(judge(factsOfMade(madeIncidents[0]!), alert).firstFailing).toBe('orders');
});
