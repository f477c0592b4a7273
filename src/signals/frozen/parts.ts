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
const isReport = /^(?:eks|k8s|kube\w*|aws|rds|ec2|elb|ecs|datadog|gcp|gke|azure|aks)_\w+\.json$/;

/** Names of what is no system's own record, and is kept beside it. */
const namesOthers = /status|incident|ticket|feed|provider|vendor/i;

export interface FrozenParts {
  readonly series: readonly Series[];
  readonly spans: readonly Span[];
  readonly changes: readonly Change[];
  readonly patterns: readonly LogPattern[];
  readonly alerts: readonly JsonObject[];
  readonly others: readonly { readonly path: string; readonly value: unknown }[];
  readonly reports: Reports;
  /** The times of those answers. Milliseconds since the Unix epoch. */
  readonly answered: readonly number[];
  readonly notes: readonly string[];
}

export function partOf({ path }: FrozenFile): PartKind | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const bare = name.replace(/\.gz$/, '');
  if (/^alerts?\.(json|txt)$/.test(bare)) return 'alert';
  if (/\.csv$/.test(bare)) return 'metrics';
  if (
    /\.(log|txt)$/.test(bare) ||
    /^logs?\b.*\.(nd)?jsonl?$/.test(bare) ||
    /log.*\.(ndjson|jsonl)$/.test(bare)
  )
    return 'logs';
  if (!/\.(nd)?jsonl?$/.test(bare)) return null;
  if (isReport.test(bare)) return 'report';
  if (/metric|series/.test(bare)) return 'metrics';
  if (/trace|span/.test(bare)) return 'traces';
  if (/pattern|signature/.test(bare)) return 'patterns';
  return changeKind(path) === null ? 'other' : 'changes';
}

export async function readParts(folder: FrozenFolder): Promise<FrozenParts> {
  const notes = [...folder.notes];
  const texts = new Map<FrozenFile, string>();
  for (const file of folder.files) {
    const part = partOf(file);
    if (part === null)
      notes.push(
        `${file.path} is not looked at: its name is not one of the known names of an incident’s files.`,
      );
    if (part === null || part === 'logs') continue;
    try {
      texts.set(file, await folder.readText(file));
    } catch {
      notes.push(`${file.path} could not be read.`);
    }
  }
  const of = (part: PartKind) => [...texts].filter(([file]) => partOf(file) === part);
  const items = (part: PartKind) => of(part).flatMap(([, text]) => itemsOf(text));
  const noteUnread = ({ path }: FrozenFile): void =>
    void notes.push(`${path} is left out: nothing in it has a form that is known.`);
  const others = of('other').flatMap(([file, text]) => {
    const value = jsonOf(text);
    if (value === undefined) noteUnread(file);
    else if (!namesOthers.test(file.path))
      notes.push(`${file.path} is shown as it is: its name does not say what it holds.`);
    return value === undefined ? [] : [{ path: file.path, value }];
  });
  const answers = of('report').map(([file, text]) => {
    const value = jsonOf(text);
    if (value === undefined) noteUnread(file);
    return { path: file.path, value, reports: value === undefined ? noReports : reportsOf(file.path, value) };
  });
  const all = <Key extends keyof Reports>(key: Key) =>
    answers.flatMap(({ reports }) => reports[key] as readonly Reports[Key][number][]);
  const metrics = of('metrics').flatMap(([file, text]) => {
    const series = file.path.endsWith('.csv')
      ? seriesOfCsv(text)
      : seriesOfJson(jsonOf(text) ?? itemsOf(text));
    if (series.length === 0) noteUnread(file);
    return series;
  });
  for (const [file, text] of [...of('changes'), ...of('traces'), ...of('patterns')])
    if (itemsOf(text).length === 0 && text.trim() !== '[]') noteUnread(file);
  return {
    series: [
      ...metrics,
      ...[...others, ...answers].flatMap(({ value }) => seriesOfJson(value)),
      ...all('series'),
    ],
    spans: spansOf(items('traces')),
    changes: changesOf(of('changes').map(([{ path }, text]) => ({ path, items: itemsOf(text) }))),
    patterns: readGivenPatterns(items('patterns')),
    alerts: items('alert'),
    others,
    reports: {
      logs: all('logs'),
      events: all('events'),
      objects: all('objects'),
      series: [],
      monitors: all('monitors'),
    },
    answered: answers.flatMap(({ value }) => timesIn(value)),
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
