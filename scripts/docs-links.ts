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
  [
    'More for as much work',
    'the changed service sends far more bytes, or its processor is far busier, within ten minutes after a change that does such a thing, and it is asked no more',
    'it is asked more too, the rise came long after, or the diff does nothing of the kind',
    'ties/ties.test.ts',
  ],
  [
    'A name that others miss',
    'a change takes a label away, and something that no record ties to the alert finds nothing by it since',
    'another name, one that stands elsewhere now, a plain word, or a message that misses nothing',
    'ties/ties.test.ts',
  ],
  [
    'A network',
    'a list loses a network, and who is refused has an address in it',
    'the address lies in another, the network stands elsewhere now, or it is wider than /16',
    'ties/ties.test.ts',
  ],
  [
    'What a deploy carries',
    'the commit that a deploy was made for, by its place',
    'those that lay before it in the same deploy count half by their place',
    'ties/ties.test.ts',
  ],
  [
    'Named before near',
    'a change to rights hours before, of which the failing messages name one',
    'the same where they name another: then the change that lies nearer',
    'ties/ties.test.ts',
  ],
  ['A limit that is met', 'it was made narrower', 'it was made wider', 'ties/ties.test.ts'],
  [
    'What only logs',
    'a caught error is answered otherwise than before',
    'the same answer, and a line in the log',
    'nature.test.ts',
  ],
  [
    'One of many who ask',
    'one account is most of the requests since they rose, and was one of several before',
    'all rose, nothing rose, it was most before, or the field names nobody who asks',
    'common-field.test.ts',
  ],
  [
    'One of whom what fails is',
    'all failing messages of what the alert depends on are of one supplier',
    'of something that nothing ties to the alert',
    'common-field.test.ts',
  ],
  [
    'Load by a caller',
    'who is busy, or asks more, in step with what is asked',
    'who is slow in step with it: he waits',
    'callers-load.test.ts',
  ],
  [
    'Numbers that run out',
    'a change that touches the sequence or the column',
    'the last change to what writes there',
    'explain.test.ts',
  ],
  [
    'A threshold',
    'nothing: all values were beyond it, all the time',
    'where the series went beyond it',
    'healthy.test.ts',
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
