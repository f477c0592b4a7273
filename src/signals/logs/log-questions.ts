/** The two questions that every source of logs answers: its lines, and its lines grouped by their shape. */
import { z } from 'zod';
import type { LogPattern, SignalFailure, SignalQuestion } from '../../core/index.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { chooseLines, type LineFilter, lineFilter } from './line-choice.ts';
import { minePatterns, patternWeight } from './patterns.ts';
import type { LogRecord } from './record.ts';

/** The time range to read, and the filters that the source may use to read less. */
export interface ScanRequest extends Pick<LineFilter, 'service' | 'contains'> {
  /** Milliseconds since the Unix epoch, `to` exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface LogScan {
  readonly kind: 'scanned';
  /** The query as the source got it, without the times. */
  readonly query: string;
  /** Whether every line of the time range was read. */
  readonly whole: boolean;
  readonly notes: readonly string[];
}

/** Calls `onRecord` with every entry of the requested time range, in any order. Entries outside of it are ignored. */
export type Scan = (
  request: ScanRequest,
  onRecord: (record: LogRecord) => void,
  signal: AbortSignal,
) => Promise<LogScan | SignalFailure>;

const service = z.string().min(1).optional().describe('Only of this service.');

export function linesQuestion(place: SystemSource, scan: Scan): SignalQuestion {
  return question(place, {
    name: `${place.system}_lines`,
    topic: 'logs',
    description: 'Log lines of the incident. Where there are too many, warnings and errors come first.',
    parameters: z.object({
      service,
      bad: z.boolean().optional().describe('Only warnings and errors.'),
      contains: z.string().min(1).optional().describe('Only lines that hold this text.'),
      calm: z.boolean().optional().describe('Lines of the calm before the incident instead.'),
    }),
    cost: 'reads the lines of the window',
    reach: 'baseline',
    read: async ({ service, bad, contains, calm }, { window, limits, signal }) => {
      const [from, to] = calm === true ? [window.baseline_from, window.from] : [window.from, window.to];
      const choice = chooseLines({ ...window, from, to }, { service, bad, contains }, limits.rows);
      const scanned = await scan({ from, to, service, contains }, choice.add, signal);
      if (scanned.kind === 'failure') return scanned;
      const levelText = bad === true ? ', warnings and errors' : '';
      return {
        kind: 'reading',
        query: `${scanned.query}${levelText}, ${time(from)} to ${time(to)}`,
        rows: { kind: 'lines', lines: choice.lines() },
        total: scanned.whole ? choice.total : null,
        completeness: scanned.whole ? 'complete' : 'partial',
        notes: [
          ...scanned.notes,
          ...(choice.untimed > 0 ? [`${choice.untimed} lines have no time that can be read.`] : []),
        ],
      };
    },
  });
}

/** Patterns, with notes on where they come from. */
export interface JoinedPatterns {
  readonly patterns: readonly LogPattern[];
  readonly notes: readonly string[];
}

/** Adds patterns from another source to the mined ones, as far as they fit the filter. */
export type JoinPatterns = (
  mined: readonly LogPattern[],
  filter: Pick<LineFilter, 'service' | 'contains'>,
) => JoinedPatterns;

export function patternsQuestion(
  place: SystemSource,
  scan: Scan,
  join: JoinPatterns = (patterns) => ({ patterns, notes: [] }),
): SignalQuestion {
  return question(place, {
    name: `${place.system}_patterns`,
    topic: 'logs',
    description:
      'Log lines grouped by their shape, with counts against the calm before; new and bad ones first. The way to see many lines.',
    parameters: z.object({
      service,
      contains: z.string().min(1).optional().describe('Only lines that hold this text.'),
    }),
    cost: 'reads the lines of the window and of the calm before it',
    reach: 'baseline',
    read: async ({ service, contains }, { window, signal }) => {
      const { baseline_from, from, to } = window;
      const miner = minePatterns();
      const isWanted = lineFilter({ service, contains });
      let untimed = 0;
      const scanned = await scan(
        { from: baseline_from, to, service, contains },
        (record) => {
          const { at } = record;
          if (at === null) untimed++;
          else if (at < baseline_from || at >= to) return;
          if (isWanted(record))
            miner.add(record.message, at, record.service, record.level, at !== null && at < from);
        },
        signal,
      );
      if (scanned.kind === 'failure') return scanned;
      const scale = from > baseline_from ? (to - from) / (from - baseline_from) : null;
      const { patterns, notes } = join(miner.patterns(scale), { service, contains });
      return {
        kind: 'reading',
        query: `${scanned.query}, patterns, ${time(from)} to ${time(to)} against ${time(baseline_from)} to ${time(from)}`,
        rows: {
          kind: 'patterns',
          patterns: patterns.toSorted((a, b) => patternWeight(b) - patternWeight(a)),
          lines: miner.lines,
        },
        completeness: scanned.whole && miner.forgotten === 0 ? 'complete' : 'partial',
        notes: [
          ...scanned.notes,
          ...notes,
          ...(miner.forgotten > 0
            ? [`${miner.forgotten} lines are of rare patterns that were given up.`]
            : []),
          ...(untimed > 0
            ? [`${untimed} lines have no time that can be read; they are counted as of the window.`]
            : []),
        ],
      };
    },
  });
}

/** The text that a filter adds to a query. */
export function filterText({ service, contains }: ScanRequest): string {
  return `${service === undefined ? '' : `, service ${service}`}${contains === undefined ? '' : `, with ${JSON.stringify(contains)}`}`;
}
