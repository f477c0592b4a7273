/** What the program writes: of an alert that nothing knows, nothing about what is out of order elsewhere. */
import { expect, it } from 'vitest';
import { judge } from '../brief/judge.ts';
import { factsOfMade, hour } from '../brief/made/made-facts.contract.ts';
import { madeIncidents } from '../brief/made/made-incidents.contract.ts';
import { writeDiagnosis } from './program-diagnosis.ts';

const [made] = madeIncidents;
const facts = factsOfMade(made!);
const written = (service: string | null, text: string) => {
  const judgement = judge(facts, { text, service, at: hour + 24 * 60_000 });
  return { verdict: judgement.verdict, text: JSON.stringify(writeDiagnosis(judgement, facts, null, [])) };
};

it('names no commit, service or message of the others', () => {
  const { verdict, text } = written(null, 'good morning! the tape robot in Lille beeps');
  expect(verdict).toBe('unrelated');
  const others = [...made!.commits.map(([, , title]) => title), 'Look first at', made!.alert.service];
  expect(others.filter((one) => text.includes(one))).toEqual([]);
});

it('and of one that is known it does', () => {
  expect(written(made!.alert.service, made!.alert.summary).text).toContain(made!.alert.service);
});

it('where nothing was looked at, no service is told as the first to fail', () => {
  const none = { ...facts, series: [], lines: [], patterns: [], spans: [], tables: [], changes: [] };
  const judgement = judge(none, { text: made!.alert.summary, service: made!.alert.service, at: hour });
  const { remediation_steps: steps } = writeDiagnosis(judgement, none, null, []);
  expect(steps).toEqual([
    'Look at what is alerted itself: nothing that was looked at shows what failed first.',
  ]);
});

it.each(madeIncidents)('tells in the order of time how it came about: $name', (one) => {
  const known = factsOfMade(one);
  const { service, summary, minute } = one.alert;
  const judgement = judge(known, { text: summary, service, at: hour + (minute - 60) * 60_000 });
  const times = writeDiagnosis(judgement, known, null, []).causal_chain.flatMap(({ fields }) =>
    fields?.series === undefined ? [] : [fields.time ?? ''],
  );
  expect(times).toEqual(times.toSorted());
});
