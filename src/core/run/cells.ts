/** The cells of an investigation for people to read, as far as they ran: code, calls and output. */
import type { LoggedEvent } from '../event.ts';
import { fenceText, formatCodeSpan, formatCount, plainLine } from '../text/plain-text.ts';

type LoggedOf<Kind> = Extract<LoggedEvent['event'], { kind: Kind }>;

interface Cell {
  readonly started: LoggedOf<'cell_started'>;
  readonly calls: LoggedOf<'helper_called'>[];
  finished: LoggedOf<'cell_finished'> | null;
}

/** One part of the log: the start or end of an investigation, or one of its cells. */
type LogPart = Cell | LoggedOf<'node_started'> | LoggedOf<'node_finished'>;

/**
 * Markdown in which no text of a cell can end its own block. Parallel investigations are in the order in which they
 * began.
 */
export function formatCells(log: readonly LoggedEvent[]): string {
  const parts: LogPart[] = [];
  const cells = new Map<string, Cell>();
  for (const { event } of log) {
    if (event.kind === 'node_started' || event.kind === 'node_finished') parts.push(event);
    else if (event.kind === 'cell_started') {
      const cell: Cell = { started: event, calls: [], finished: null };
      cells.set(event.cell, cell);
      parts.push(cell);
    } else if (event.kind === 'helper_called') cells.get(event.cell)?.calls.push(event);
    else if (event.kind === 'cell_finished') {
      const cell = cells.get(event.cell);
      if (cell !== undefined) cell.finished = event;
    }
  }
  if (parts.length === 0) return 'No cell ran.\n';
  return `${parts.map(partText).join('\n\n')}\n`;
}

/** One line for a report about the code that ran; empty for other kinds of runs. */
export function summarizeCells(log: readonly LoggedEvent[], run: string): readonly string[] {
  const started = log.filter(({ event }) => event.kind === 'cell_started').length;
  if (started === 0) return [];
  const finished = log.flatMap(({ event }) => (event.kind === 'cell_finished' ? [event] : []));
  const nested = log.filter(({ event }) => event.kind === 'node_started' && event.depth > 0).length;
  const amount = (count: number, name: string) =>
    `${count.toLocaleString('en-US')} ${name}${count === 1 ? '' : 's'}`;
  const parts = [
    `${amount(started, 'cell')} ran${nested === 0 ? '' : `, some of them in ${amount(nested, 'nested investigation')}`}`,
    ...(['error', 'killed'] as const).flatMap((outcome) => {
      const count = finished.filter((cell) => cell.outcome === outcome).length;
      return count === 0 ? [] : [`${count} ended by ${outcome === 'error' ? 'an error' : 'being killed'}`];
    }),
    `${amount(
      finished.reduce((sum, { fuel }) => sum + fuel, 0),
      'unit',
    )} of fuel`,
  ];
  return [
    `${parts.join('; ')}. Code, calls and output of each: ${formatCodeSpan(`sonde show ${run} --cells`)}.`,
  ];
}

function partText(part: LogPart): string {
  if ('started' in part) return cellText(part);
  if (part.kind === 'node_started')
    return `# ${plainLine(part.node)}, depth ${part.depth}\n\n${fenceText(part.prompt)}`;
  return `${formatCodeSpan(part.node)} ended: ${part.status}; ${formatCodeSpan(part.summary)}`;
}

/**
 * Maximum calls shown of one cell, since a loop may call thousands of times; if there are more, the first and the last
 * ones.
 */
const shownCalls = { all: 60, head: 40, tail: 10 } as const;

type Call = LoggedOf<'helper_called'>;

const callText = ({ helper, outcome, summary, bytes, wall_ms }: Call): string =>
  `- ${formatCodeSpan(helper)} ${outcome === 'ok' ? '' : '**refused** '}${formatCodeSpan(summary)}: ${bytes} bytes, ${wall_ms} ms`;

function formatOmittedCalls(calls: readonly Call[]): string {
  const parts = [...Map.groupBy(calls, ({ helper }) => helper)].map(([helper, helperCalls]) => {
    const refused = helperCalls.filter(({ outcome }) => outcome !== 'ok').length;
    const sum = (amountOf: (call: Call) => number) =>
      helperCalls.reduce((total, call) => total + amountOf(call), 0);
    return `${helperCalls.length} of ${formatCodeSpan(helper)} (${refused === 0 ? '' : `${refused} refused, `}${sum(({ bytes }) => bytes)} bytes, ${sum(({ wall_ms }) => wall_ms)} ms)`;
  });
  return `- … ${formatCount(calls.length, 'call')} more: ${parts.join(', ')}; each of them is in the trace (${formatCodeSpan('--trace')})`;
}

function cellText({ started, calls, finished }: Cell): string {
  const callLines =
    calls.length <= shownCalls.all
      ? calls.map(callText)
      : [
          ...calls.slice(0, shownCalls.head).map(callText),
          formatOmittedCalls(calls.slice(shownCalls.head, -shownCalls.tail)),
          ...calls.slice(-shownCalls.tail).map(callText),
        ];
  const end =
    finished === null
      ? 'It did not finish.'
      : `${finished.outcome}; ${formatCount(finished.bytes, 'byte')} printed, ${formatCount(finished.calls, 'call')}, ${formatCount(finished.fuel, 'unit')} of fuel, ${finished.wall_ms} ms.`;
  return [
    `## ${plainLine(started.cell)}`,
    fenceText(started.code),
    ...(callLines.length === 0 ? [] : [callLines.join('\n')]),
    end,
    ...(finished === null || finished.output === '' ? [] : [fenceText(finished.output)]),
  ].join('\n\n');
}
