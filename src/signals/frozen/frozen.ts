/** A frozen incident as a source of data: it answers the same questions as live systems, from the files of a folder. */
import { z } from 'zod';
import type { Clock, IncidentWindow, LogPattern, Series, Signal, SignalQuestion } from '../../core/index.ts';
import {
  filterText,
  type JoinPatterns,
  linesQuestion,
  patternsQuestion,
  type Scan,
} from '../logs/log-questions.ts';
import { readLogFile } from '../logs/read-file.ts';
import { question, type Reading, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { type FrozenFile, openFolder } from './folder.ts';
import { joinPatterns } from './join-patterns.ts';
import { alertOf } from './others.ts';
import { type FrozenParts, partOf, readParts } from './parts.ts';
import type { ReportLine } from './reports.ts';
import { statusRows, timesIn } from './status.ts';

export interface FrozenOptions {
  /** The incident's folder, or the `data` folder in it. */
  readonly folder: string;
  readonly clock: Clock;
}

export interface Frozen {
  readonly signal: Signal;
  /** The text of `alert.json`, or of `alert.txt`; null if there is none. */
  readonly alert: string | null;
  /**
   * From the first time in its metrics, changes, traces and logs to just after the last one. If these have no times,
   * those of all other files are used. Null if there are none at all.
   */
  readonly span: { readonly from: number; readonly to: number } | null;
  /** Files of the folder that were skipped, with the reason; one line each. */
  readonly notes: readonly string[];
}

const service = z.string().min(1).optional().describe('Only of this service.');

/** Throws `not_found` if there is no such folder. */
export async function openFrozen({ folder, clock }: FrozenOptions): Promise<Frozen> {
  const frozenFolder = await openFolder(folder);
  const parts = await readParts(frozenFolder);
  const logFiles = frozenFolder.files.filter((file) => partOf(file) === 'logs');
  const alertFile = frozenFolder.files.find((file) => partOf(file) === 'alert');
  const place: SystemSource = { system: 'frozen', source: 'frozen incident', clock };
  const loggedTimes = await Promise.all(logFiles.map(readLogTimes));
  const notes = [...parts.notes, ...loggedTimes.flatMap(({ note }) => note ?? [])];
  const questions = questionsOf(place, { ...parts, notes }, logFiles);
  const now = clock.now();
  // A recorded answer may contain its log lines as one text, so their times are in no field.
  const lineTimes = [...parts.reports.logs, ...parts.reports.events].flatMap(({ at }) => at ?? []);
  const recordedTimes = [
    ...parts.series.flatMap(({ points }) => [points[0]![0], points.at(-1)![0]]),
    ...parts.changes.map(({ at }) => at),
    ...parts.spans.map(({ at }) => at),
    ...loggedTimes.flatMap(({ times }) => times),
    ...[...parts.answered, ...lineTimes].filter((at) => at <= now),
  ];
  // Files of unknown kinds count only if there is nothing else: the meaning of their times is not known.
  const times =
    recordedTimes.length > 0
      ? recordedTimes
      : parts.others.flatMap(({ value }) => timesIn(value).filter((at) => at <= now));
  return Object.freeze({
    signal: Object.freeze({
      system: 'frozen',
      source: place.source,
      offers: `a frozen incident: ${questions.map(({ topic }) => topic).join(', ')}`,
      questions: Object.freeze(questions),
      notes,
      health: async () =>
        frozenFolder.files.length === 0
          ? ({
              kind: 'unhealthy',
              reason: 'The folder of the incident holds nothing that can be read.',
            } as const)
          : ({ kind: 'healthy', version: null } as const),
      close: async () => {},
    }),
    alert: alertFile === undefined ? null : await frozenFolder.readText(alertFile),
    // The number of files is not known: Math.min with a hundred thousand arguments would overflow the stack.
    span:
      times.length === 0
        ? null
        : { from: times.reduce((a, b) => Math.min(a, b)), to: times.reduce((a, b) => Math.max(a, b)) + 1 },
    notes,
  });
}

function questionsOf(
  place: SystemSource,
  parts: FrozenParts,
  logs: readonly FrozenFile[],
): readonly SignalQuestion[] {
  const { notes, reports } = parts;
  const scan = scanOf(logs, reports.logs, notes);
  const hasNoLogs = logs.length === 0 && reports.logs.length === 0;
  const toReading = (query: string, rows: Reading['rows'], extra: Partial<Reading> = {}): Reading => ({
    kind: 'reading',
    query,
    rows,
    ...extra,
    notes: [...notes, ...(extra.notes ?? [])],
  });
  const questions: (SignalQuestion | null)[] = [
    parts.alerts.length === 0
      ? null
      : question(place, {
          name: 'frozen_alerts',
          topic: 'alerts',
          description: 'The alert itself, as it was sent, with its threshold and what was observed.',
          parameters: z.object({}),
          cost: 'instant',
          reach: 'now',
          read: async () => toReading('alert', { kind: 'alerts', alerts: parts.alerts.map(alertOf) }),
        }),
    parts.series.length === 0
      ? null
      : question(place, {
          name: 'frozen_metrics',
          topic: 'metrics',
          description:
            'Metrics over the incident and the calm before it, those that changed first on top, each with its onset.',
          parameters: z.object({
            service,
            metric: z.string().min(1).optional().describe('Only metrics whose name holds this.'),
          }),
          cost: 'instant',
          reach: 'baseline',
          read: async ({ service, metric }, { window }) => {
            const series = parts.series.filter(
              (series) =>
                (service === undefined || isSameName(serviceOf(series), service)) &&
                (metric === undefined || series.name.toLowerCase().includes(metric.toLowerCase())),
            );
            return toReading(`metrics ${describeArguments({ service, metric })}${windowText(window)}`, {
              kind: 'series',
              series,
            });
          },
        }),
    hasNoLogs ? null : linesQuestion(place, scan),
    hasNoLogs && parts.patterns.length === 0
      ? null
      : patternsQuestion(place, scan, joinGivenPatterns(parts.patterns)),
    parts.spans.length === 0
      ? null
      : question(place, {
          name: 'frozen_traces',
          topic: 'traces',
          description: 'Spans of traced requests, failed ones and slow ones first.',
          parameters: z.object({
            service,
            trace: z.string().min(1).optional().describe('Only of this trace.'),
            failed: z.boolean().optional().describe('Only those that failed.'),
          }),
          cost: 'instant',
          reach: 'baseline',
          read: async ({ service, trace, failed }, { window, limits }) => {
            const spans = parts.spans.filter(
              (span) =>
                (service === undefined || isSameName(span.service, service)) &&
                (trace === undefined || span.trace === trace) &&
                (failed !== true || span.failed),
            );
            const chosen =
              spans.length <= limits.rows
                ? spans
                : spans
                    .toSorted((a, b) => Number(b.failed) - Number(a.failed) || b.duration_ms - a.duration_ms)
                    .slice(0, limits.rows);
            return toReading(
              `traces ${describeArguments({ service, trace, failed })}${windowText(window)}`,
              { kind: 'spans', spans: chosen },
              { total: spans.length },
            );
          },
        }),
    parts.changes.length === 0
      ? null
      : question(place, {
          name: 'frozen_changes',
          topic: 'changes',
          description:
            'Commits with their diffs, deploys with the commits they brought, flags and settings that were changed; newest first.',
          parameters: z.object({
            service,
            kind: z.enum(['commit', 'deploy', 'flag', 'rollout', 'config']).optional(),
            commit: z
              .string()
              .min(4)
              .optional()
              .describe('Only this commit, and the deploys that brought it.'),
            path: z.string().min(1).optional().describe('Only commits that touched a path that holds this.'),
          }),
          cost: 'instant',
          // Also long past changes: a change that causes a leak, for example, shows its effect only days later.
          reach: 'past',
          read: async ({ service, kind, commit, path }, { window }) => {
            const changes = parts.changes.filter(
              (change) =>
                (service === undefined || change.service === null || isSameName(change.service, service)) &&
                (kind === undefined || change.kind === kind) &&
                (commit === undefined || change.commits.some((id) => id.startsWith(commit))) &&
                (path === undefined || change.paths.some((changed) => changed.includes(path))),
            );
            return toReading(
              `changes ${describeArguments({ service, kind, commit, path })}${windowText(window)}`,
              { kind: 'changes', changes },
              {
                notes: service === undefined ? [] : ['Changes without a known service are listed too.'],
              },
            );
          },
        }),
    reports.events.length === 0
      ? null
      : question(place, {
          name: 'frozen_events',
          topic: 'objects',
          description:
            'What happened to objects, as their systems told it: pods, nodes, databases, machines.',
          parameters: z.object({
            contains: z.string().min(1).optional().describe('Only of objects whose name holds this.'),
          }),
          cost: 'instant',
          reach: 'baseline',
          read: async ({ contains }, { window }) =>
            toReading(`events ${describeArguments({ contains })}${windowText(window)}`, {
              kind: 'lines',
              lines: reports.events
                .filter(({ service }) => contains === undefined || service?.includes(contains) === true)
                .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)),
            }),
        }),
    reports.objects.length === 0
      ? null
      : question(place, {
          name: 'frozen_objects',
          topic: 'objects',
          description: 'Objects as they were when they were looked at: phase, readiness, conditions, counts.',
          parameters: z.object({
            contains: z.string().min(1).optional().describe('Only objects that hold this.'),
          }),
          cost: 'instant',
          reach: 'now',
          read: async ({ contains }) =>
            toReading(`objects ${describeArguments({ contains })}`, {
              kind: 'table',
              rows: reports.objects.filter(
                (row) => contains === undefined || JSON.stringify(row).includes(contains),
              ),
            }),
        }),
    reports.monitors.length === 0
      ? null
      : question(place, {
          name: 'frozen_monitors',
          topic: 'alerts',
          description: 'The monitors of the incident, and which of them fire.',
          parameters: z.object({}),
          cost: 'instant',
          reach: 'now',
          read: async () => toReading('monitors', { kind: 'alerts', alerts: reports.monitors.map(alertOf) }),
        }),
    parts.others.length === 0
      ? null
      : question(place, {
          name: 'frozen_status',
          topic: 'errors',
          description:
            'Anything else that was kept: status pages of providers, incidents of others, tickets.',
          parameters: z.object({}),
          cost: 'instant',
          reach: 'now',
          read: async (_, { window }) =>
            toReading(`other files until ${time(window.to)}`, {
              kind: 'table',
              rows: parts.others.flatMap(({ path, value }) => statusRows(path, value, window.to)),
            }),
        }),
  ];
  return questions.filter((signalQuestion) => signalQuestion !== null);
}

