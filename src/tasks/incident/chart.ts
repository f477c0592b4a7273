/**
 * The data of an incident's chart, from the records of its run: series, changes, the onset and the first failure on one
 * time axis. No system is queried.
 */

import { isSameCommit } from '../../core/incidents.ts';
import {
  type Change,
  type IncidentResult,
  type IncidentWindow,
  type Journal,
  type LoggedEvent,
  type Observation,
  shortLine,
} from '../../core/index.ts';
import { readAlerts } from './alert/split-message.ts';
import { serviceOf } from './brief/facts.ts';
import { factsIn, judgeState } from './brief/judge-state.ts';
import {
  classifyMetric,
  findJumpWithoutHistory,
  findMovement,
  isSymptom,
  type MetricKind,
  type Movement,
} from './brief/movement.ts';
import { createDocument, type RecordedDocument } from './gather/documents.ts';
import { findUnit, type MetricUnit } from './metric-unit.ts';
import type { IncidentParams } from './run.ts';

export interface ChartSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly service: string | null;
  readonly kind: MetricKind;
  /** Guessed from the usual forms of metric names; null if the name has none of them. */
  readonly unit: MetricUnit | null;
  readonly evidence: string;
  /** Milliseconds since the Unix epoch, value; at most `ChartLimits.points`. */
  readonly points: readonly (readonly [at: number, value: number])[];
  /** Number of all changes. */
  readonly count: number;
  /** When and how it changed; null: it did not, or its history before the jump is too short. */
  readonly moved: Omit<Movement, 'service' | 'metric' | 'kind' | 'evidence'> | null;
  /** How long it was measured before its jump, in milliseconds, if that is too short to tell; otherwise null. */
  readonly too_short: number | null;
}

export interface ChartChange {
  readonly kind: Change['kind'];
  readonly id: string;
  readonly at: number;
  readonly service: string | null;
  readonly author: string | null;
  readonly title: string;
  readonly commits: readonly string[];
  readonly evidence: string;
  /** The score of the suspect; null if the change is no suspect. */
  readonly score: number | null;
  /** Whether the verdict blames it, or a deploy that contains it. */
  readonly blamed: boolean;
}

export interface IncidentChart {
  /** The axis of time, in milliseconds since the Unix epoch; null if no system has answered yet. */
  readonly axis: { readonly from: number; readonly to: number } | null;
  readonly window: IncidentWindow | null;
  /** When the alert began to fire; null: it does not say. */
  readonly alert: number | null;
  readonly onset: { readonly at: number; readonly from: 'series' | 'alert' } | null;
  readonly first_failure: {
    readonly service: string;
    /** Null: no series shows when. */
    readonly at: number | null;
    readonly evidence: string | null;
  } | null;
  /** Series of the first failure first, then in the order in which they moved; unchanged ones last. */
  readonly series: readonly ChartSeries[];
  /** In order of time. If there are too many, suspects are kept first. */
  readonly changes: readonly ChartChange[];
  readonly left_out: { readonly series: number; readonly changes: number };
}

export interface ChartLimits {
  readonly series: number;
  /** Maximum number of points of one series. */
  readonly points: number;
  readonly changes: number;
}

export interface ChartSource {
  readonly params: IncidentParams;
  readonly log: readonly LoggedEvent[];
  /** The recorded steps of the run. */
  readonly journal: Pick<Journal, 'recall'>;
}

export function createChart({ params, log, journal }: ChartSource, limits: ChartLimits): IncidentChart {
  const recorded = recallObservations(log, journal);
  const end = log.at(-1)?.event;
  const result = end?.kind === 'run_finished' ? (end.incident ?? null) : null;
  const window = result?.window ?? recorded[0]?.window ?? null;
  const alerts = readAlerts(params.sent);
  const alert = alerts.find(({ state }) => state === 'firing') ?? alerts[0] ?? null;
  const facts = factsIn({ recorded });
  if (window === null || recorded.length === 0)
    return {
      axis: window === null ? null : toAxis(window),
      window,
      alert: alert?.started ?? null,
      onset: null,
      first_failure: null,
      series: [],
      changes: [],
      left_out: { series: 0, changes: 0 },
    };
  const judgement = judgeState({ recorded, alert, now: params.now, sent: params.sent });
  const axis = toAxis(window);
  const failing = result === null ? judgement.firstFailing : result.first_failing_service;
  const moves = new Map(facts.series.map((series) => [series, findMovement(series)]));
  const rankSeries = (item: (typeof facts.series)[number]): number =>
    (failing !== null && serviceOf(item) === failing ? 0 : 1e15) + (moves.get(item)?.onset ?? 1e14);
  const series = facts.series.toSorted((a, b) => rankSeries(a) - rankSeries(b));
  const changes = facts.changes
    .filter(({ at }) => at >= axis.from && at <= axis.to)
    .map((change) => toChartChange(change, result));
  const shownChanges = changes.toSorted((a, b) => rankChange(b) - rankChange(a)).slice(0, limits.changes);
  return {
    axis,
    window,
    alert: alert?.started ?? null,
    onset: { at: judgement.onset, from: judgement.onsetFrom },
    first_failure: failing === null ? null : findFirstFailure(failing, [...moves.values()]),
    series: series.slice(0, limits.series).map((series): ChartSeries => {
      const points = series.points.filter(([at, value]) => Number.isFinite(at) && Number.isFinite(value));
      return {
        name: series.name,
        labels: series.labels,
        service: serviceOf(series),
        kind: classifyMetric(series.name),
        unit: findUnit(series.name),
        evidence: series.evidence,
        points: thinPoints(points, limits.points),
        count: series.points.length,
        moved: toChartMovement(moves.get(series) ?? null),
        too_short: findJumpWithoutHistory(series)?.knownMs ?? null,
      };
    }),
    changes: shownChanges.toSorted((a, b) => a.at - b.at),
    left_out: {
      series: Math.max(0, series.length - limits.series),
      changes: changes.length - shownChanges.length,
    },
  };
}

