/** The output of `sonde init incident`: what it wrote and found. */
import { plainLine } from '../../core/index.ts';
import type { DryRunResult } from './dry-run.ts';
import type { InitOutcome } from './init-incident.ts';

export function formatInitOutcome(
  { file, written, systems, preview, sender, reachable }: InitOutcome,
  period: string,
): string {
  return [
    written.length === 0 ? `${file} stays as it is` : `${file}: ${written.join(', ')}`,
    '',
    ...(systems.length === 0
      ? [
          'No system is configured: an investigation would find nothing. Name one with --set, such as --set prometheus_url=URL.',
        ]
      : systems.flatMap(({ state, name, found, remedy }) => [
          `${state.padEnd(7)} ${plainLine(`${name}: ${found}`)}`,
          ...(remedy === null ? [] : [`        ${remedy}`]),
        ])),
    ...(preview.length === 0
      ? []
      : ['', `An alert that fires now would find, in the last ${period}:`, ...preview.map(formatPreviewRow)]),
    ...(sender === null ? [] : ['', `Add this to the configuration of ${sender.name}:`, '', sender.snippet]),
    '',
    reachable ? 'Then: sonde serve --alerts' : 'Correct what is broken, and then: sonde serve --alerts',
  ].join('\n');
}

const formatPreviewRow = ({ question, count, complete, failure }: DryRunResult): string =>
  `  ${plainLine(
    failure === null
      ? `${question}: ${count}${complete ? '' : ' and more'}`
      : `${question}: no answer: ${failure}`,
  )}`;
