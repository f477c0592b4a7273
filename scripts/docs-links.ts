/** The page of what ties a change to an alert: each way in which a change can break something, with its counter-example. */
import { mechanismExamples } from '../src/tasks/incident/brief/mechanisms/examples.contract.ts';

const cell = (diff: string): string =>
  diff
    .split('\n')
    .map((line) => `\`${line.replaceAll('|', '\\|')}\``)
    .join('<br>');

/** Rules that need more than the diff. Each is a test of the named file. */
const beside: readonly (readonly [rule: string, blamed: string, not: string, test: string])[] = [
  [
    'Room that was used up',
    'a pool of 40 becomes one of 160 where 38 were open before',
    'the same where 9 were open',
    'ties/ties.test.ts',
  ],
  [
    'Growth since a change',
    'what its service holds began to grow within five minutes after it, hours before the alert',
    'it began before the change, or hours after it',
    'ties/ties.test.ts',
  ],
  [
    'The memory of a process',
    'code that keeps more went to `billing`, whose memory is used up; or to the canary, whose own memory is',
    'it went to `billing-canary` alone, and the memory of `billing` is used up',
    'ties/ties.test.ts',
  ],
  [
    'Load, by rates of any name',
    '`parcels_per_min` rises where requests come in, and what that calls rises by as much',
    'what is called rises alone or far more, where requests come in is not measured, or what rises is no rate',
    'outside.test.ts',
  ],
  [
    'Load that is passed on',
    'requests rise at a service whose caller is not measured',
    'the caller was changed within the hour before, or nobody is known to call it',
    'outside.test.ts',
  ],
  [
    'Trouble, where nobody measures the metric of the alert',
    'errors rise, waits are longer, work is no longer done',
    'errors fall, waits are shorter, more is asked for',
    'subject.test.ts',
  ],
  [
    'Changes of a recorded incident',
    'one of three days before is read',
    'one that came after the end of the window is not',
    'signals/frozen/frozen.test.ts',
  ],
];

export const linksPage = (generated: string): string =>
  [
    '# How a change can break something',
    generated,
    'What a diff shows of itself, as `sonde incident` reads it. It ties a change to an alert only together with a series that left its course and a message, both of the kind that it shows itself by ([incidents.md](incidents.md#links)). Each row is a test: the first diff is taken for it, the second looks alike and is not.',
    [
      '| way | a diff that shows it | one that does not |',
      '| --- | --- | --- |',
      ...mechanismExamples.map(({ name, shows, unlike }) => `| ${name} | ${cell(shows)} | ${cell(unlike)} |`),
    ].join('\n'),
    '## Beside the diff',
    'What else decides whether a change, or load, is to blame: what is taken for it, and the neighbour that is not. Each is a test in `src/tasks/incident/brief/`, or in `src/signals/`.',
    [
      '| rule | blamed | not blamed | test |',
      '| --- | --- | --- | --- |',
      ...beside.map(([rule, blamed, not, test]) => `| ${rule} | ${blamed} | ${not} | \`${test}\` |`),
    ].join('\n'),
  ].join('\n\n');
