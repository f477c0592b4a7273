/** The page of what ties a change to an alert: each way in which a change can break something, with its counter-example. */
import { mechanismExamples } from '../src/tasks/incident/brief/mechanisms/examples.contract.ts';

const cell = (diff: string): string =>
  diff
    .split('\n')
    .map((line) => `\`${line.replaceAll('|', '\\|')}\``)
    .join('<br>');

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
  ].join('\n\n');
