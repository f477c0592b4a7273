/** Reads the parts of a frozen incident, by the names of its files. Unreadable parts become notes. */
import type { Change, LogPattern, Series, Span } from '../../core/index.ts';
import { changeKind, changesOf } from './changes.ts';
import type { FrozenFile, FrozenFolder } from './folder.ts';
import { seriesOfCsv, seriesOfJson } from './metrics.ts';
import { readGivenPatterns, spansOf } from './others.ts';
import { noReports, type Reports, reportsOf } from './reports.ts';
import { timesIn } from './status.ts';
import { itemsOf, type JsonObject } from './values.ts';

type PartKind = 'alert' | 'logs' | 'metrics' | 'traces' | 'patterns' | 'changes' | 'report' | 'other';

/** Names of files that hold the answer of a cloud system, such as `eks_describe_pods.json`. */
const reportName = /^(?:eks|k8s|kube\w*|aws|rds|ec2|elb|ecs|datadog|gcp|gke|azure|aks)_\w+\.json$/;

/** Names of files from outside the own systems: status pages of providers, incidents of others, tickets. */
const externalName = /status|incident|ticket|feed|provider|vendor/i;

export interface FrozenParts {
  readonly series: readonly Series[];
  readonly spans: readonly Span[];
  readonly changes: readonly Change[];
  readonly patterns: readonly LogPattern[];
  readonly alerts: readonly JsonObject[];
  readonly others: readonly { readonly path: string; readonly value: unknown }[];
  readonly reports: Reports;
  /** All times in the reports. Milliseconds since the Unix epoch. */
  readonly answered: readonly number[];
  readonly notes: readonly string[];
}

/** The part that a file belongs to, from its name; null if the name is unknown. */
export function partOf({ path }: FrozenFile): PartKind | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const bareName = name.replace(/\.gz$/, '');
  if (/^alerts?\.(json|txt)$/.test(bareName)) return 'alert';
  if (/\.csv$/.test(bareName)) return 'metrics';
  if (
    /\.(log|txt)$/.test(bareName) ||
    /^logs?\b.*\.(nd)?jsonl?$/.test(bareName) ||
    /log.*\.(ndjson|jsonl)$/.test(bareName)
  )
    return 'logs';
  if (!/\.(nd)?jsonl?$/.test(bareName)) return null;
  if (reportName.test(bareName)) return 'report';
  if (/metric|series/.test(bareName)) return 'metrics';
  if (/trace|span/.test(bareName)) return 'traces';
  if (/pattern|signature/.test(bareName)) return 'patterns';
  return changeKind(path) === null ? 'other' : 'changes';
}

export async function readParts(folder: FrozenFolder): Promise<FrozenParts> {
  const notes = [...folder.notes];
  const textByFile = new Map<FrozenFile, string>();
  for (const file of folder.files) {
    const part = partOf(file);
    if (part === null)
      notes.push(
        `${file.path} is not looked at: its name is not one of the known names of an incident’s files.`,
      );
    if (part === null || part === 'logs') continue;
    try {
      textByFile.set(file, await folder.readText(file));
    } catch {
      notes.push(`${file.path} could not be read.`);
    }
  }
  const partTexts = (part: PartKind) => [...textByFile].filter(([file]) => partOf(file) === part);
  const partItems = (part: PartKind) => partTexts(part).flatMap(([, text]) => itemsOf(text));
  const noteUnknownForm = ({ path }: FrozenFile): void =>
    void notes.push(`${path} is left out: nothing in it has a form that is known.`);
  const others = partTexts('other').flatMap(([file, text]) => {
    const value = jsonOf(text);
    if (value === undefined) noteUnknownForm(file);
    else if (!externalName.test(file.path))
      notes.push(`${file.path} is shown as it is: its name does not say what it holds.`);
    return value === undefined ? [] : [{ path: file.path, value }];
  });
  const answerReports = partTexts('report').map(([file, text]) => {
    const value = jsonOf(text);
    if (value === undefined) noteUnknownForm(file);
    return { path: file.path, value, reports: value === undefined ? noReports : reportsOf(file.path, value) };
  });
  const allReports = <Key extends keyof Reports>(key: Key) =>
    answerReports.flatMap(({ reports }) => reports[key] as readonly Reports[Key][number][]);
  const metrics = partTexts('metrics').flatMap(([file, text]) => {
    const series = file.path.endsWith('.csv')
      ? seriesOfCsv(text)
      : seriesOfJson(jsonOf(text) ?? itemsOf(text));
    if (series.length === 0) noteUnknownForm(file);
    return series;
  });
  for (const [file, text] of [...partTexts('changes'), ...partTexts('traces'), ...partTexts('patterns')])
    if (itemsOf(text).length === 0 && text.trim() !== '[]') noteUnknownForm(file);
  return {
    series: [
      ...metrics,
      ...[...others, ...answerReports].flatMap(({ value }) => seriesOfJson(value)),
      ...allReports('series'),
    ],
    spans: spansOf(partItems('traces')),
    changes: changesOf(partTexts('changes').map(([{ path }, text]) => ({ path, items: itemsOf(text) }))),
    patterns: readGivenPatterns(partItems('patterns')),
    alerts: partItems('alert'),
    others,
    reports: {
      logs: allReports('logs'),
      events: allReports('events'),
      objects: allReports('objects'),
      series: [],
      monitors: allReports('monitors'),
    },
    answered: answerReports.flatMap(({ value }) => timesIn(value)),
    notes,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