/**
 * The first and the last time in a log, and a note if some entries have no time. An unreadable log yields no times
 * here; the questions that read it report the failure.
 */
async function readLogTimes({
  path,
  place,
}: FrozenFile): Promise<{ readonly times: readonly number[]; readonly note: string | null }> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [entries, untimed] = [0, 0];
  await readLogFile(place, ({ at }) => {
    entries++;
    if (at === null) untimed++;
    else [first, last] = [Math.min(first, at), Math.max(last, at)];
    return 'more';
  }).catch(() => {});
  return {
    times: [first, last].filter(Number.isFinite),
    note:
      untimed === 0
        ? null
        : untimed === entries
          ? `Nothing in ${path} has a time that can be read: its lines count as of the time of the incident.`
          : `${untimed} of ${entries} entries of ${path} have no time that can be read, and count as of the time of the incident.`,
  };
}

/** Makes a scan that reads all logs, one after another. A log that cannot be read becomes a note. */
function scanOf(
  logs: readonly FrozenFile[],
  reportLines: readonly ReportLine[],
  notes: readonly string[],
): Scan {
  return async (filter, onRecord, signal) => {
    const failureNotes: string[] = [];
    for (const { at, service, level, text } of reportLines)
      onRecord({ at, service, level, message: text, fields: {} });
    for (const { path, place } of logs)
      await readLogFile(
        place,
        (record) => {
          onRecord(record);
          return 'more';
        },
        signal,
      ).catch(() => failureNotes.push(`${path} could not be read to its end.`));
    return {
      kind: 'scanned',
      query: `logs${filterText(filter)}`,
      whole: failureNotes.length === 0,
      notes: [...notes, ...failureNotes],
    };
  };
}

