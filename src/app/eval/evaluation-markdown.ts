/** An evaluation, and the difference between two, as tables for a Markdown file. */

import { basename } from 'node:path';
import { formatCount } from '../../core/index.ts';
import type { Comparison } from './compare.ts';
import type { Evaluation } from './evaluate.ts';
import { differenceRows, idsOf, listCounts, summaryRows, unaskedText } from './evaluation-text.ts';
import type { Header } from './record.ts';

export function evaluationMarkdown({ header, summaries, left }: Evaluation): string {
  const command = [
    `sonde eval run ${basename(header.set.name)}`,
    ...header.models.map((model) => `--model ${shown(model)}`),
    ...(header.baseline ? ['--baseline'] : []),
  ].join(' ');
  return [
    `\`${command}\`, ${revisionOf(header)}, ${setOf(header)}:`,
    ...summaries.flatMap((summary) => [
      table(['', shown(summary.model), '95 %', 'of'], summaryRows(summary)),
      [
        `Ended: ${listCounts(summary.statuses)}`,
        ...(Object.keys(summary.claims).length === 0 ? [] : [`claims: ${listCounts(summary.claims)}`]),
        ...(summary.failed === 0 ? [] : [`${summary.failed} failed and count as wrong`]),
        `in all ${formatCount(summary.total_tokens, 'token')}, ${summary.total_usd.toFixed(4)} dollars.`,
      ].join('; '),
    ]),
    ...(left === 0 ? [] : [`${unaskedText(left)}.`]),
  ].join('\n\n');
}

export function comparisonMarkdown(
  { a, b, notes, differences }: Comparison,
  files: readonly [string, string],
): string {
  return [
    `\`sonde eval compare ${files.map((file) => basename(file)).join(' ')}\`: A is ${revisionOf(a)}, B is ${revisionOf(b)}; ${setOf(b)}:`,
    ...differences.flatMap((difference) => [
      table(
        [
          '',
          difference.a === difference.b
            ? `${shown(difference.b)}, B less A`
            : `B (${shown(difference.b)}) less A (${shown(difference.a)})`,
          '95 %',
          'B above A',
          'below',
        ],
        differenceRows(difference),
      ),
      ...idsOf(difference),
    ]),
    ...(notes.length === 0 ? [] : [`Beside: ${notes.join('; ')}.`]),
  ].join('\n\n');
}

/** A script's place is of no use elsewhere. */
const shown = (model: string): string => model.replace(/^(scripted:).*\//, '$1');

function revisionOf({ sonde, baseline }: Header): string {
  const commit =
    sonde.commit === null ? `program ${sonde.program.slice(0, 12)}` : `commit ${sonde.commit.slice(0, 8)}`;
  return baseline ? `${commit}, by grep and reading alone` : commit;
}

const setOf = ({ set }: Header): string =>
  `set ${set.hash.slice(0, 12)} of ${formatCount(set.rows, 'question')}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  return [head, head.map((_, column) => (column === 1 ? '--:' : '---')), ...rows]
    .map((row) => `| ${row.map(cell).join(' | ')} |`)
    .join('\n');
}
