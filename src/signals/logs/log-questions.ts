/** The two questions that every source of logs answers: its lines, and its lines grouped by their shape. */
import { z } from 'zod';
import type { LogPattern, SignalFailure, SignalQuestion } from '../../core/index.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { chooseLines, type LineFilter, lineFilter } from './line-choice.ts';
import { minePatterns, weight } from './patterns.ts';
import type { LogRecord } from './record.ts';

/** A stretch of time to read, and what of the filter the source may use to read less. */
export interface Stretch extends Pick<LineFilter, 'service' | 'contains'> {
  /** Milliseconds since the Unix epoch, `to` exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface LogScan {
  readonly kind: 'scanned';
  /** The query as the source got it, without the times. */
  readonly query: string;
  /** Whether every line of the stretch was seen. */
  readonly whole: boolean;
  readonly notes: readonly string[];
}

/** Gives every entry of a stretch to `see`, in any order. Entries outside of it do no harm. */
export type Scan = (
  stretch: Stretch,
  see: (record: LogRecord) => void,
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
      const end = await scan({ from, to, service, contains }, choice.add, signal);
      if (end.kind === 'failure') return end;
      const only = bad === true ? ', warnings and errors' : '';
      return {
        kind: 'reading',
        query: `${end.query}${only}, ${time(from)} to ${time(to)}`,
        rows: { kind: 'lines', lines: choice.lines() },
        total: end.whole ? choice.total : null,
        completeness: end.whole ? 'complete' : 'partial',
        notes: [
          ...end.notes,
          ...(choice.untimed > 0 ? [`${choice.untimed} lines have no time that can be read.`] : []),
        ],
      };
    },
  });
}

/** Patterns with what there is to say of where they are from. */
export interface JoinedPatterns {
  readonly patterns: readonly LogPattern[];
  readonly notes: readonly string[];
}

/** Adds patterns that came from elsewhere, as far as the filter lets them through. */
export type Join = (
  mined: readonly LogPattern[],
  filter: Pick<LineFilter, 'service' | 'contains'>,
) => JoinedPatterns;

export function patternsQuestion(
  place: SystemSource,
  scan: Scan,
  join: Join = (patterns) => ({ patterns, notes: [] }),
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
      const wanted = lineFilter({ service, contains });
      let untimed = 0;
      const end = await scan(
        { from: baseline_from, to, service, contains },
        (record) => {
          const { at } = record;
          if (at === null) untimed++;
          else if (at < baseline_from || at >= to) return;
          if (wanted(record))
            miner.add(record.message, at, record.service, record.level, at !== null && at < from);
        },
        signal,
      );
      if (end.kind === 'failure') return end;
      const scale = from > baseline_from ? (to - from) / (from - baseline_from) : null;
      const { patterns, notes } = join(miner.patterns(scale), { service, contains });
      return {
        kind: 'reading',
        query: `${end.query}, patterns, ${time(from)} to ${time(to)} against ${time(baseline_from)} to ${time(from)}`,
        rows: {
          kind: 'patterns',
          patterns: patterns.toSorted((a, b) => weight(b) - weight(a)),
          lines: miner.lines,
        },
        completeness: end.whole && miner.forgotten === 0 ? 'complete' : 'partial',
        notes: [
          ...end.notes,
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
export function filterText({ service, contains }: Stretch): string {
  return `${service === undefined ? '' : `, service ${service}`}${contains === undefined ? '' : `, with ${JSON.stringify(contains)}`}`;
}
