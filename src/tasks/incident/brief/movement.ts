/** Finds when a series left its usual range, and the kind of its metric. */
import { type EarlyJump, findEarlyJump, findOnset } from '../../../core/incidents.ts';
import type { Series } from '../../../core/index.ts';
import { serviceOf, type WithEvidence } from './facts.ts';

/** demand: how much is requested. work: how much is done, or any other metric. The others are symptoms. */
export type MetricKind = 'demand' | 'work' | 'errors' | 'latency' | 'saturation';

export interface Movement {
  readonly service: string | null;
  readonly metric: string;
  readonly kind: MetricKind;
  /** Milliseconds since the Unix epoch. */
  readonly onset: number;
  readonly direction: 'up' | 'down';
  /** The median before the onset, and the median of the last part after it. */
  readonly before: number;
  readonly after: number;
  /** `after` over `before`, or the other way round; at least 1. */
  readonly factor: number;
  readonly shape: 'step' | 'ramp' | 'spike';
  /** When the series was calm again, in milliseconds since the Unix epoch; null if it was not. */
  readonly ended: number | null;
  readonly evidence: string;
}

const kindPatterns: readonly [MetricKind, RegExp][] = [
  [
    'errors',
    /error|fail|5xx|4xx|throttl|reject|cancel|exception|drop|dead|timeout|unavailable|refus|evict|restart|oom|denied|lost|retr(y|ie)/,
  ],
  ['latency', /latenc|duration|p50|p90|p95|p99|(^|_)age(_|$)|lag|elapsed|response_time|wait|delay/],
  [
    'saturation',
    /cpu|memory|_mem|mem_|heap|queue|depth|pool|connection|utili[sz]ation|saturat|capacity|disk|goroutine|thread|_fd|fds|gc_|backlog|pending|in_flight|inflight|usage|load/,
  ],
  [
    'demand',
    /(^|_)(http_)?(requests?|rps|qps|throughput|traffic|hits|sessions|visitors|connections_new|messages_in|events_in|orders|logins|attempts|users)(_|$).*|request_rate/,
  ],
];

/** The kind of a metric, by the usual forms of names. */
export function classifyMetric(metric: string): MetricKind {
  // `RequestCount` as `request_count`.
  const name = metric.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  if (/per_(request|req|call|order|message)/.test(name)) return 'work';
  if (/quer(y|ies)_per|hit_ratio|hit_rate/.test(name)) return 'work';
  return kindPatterns.find(([, words]) => words.test(name))?.[0] ?? 'work';
}

const outcomeLabel =
  /^(?:code|status(?:_?code)?|http_?(?:status|code)(?:_?code)?|response_code|grpc_code|result|outcome)$/i;
const failedValue = /^5(?:\d\d|xx)$|fail|error|exception|time_?out|reject|refus|unavailable|internal|abort/i;

/** Whether a series counts only the failed requests among those of its name: `requests{code="503"}`. */
const countsFailures = ({ labels }: Pick<Series, 'labels'>): boolean =>
  Object.entries(labels).some(([name, value]) => outcomeLabel.test(name) && failedValue.test(value));

/** Whether the name has a unit of a rate: `signins_per_min`, `codes/s`, `MessagesPerSecond`; not `active_shoppers`. */
export const isRate = (metric: string): boolean =>
  /(?:_per_|_by_|\/)(?:s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?:_|$)|per(?:secs?|seconds?|mins?|minutes?|hours?)(?:_|$)|(?:rps|qps|tps)(?:_|$)|request_rate/i.test(
    metric.replace(/([a-z0-9])([A-Z])/g, '$1_$2'),
  );

/** The minimum confidence of a change point; below it, the change is noise. */
const minConfidence = 0.5;

export const isSymptom = ({ kind }: Pick<Movement, 'kind'>): boolean =>
  kind === 'errors' || kind === 'latency' || kind === 'saturation';

/** Whether errors or waits went down, which is no problem. */
export const isRelief = ({ kind, direction }: Pick<Movement, 'kind' | 'direction'>): boolean =>
  direction === 'down' && (kind === 'errors' || kind === 'latency');

/** The movement of a series; null if it stays in its range, or has too few points. */
export function findMovement(series: WithEvidence<Series>): Movement | null {
  const changePoint = findOnset(series.points);
  if (changePoint === null || changePoint.confidence < minConfidence || changePoint.shape === 'spike')
    return null;
  const { before, after } = changePoint;
  const [low, high] = [Math.abs(before), Math.abs(after)].sort((a, b) => a - b) as [number, number];
  const factor = Math.min(1_000, low < 1e-9 ? high / 1e-9 : high / low);
  // A change of less than a tenth is ignored, even if it is measured reliably.
  if (factor < 1.1 && Math.sign(before) === Math.sign(after)) return null;
  return {
    service: serviceOf(series),
    metric: series.name,
    kind: countsFailures(series) ? 'errors' : classifyMetric(series.name),
    onset: changePoint.at,
    direction: changePoint.direction,
    before,
    after,
    factor,
    shape: changePoint.shape,
    ended: changePoint.endedAt,
    evidence: series.evidence,
  };
}

/** An early jump whose history is too short to tell whether it is unusual; null if there is none. */
export const findJumpWithoutHistory = (series: WithEvidence<Series>): EarlyJump | null =>
  findMovement(series) === null ? findEarlyJump(series.points) : null;

/** The movements of all series, the earliest first. */
export function findMovements(allSeries: readonly WithEvidence<Series>[]): readonly Movement[] {
  return allSeries
    .flatMap((series) => findMovement(series) ?? [])
    .sort((a, b) => a.onset - b.onset || b.factor - a.factor);
}