/**
 * Joins the patterns recorded with the incident to those mined from its logs. The recorded ones were counted over more
 * lines than the logs contain, and some have no line in the logs.
 */
function joinGivenPatterns(logPatterns: readonly LogPattern[]): JoinPatterns {
  return (mined, { service, contains }) => {
    const text = contains?.toLowerCase();
    const matchingPatterns = logPatterns.filter(
      ({ service: patternService, template, example }) =>
        (service === undefined || isSameName(patternService, service)) &&
        (text === undefined || `${template}\n${example}`.toLowerCase().includes(text)),
    );
    const patterns = joinPatterns(matchingPatterns, mined);
    // `joinPatterns` returns a pattern unchanged if the logs contain no line of it.
    const unmatchedPatterns = patterns.filter((logPattern) => matchingPatterns.includes(logPattern));
    const names = unmatchedPatterns.slice(0, 3).map(({ template }) => JSON.stringify(template.slice(0, 80)));
    const moreText =
      unmatchedPatterns.length > names.length ? ` and ${unmatchedPatterns.length - names.length} more` : '';
    return {
      patterns,
      notes:
        unmatchedPatterns.length === 0
          ? []
          : [
              `Patterns that were counted, but of which these logs contain no line: ${names.join(', ')}${moreText}.`,
            ],
    };
  };
}

function serviceOf({ labels }: Series): string {
  return labels['service'] ?? labels['job'] ?? labels['app'] ?? labels['component'] ?? '';
}

/** Whether two names are equal, ignoring case. */
function isSameName(a: string | null, b: string): boolean {
  return a !== null && a.toLowerCase() === b.toLowerCase();
}

function describeArguments(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)} `)
    .join('');
}

function windowText(window: IncidentWindow): string {
  return `from ${time(window.baseline_from)} to ${time(window.to)}`;
}
