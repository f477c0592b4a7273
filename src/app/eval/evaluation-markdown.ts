/** An evaluation, and the difference between two, as tables for a Markdown file. */

import { basename } from 'node:path';
import { formatCount } from '../../core/index.ts';
import type { Comparison } from './compare.ts';
import type { Evaluation } from './evaluate.ts';
import { differenceRows, formatUnasked, listCounts, listOnlyRight, summaryRows } from './evaluation-text.ts';
import type { Header } from './record.ts';

export function evaluationMarkdown({ header, summaries, left }: Evaluation): string {
  const command = [
    `sonde eval run ${basename(header.set.name)}`,
    ...header.models.map((model) => `--model ${modelLabel(model)}`),
    ...(header.baseline ? ['--baseline'] : []),
  ].join(' ');
  return [
    `\`${command}\`, ${formatRevision(header)}, ${formatSet(header)}:`,
    ...summaries.flatMap((summary) => [
      formatTable(['', modelLabel(summary.model), '95 %', 'of'], summaryRows(summary)),
      [
        `Ended: ${listCounts(summary.statuses)}`,
        ...(Object.keys(summary.claims).length === 0 ? [] : [`claims: ${listCounts(summary.claims)}`]),
        ...(summary.failed === 0 ? [] : [`${summary.failed} failed and count as wrong`]),
        `in all ${formatCount(summary.total_tokens, 'token')}, ${summary.total_usd.toFixed(4)} dollars.`,
      ].join('; '),
    ]),
    ...(left === 0 ? [] : [`${formatUnasked(left)}.`]),
  ].join('\n\n');
}

export function comparisonMarkdown(
  { a, b, notes, differences }: Comparison,
  files: readonly [string, string],
): string {
  return [
    `\`sonde eval compare ${files.map((file) => basename(file)).join(' ')}\`: A is ${formatRevision(a)}, B is ${formatRevision(b)}; ${formatSet(b)}:`,
    ...differences.flatMap((difference) => [
      formatTable(
        [
          '',
          difference.a === difference.b
            ? `${modelLabel(difference.b)}, B less A`
            : `B (${modelLabel(difference.b)}) less A (${modelLabel(difference.a)})`,
          '95 %',
          'B above A',
          'below',
        ],
        differenceRows(difference),
      ),
      ...listOnlyRight(difference),
    ]),
    ...(notes.length === 0 ? [] : [`Beside: ${notes.join('; ')}.`]),
  ].join('\n\n');
}

/** Removes the folder from the name of a scripted model, which means nothing on other machines. */
const modelLabel = (model: string): string => model.replace(/^(scripted:).*\//, '$1');

function formatRevision({ sonde, baseline }: Header): string {
  const commit =
    sonde.commit === null ? `program ${sonde.program.slice(0, 12)}` : `commit ${sonde.commit.slice(0, 8)}`;
  return baseline ? `${commit}, by grep and reading alone` : commit;
}

const formatSet = ({ set }: Header): string =>
  `set ${set.hash.slice(0, 12)} of ${formatCount(set.rows, 'question')}`;

function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const escapeCell = (text: string): string => text.replaceAll('|', '\\|');
  return [heading, heading.map((_, column) => (column === 1 ? '--:' : '---')), ...rows]
    .map((row) => `| ${row.map(escapeCell).join(' | ')} |`)
    .join('\n');
}
