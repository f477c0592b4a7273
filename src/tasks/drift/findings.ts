/** The changes that a recorded answer shows, each as a line of its document. */
import { type IncidentWindow, type Observation, plainLine, shortLine } from '../../core/index.ts';
import type { RecordedDocument } from '../incident/gather/documents.ts';
import {
  type Course,
  computeCourse,
  formatCourse,
  formatSeriesName,
  formatTime,
  rateImportance,
} from './course.ts';

export interface Finding {
  readonly text: string;
  /** Id of the evidence that contains it. */
  readonly evidence: string;
  readonly weight: number;
}

export interface Findings {
  readonly moved: readonly Finding[];
  /** One line about everything that did not change; null if there was nothing else. */
  readonly rest: Finding | null;
}

type Rows = Observation['rows'];

interface WeightedLine {
  readonly text: string;
  readonly weight: number;
  /** The number of the row, if each row is evidence of its own. */
  readonly row: number;
}

interface DriftFindings {
  readonly lines: readonly WeightedLine[];
  readonly steady: number;
  readonly unknown: number;
}

/** Maximum characters of a line about anything but a series. */
const maxLineLength = 200;
/** Maximum lines that the program adds at the head of a document. */
const maxComputedLines = 40;
/** Fewer log lines than this may be chance. */
const minCount = 10;
const minGrowth = 3;

/** The lines for the head of the document, so that findings can be cited. */
export const computeDrift = (rows: Rows, window: IncidentWindow): readonly string[] => {
  const driftFindings = findChanges(rows, window);
  const rest = formatRest(rows, driftFindings);
  if (driftFindings.lines.length === 0 && rest === null) return [];
  return [
    'computed from all rows, next to the same hours before:',
    ...driftFindings.lines.slice(0, maxComputedLines).map(({ text }) => text),
    ...(rest === null ? [] : [rest]),
  ];
};

const nouns = { series: 'series', patterns: 'log patterns' } as const;

function formatRest({ kind }: Rows, { lines, steady, unknown }: DriftFindings): string | null {
  if (kind === 'changes') return lines.length === 0 ? 'nothing was changed' : null;
  if (kind === 'alerts') {
    const began = lines.length === 0 ? 'no alert began since' : `${lines.length} alerts began since`;
    return steady === 0 ? began : `${began}; ${steady} stand from before`;
  }
  if ((kind !== 'series' && kind !== 'patterns') || steady + unknown === 0) return null;
  const little = unknown === 0 ? '' : `; of ${unknown} too little is known of the time before`;
  return `${steady} ${nouns[kind]} did not move${little}`;
}

export function findingsIn({ rows, window, evidence, rowEvidence }: RecordedDocument): Findings {
  const driftFindings = findChanges(rows, window);
  const { lines } = driftFindings;
  const [id] = evidence;
  const rest = formatRest(rows, driftFindings);
  // Lines beyond the head of the document can't be cited.
  const moved = (rows.kind === 'changes' ? lines : lines.slice(0, maxComputedLines)).flatMap(
    ({ text, weight, row }): readonly Finding[] => {
      const evidenceId = rowEvidence[row] ?? id;
      return evidenceId === undefined ? [] : [{ text, weight, evidence: evidenceId }];
    },
  );
  return { moved, rest: rest === null || id === undefined ? null : { text: rest, weight: 0, evidence: id } };
}

const noFindings: DriftFindings = { lines: [], steady: 0, unknown: 0 };

function findChanges(rows: Rows, window: IncidentWindow): DriftFindings {
  switch (rows.kind) {
    case 'series': {
      const all = rows.series.map((series) => ({ series, course: computeCourse(series, window) }));
      // Without points from before, no series can be new.
      const hasPast = rows.series.some(({ points }) => points.some(([at]) => at < window.from));
      const count = (kind: Course['kind']): number => all.filter(({ course }) => course.kind === kind).length;
      const lines = all
        .filter(({ course }) => hasPast || course.kind !== 'appeared')
        .flatMap(({ series, course }): readonly WeightedLine[] => {
          const text = formatCourse(series, course);
          return text === null ? [] : [{ text, weight: rateImportance(course), row: 0 }];
        });
      return {
        lines: sortByWeight(lines),
        steady: count('steady'),
        unknown: count('unknown') + (hasPast ? 0 : count('appeared')),
      };
    }
    case 'patterns': {
      const lines = rows.patterns.flatMap(
        ({ template, service, count, baseline }): readonly WeightedLine[] => {
          if (baseline === null || count < minCount || count < minGrowth * baseline) return [];
          const ofService = service === null ? '' : ` of ${service}`;
          const before = baseline < 1 ? 'never before' : `${Math.round(baseline)} before`;
          const text = shortenText(`log line${ofService} ${count} times, ${before}: ${template}`);
          return [{ text, weight: Math.min(50, count / Math.max(1, baseline)), row: 0 }];
        },
      );
      return { lines: sortByWeight(lines), steady: rows.patterns.length - lines.length, unknown: 0 };
    }
    case 'alerts': {
      const lines = rows.alerts.flatMap(({ name, state, since, labels }): readonly WeightedLine[] =>
        state === 'resolved' || since === null || since < window.from
          ? []
          : [
              {
                text: shortenText(
                  `alert ${formatSeriesName({ name, labels: pickKeyLabels(labels) })}: ${state} since ${formatTime(since)}`,
                ),
                weight: 90,
                row: 0,
              },
            ],
      );
      return { lines, steady: rows.alerts.length - lines.length, unknown: 0 };
    }
    case 'changes':
      return {
        ...noFindings,
        lines: rows.changes.flatMap(
          ({ kind, id, at, service, author, title }, row): readonly WeightedLine[] => {
            if (at < window.from) return [];
            // The prefix with which the document begins the lines of a change.
            const origin = `${service === null ? '' : ` of ${service}`}${author === null ? '' : ` by ${author}`}`;
            return [
              { text: shortenText(`${kind} ${id} at ${formatTime(at)}${origin}: ${title}`), weight: 10, row },
            ];
          },
        ),
      };
    default:
      return noFindings;
  }
}

const sortByWeight = (lines: readonly WeightedLine[]): readonly WeightedLine[] =>
  lines.toSorted((a, b) => b.weight - a.weight);
const shortenText = (text: string): string => shortLine(plainLine(text), maxLineLength);

const pickKeyLabels = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => name !== 'alertname')
      .slice(0, 3),
  );