const toAxis = ({
  baseline_from,
  from,
  to,
}: IncidentWindow): { readonly from: number; readonly to: number } => ({
  from: Math.min(baseline_from, from),
  to,
});

/** Recorded answers of systems, by the ids of their evidence. */
function recallObservations(
  log: readonly LoggedEvent[],
  { recall }: Pick<Journal, 'recall'>,
): readonly RecordedDocument[] {
  const counts = new Map<string, number>();
  return log.flatMap(({ event }) => {
    if (event.kind !== 'action_finished' || event.call === undefined) return [];
    const answer = recall(event.call) as Partial<Observation> | undefined;
    if (answer?.kind !== 'observation') return [];
    const nth = (counts.get(event.action) ?? 0) + 1;
    counts.set(event.action, nth);
    const { recorded } = createDocument(
      `signals/${event.action}/${nth}`,
      event.action,
      {},
      answer as Observation,
    );
    const isByRow = recorded.rowEvidence.length > 0;
    return [{ ...recorded, evidence: event.evidence, ofRows: isByRow ? event.evidence : [] }];
  });
}

/** The first symptom of that service. */
function findFirstFailure(
  service: string,
  moves: readonly (Movement | null)[],
): NonNullable<IncidentChart['first_failure']> {
  const movements = moves
    .filter((movement) => movement !== null)
    .filter((movement) => movement.service === service)
    .toSorted((a, b) => a.onset - b.onset);
  const first =
    movements.find((movement) => isSymptom(movement) && movement.direction === 'up') ?? movements[0];
  return { service, at: first?.onset ?? null, evidence: first?.evidence ?? null };
}

function toChartChange(
  change: Change & { readonly evidence: string },
  result: IncidentResult | null,
): ChartChange {
  const { kind, id, at, service, author, title, commits, evidence } = change;
  const isOf = (name: string): boolean =>
    [id, ...commits].some((known) => known === name || isSameCommit(known, name));
  const suspect = result?.suspects.find((suspect) => isOf(suspect.id));
  return {
    ...{ kind, id, at, service, author, commits: commits.slice(0, 50), evidence },
    title: shortLine(title, 300),
    score: suspect?.score ?? null,
    blamed: result !== null && result.blamed !== null && isOf(result.blamed.id),
  };
}

const rankChange = ({ blamed, score, kind }: ChartChange): number =>
  (blamed ? 2 : 0) + (score ?? 0) + (kind === 'commit' ? 0 : 0.01);

function toChartMovement(moved: Movement | null): ChartSeries['moved'] {
  if (moved === null) return null;
  const { onset, direction, before, after, factor, shape, ended } = moved;
  return { onset, direction, before, after, factor, shape, ended };
}

/**
 * Reduces the points to at most `max`: keeps the lowest and highest of each interval, so that no spike and no dip is
 * lost.
 */
export function thinPoints<Point extends readonly [at: number, value: number]>(
  points: readonly Point[],
  max: number,
): readonly Point[] {
  if (points.length <= max) return points;
  const stretches = Math.max(1, Math.floor(max / 2));
  const size = points.length / stretches;
  return Array.from({ length: stretches }, (_, n) => {
    const stretch = points.slice(Math.floor(n * size), Math.floor((n + 1) * size));
    let low = 0;
    let high = 0;
    for (const [k, [, value]] of stretch.entries()) {
      if (value < stretch[low]![1]) low = k;
      if (value > stretch[high]![1]) high = k;
    }
    if (low === high) return [stretch[low]!];
    return [stretch[Math.min(low, high)]!, stretch[Math.max(low, high)]!];
  }).flat();
}
