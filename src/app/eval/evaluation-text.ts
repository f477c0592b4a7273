/** Formats an evaluation, and the difference between two, for the terminal. */
import { formatCount, shortLine } from '../../core/index.ts';
import type { Evaluation } from './evaluate.ts';
import type { RowRecord } from './record.ts';
import type { Estimate } from './statistics.ts';
import { type Difference, type Measure, measures, type Summary } from './summary.ts';

const measureNames: Readonly<Record<Measure, string>> = {
  right: 'right',
  recall_1: 'gold files among the first 1',
  recall_5: 'gold files among the first 5',
  recall_10: 'gold files among the first 10',
  recall_all: 'gold files among all read',
  lines_cited: 'gold lines cited',
  lines_exact: 'cited lines that are gold',
  lines_read: 'gold lines read',
  contradicted_by_gold: 'claims that gold contradicts',
  steps: 'steps',
  tokens: 'tokens, as billed',
  cached_tokens: 'tokens from a cache',
  usd: 'dollars',
  ms: 'milliseconds',
};

const percentMeasures: ReadonlySet<Measure> = new Set([
  'right',
  'recall_1',
  'recall_5',
  'recall_10',
  'recall_all',
  'lines_cited',
  'lines_exact',
  'lines_read',
]);

function formatFigure(name: Measure, value: number, showsPlus = false): string {
  const sign = showsPlus && value > 0 ? '+' : '';
  if (percentMeasures.has(name)) return `${sign}${(value * 100).toFixed(1)} %`;
  if (name === 'usd') return `${sign}${value.toFixed(4)}`;
  return `${sign}${value.toFixed(Math.abs(value) < 100 ? 1 : 0)}`;
}

const formatInterval = (name: Measure, { low, high }: Estimate, showsPlus = false): string =>
  `${formatFigure(name, low, showsPlus)} to ${formatFigure(name, high, showsPlus)}`;

/** Formats the line that is printed when a question has been judged. */
export function formatRow({ id, right, status, error, tokens, ms }: RowRecord): string {
  const outcome =
    error === undefined ? (right === null ? 'not judged' : right ? 'right' : 'wrong') : 'failed';
  return `${outcome.padEnd(10)} ${shortLine(id, 60)}: ${error === undefined ? (status ?? '') : shortLine(error, 200)}, ${formatCount(tokens, 'token')}, ${ms} ms`;
}

export const formatUnasked = (questions: number): string =>
  `${formatCount(questions, 'question')} ${questions === 1 ? 'was' : 'were'} not asked`;

export function formatEvaluation({ out, summaries, rows, ended, left, header }: Evaluation): string {
  const endNotes = {
    done: [],
    budget: [`The budget ended; ${formatUnasked(left)}: continue with --resume and a larger budget.`],
    cancelled: [`Ended by Ctrl-C; ${formatUnasked(left)}: --resume continues.`],
  };
  const method = header.baseline ? ', with grep and file reading only' : '';
  return [
    ...summaries.map((summary) => formatSummary(summary, method)),
    ...summaries.flatMap((summary) => formatFailures(summary, rows)),
    ...endNotes[ended],
    `Each question: ${out}`,
  ].join('\n\n');
}

/** Reports failures, and says if all questions of a model failed, so that its figures mean nothing. */
function formatFailures(
  { model, rows: rowCount, failed }: Summary,
  rows: readonly RowRecord[],
): readonly string[] {
  const first = rows.find((row) => row.model === model && row.error !== undefined);
  if (first?.error === undefined) return [];
  const reason = `${shortLine(first.id, 60)}: ${shortLine(first.error, 500)}`;
  return failed === rowCount
    ? [`Nothing was measured: every question of ${model} failed, the first with ${reason}`]
    : [`The first of ${failed} that failed: ${reason}`];
}

/** For each measure: its name, mean, 95 % interval and number of questions. */
export const summaryRows = ({ figures }: Summary): string[][] =>
  measures.flatMap((name) => {
    const estimate = figures[name];
    return estimate === undefined
      ? []
      : [
          [
            measureNames[name],
            formatFigure(name, estimate.mean),
            formatInterval(name, estimate),
            `${estimate.n}`,
          ],
        ];
  });

export const listCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

function formatSummary(summary: Summary, method: string): string {
  const { model, rows, failed, claims, statuses, total_usd, total_tokens } = summary;
  return [
    `${model}${method}: ${formatCount(rows, 'question')}${failed === 0 ? '' : `, ${failed} failed and count as wrong`}`,
    ...alignColumns(summaryRows(summary).map(([name, mean, range, n]) => [name!, mean!, range!, `of ${n}`])),
    `  ended: ${listCounts(statuses)}`,
    ...(Object.keys(claims).length === 0 ? [] : [`  claims: ${listCounts(claims)}`]),
    `  in all: ${formatCount(total_tokens, 'token')}, ${total_usd.toFixed(4)} dollars`,
  ].join('\n');
}

/** For each measure: its name, mean, 95 % interval, and on how many questions B was higher and lower than A. */
export const differenceRows = ({ figures }: Difference): string[][] =>
  measures.flatMap((name) => {
    const estimate = figures[name];
    return estimate === undefined
      ? []
      : [
          [
            measureNames[name],
            formatFigure(name, estimate.mean, true),
            formatInterval(name, estimate, true),
            `${estimate.above}`,
            `${estimate.below}`,
          ],
        ];
  });

export function listOnlyRight({ only_a, only_b }: Difference): readonly string[] {
  return [
    ...(only_a.length === 0 ? [] : [`right only in A: ${listIds(only_a)}`]),
    ...(only_b.length === 0 ? [] : [`right only in B: ${listIds(only_b)}`]),
  ];
}

export function formatDifference(difference: Difference): string {
  const { a, b, rows } = difference;
  return [
    `B (${b}) minus A (${a}), over ${formatCount(rows, 'question')}`,
    ...alignColumns(
      differenceRows(difference).map(([name, mean, range, above, below]) => [
        ...[name!, mean!, range!],
        `B higher on ${above}, lower on ${below}`,
      ]),
    ),
    ...listOnlyRight(difference).map((line) => `  ${line}`),
  ].join('\n');
}

const maxListedIds = 20;
const listIds = (ids: readonly string[]): string =>
  ids.slice(0, maxListedIds).join(', ') +
  (ids.length > maxListedIds ? `, and ${ids.length - maxListedIds} more` : '');

function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = (column: number): number => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const widths = [0, 1, 2].map(width);
  return rows.map(([name = '', mean = '', range = '', rest = '']) =>
    `  ${name.padEnd(widths[0]!)}  ${mean.padStart(widths[1]!)}  ${range.padEnd(widths[2]!)}  ${rest}`.trimEnd(),
  );
}
