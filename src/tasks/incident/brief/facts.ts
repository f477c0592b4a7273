/** The recorded observations by kind, each with its evidence. */
import type {
  AlertState,
  Change,
  LogLine,
  LogPattern,
  Observation,
  Series,
  Span,
} from '../../../core/index.ts';

/** An observation, and where it comes from. */
export type WithEvidence<Item> = Item & {
  /** The id of its evidence. */
  readonly evidence: string;
};

export interface Facts {
  readonly series: readonly WithEvidence<Series>[];
  readonly lines: readonly WithEvidence<LogLine>[];
  readonly patterns: readonly WithEvidence<LogPattern>[];
  readonly changes: readonly WithEvidence<Change>[];
  readonly spans: readonly WithEvidence<Span>[];
  readonly alerts: readonly WithEvidence<AlertState>[];
  /** Texts without a known form, such as the feed of a status page. */
  readonly texts: readonly { readonly text: string; readonly evidence: string }[];
  /** Tables of objects and their states. */
  readonly tables: readonly {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly evidence: string;
  }[];
}

/** An observation with its evidence. */
export interface ObservedRows {
  readonly rows: Observation['rows'];
  readonly text: string;
  /** The evidence of the row with that number; each change has its own. */
  readonly evidenceOf: (row: number) => string;
}

/**
 * Maximum length of a line of a diff, in characters. Longer lines are generated or minified. They tie a change to
 * nothing, and the rules' patterns would take minutes for one of them.
 */
const maxDiffLineLength = 1_000;

/** The change with the long lines of its diff cut. */
export function cutLongLines(change: Change): Change {
  const lines = change.diff?.split('\n') ?? [];
  // Not by a pattern, which overflows the stack for a line of some megabytes.
  if (lines.every(({ length }) => length <= maxDiffLineLength)) return change;
  return { ...change, diff: lines.map((line) => line.slice(0, maxDiffLineLength)).join('\n') };
}

const noFacts: Facts = {
  series: [],
  lines: [],
  patterns: [],
  changes: [],
  spans: [],
  alerts: [],
  texts: [],
  tables: [],
};

/** Facts in the order of observation; repeated observations count once. */
export function collectFacts(observed: readonly ObservedRows[]): Facts {
  const facts = structuredClone(noFacts) as { -readonly [Kind in keyof Facts]: Facts[Kind][number][] };
  for (const { rows, text, evidenceOf } of observed) {
    const withEvidence = <Item>(items: readonly Item[]): WithEvidence<Item>[] =>
      items.map((item, row) => ({ ...item, evidence: evidenceOf(row) }));
    switch (rows.kind) {
      case 'series':
        facts.series.push(...withEvidence(rows.series));
        break;
      case 'lines':
        facts.lines.push(...withEvidence(rows.lines));
        break;
      case 'patterns':
        facts.patterns.push(...withEvidence(rows.patterns));
        break;
      case 'changes':
        facts.changes.push(...withEvidence(rows.changes.map(cutLongLines)));
        break;
      case 'spans':
        facts.spans.push(...withEvidence(rows.spans));
        break;
      case 'alerts':
        facts.alerts.push(...withEvidence(rows.alerts));
        break;
      case 'table':
        facts.texts.push({ text, evidence: evidenceOf(0) });
        facts.tables.push({ rows: rows.rows, evidence: evidenceOf(0) });
    }
  }
  return {
    ...facts,
    series: keepLongestSeries(facts.series),
    changes: keepMostCompleteChanges(facts.changes),
    spans: keepDistinct(
      facts.spans,
      ({ trace, id, service, name, at }) => `${trace}/${id}/${service}/${name}/${at}`,
    ),
    patterns: keepDistinct(
      facts.patterns,
      ({ service, level, template }) => `${service}/${level}/${template}`,
    ),
  };
}

function keepDistinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const kept = new Map<string, Item>();
  for (const item of items) if (!kept.has(keyOf(item))) kept.set(keyOf(item), item);
  return [...kept.values()];
}

/** Of a series that was read twice, keeps the reply with more points. */
function keepLongestSeries(all: readonly WithEvidence<Series>[]): readonly WithEvidence<Series>[] {
  const kept = new Map<string, WithEvidence<Series>>();
  for (const series of all) {
    const key = `${series.name}${JSON.stringify(Object.entries(series.labels).sort())}`;
    const previous = kept.get(key);
    if (previous === undefined || previous.points.length < series.points.length) kept.set(key, series);
  }
  return [...kept.values()];
}

/** Of a change that was listed twice, keeps the entry whose diff was read. */
function keepMostCompleteChanges(all: readonly WithEvidence<Change>[]): readonly WithEvidence<Change>[] {
  const kept = new Map<string, WithEvidence<Change>>();
  for (const change of all) {
    const key = `${change.kind}/${change.id}/${change.service ?? ''}/${change.kind === 'commit' ? '' : change.at}`;
    const previous = kept.get(key);
    if (previous === undefined || (previous.diff === null && change.diff !== null)) kept.set(key, change);
  }
  return [...kept.values()];
}

/** The service that a series belongs to, by the labels that systems use for it. */
export function serviceOf({ labels }: Pick<Series, 'labels'>): string | null {
  for (const name of ['service', 'service_name', 'app', 'job', 'deployment', 'container', 'pod', 'instance'])
    if (labels[name] !== undefined && labels[name] !== '') return labels[name];
  // Labels by which clouds name objects: `DBInstanceIdentifier`, `AutoScalingGroupName`.
  return (
    Object.entries(labels).find(
      ([name, value]) =>
        value !== '' &&
        /identifier|host|node|cluster|database|[a-z]Name$/i.test(name) &&
        !/^(__|alert|metric|rule)/.test(name),
    )?.[1] ?? null
  );
}

/** Names that identify one thing in this run: services, metrics, flags, deploys. */
export function listNames(
  facts: Facts,
  alert: { readonly service: string | null } | null,
): ReadonlySet<string> {
  const foundNames = [
    alert?.service ?? null,
    ...facts.series.flatMap((series) => [series.name, serviceOf(series)]),
    ...[...facts.lines, ...facts.patterns, ...facts.spans, ...facts.changes].map(({ service }) => service),
    ...facts.changes.flatMap(({ kind, id }) => (kind === 'commit' ? [] : [id])),
  ];
  return new Set(foundNames.flatMap((name) => (name === null || name === '' ? [] : [name])));
}
