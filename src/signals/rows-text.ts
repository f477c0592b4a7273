/** Rows of every shape as lines of text for a reader, within a number of bytes. */
import { formatShortNumber } from '../core/incidents.ts';
import { type LogLine, plainLine, type SignalRows, shortLine, toPlainText } from '../core/index.ts';
import { seriesLines, time } from './series-text.ts';

/** Characters of a row in the text. The rows themselves are not cut. */
const maxLineLength = 600;
const maxDiffLength = 6_000;

export interface RowsText {
  readonly text: string;
  /** How many rows the text shows. */
  readonly shown: number;
}

export function rowsText(rows: SignalRows, bytes: number): RowsText {
  const blocks = toBlocks(rows, bytes);
  if (blocks.length === 0) return { text: emptyText(rows.kind), shown: 0 };
  const head = rows.kind === 'patterns' ? [`${rows.lines} lines in ${rows.patterns.length} patterns.`] : [];
  // Leaves room for the note about rows that are not shown.
  let left = bytes - 60 - Buffer.byteLength(head.join('\n'));
  const fitting = new Set<Block>();
  for (const block of rows.kind === 'lines' ? bySeverity(rows.lines, blocks) : blocks) {
    left -= Buffer.byteLength(block.text) + 1;
    if (left < 0) break;
    fitting.add(block);
  }
  const shown = blocks.filter((block) => fitting.has(block));
  const rest = blocks.length - shown.length;
  return {
    text: [
      ...head,
      ...shown.map(({ text }) => text),
      ...(rest > 0 ? [`[${rest} of ${blocks.length} not shown here]`] : []),
    ].join('\n'),
    shown: shown.reduce((sum, { rows: count }) => sum + count, 0),
  };
}

/** Orders lines by severity, so that a small text holds the worst. They are shown in the order of time. */
function bySeverity(lines: readonly LogLine[], blocks: readonly Block[]): readonly Block[] {
  const rank = (level: string | null): number =>
    level === 'FATAL' || level === 'ERROR' ? 0 : level === 'WARN' ? 1 : 2;
  return blocks
    .map((block, k) => ({ block, rank: rank(lines[k]!.level) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ block }) => block);
}

interface Block {
  readonly text: string;
  readonly rows: number;
}

function toBlocks(rows: SignalRows, bytes: number): readonly Block[] {
  const singleRow = (text: string): Block => ({ text, rows: 1 });
  switch (rows.kind) {
    case 'series':
      return rows.series.map((series) => ({
        text: seriesLines(series).join('\n'),
        rows: series.points.length,
      }));
    case 'lines':
      return rows.lines.map(({ at, service, level, text }) =>
        singleRow(joinParts(at === null ? '-' : time(at), service, level, shortLine(text, maxLineLength))),
      );
    case 'patterns':
      return rows.patterns.map((pattern) =>
        singleRow(
          `${joinParts(`${pattern.count}x`, baselineText(pattern.baseline), pattern.service, pattern.level, shortLine(pattern.template, maxLineLength))}${timeSpanText(pattern.first, pattern.last)}`,
        ),
      );
    case 'changes': {
      // Diffs are cut so that every change is named.
      const perDiff = Math.max(200, Math.min(maxDiffLength, bytes / (rows.changes.length + 1) - 250));
      return rows.changes.map((change) => {
        const what = joinParts(
          time(change.at),
          change.kind,
          change.service,
          change.id,
          change.author && `by ${change.author}`,
        );
        const otherCommits = change.commits.filter((commit) => commit !== change.id);
        return singleRow(
          [
            `${what}: ${shortLine(change.title, 300)}`,
            ...(otherCommits.length > 0 ? [`  commits ${otherCommits.join(' ')}`] : []),
            ...(change.paths.length > 0 ? [`  ${shortLine(change.paths.join(' '), maxLineLength)}`] : []),
            ...(change.diff === null
              ? change.kind === 'commit'
                ? ['  (its diff was not read)']
                : []
              : [indentDiff(toPlainText(change.diff), perDiff)]),
          ].join('\n'),
        );
      });
    }
    case 'spans':
      return rows.spans.map((timeSpanText) =>
        singleRow(
          `${joinParts(time(timeSpanText.at), `trace ${timeSpanText.trace}`, `span ${timeSpanText.id}${timeSpanText.parent === null ? '' : ` of ${timeSpanText.parent}`}`, timeSpanText.service, timeSpanText.name)} ${formatShortNumber(timeSpanText.duration_ms)} ms ${timeSpanText.failed ? 'FAILED' : 'ok'}${fieldsText(timeSpanText.attributes)}`,
        ),
      );
    case 'alerts':
      return rows.alerts.map((alert) =>
        singleRow(
          `${joinParts(alert.state, alert.since === null ? null : `since ${time(alert.since)}`, alert.name)}${fieldsText(alert.labels)}${fieldsText(alert.annotations)}${alert.query === null ? '' : ` query: ${plainLine(alert.query)}`}`,
        ),
      );
    case 'table':
      return rows.rows.map((row) => singleRow(shortLine(fieldsText(row), 2_000)));
  }
}

function joinParts(...parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== '')
    .map((part) => plainLine(part!))
    .join(' ');
}

function baselineText(baseline: number | null): string {
  return baseline === null
    ? ''
    : baseline === 0
      ? '(new)'
      : `(calm ${formatShortNumber(Math.round(baseline * 10) / 10)}x)`;
}

function timeSpanText(first: number | null, last: number | null): string {
  return first === null || last === null ? '' : ` [${time(first)} to ${time(last)}]`;
}

function fieldsText(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
      return ` ${plainLine(name)}=${/[\s"=]/.test(text) && typeof value === 'string' ? JSON.stringify(plainLine(text)) : plainLine(text)}`;
    })
    .join('');
}

function indentDiff(diff: string, max: number): string {
  const cut = diff.length > max ? `${diff.slice(0, max)}\n[the diff goes on]` : diff;
  return cut
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function emptyText(kind: SignalRows['kind']): string {
  return kind === 'table' ? 'Nothing was found.' : `No ${kind} were found.`;
}
