/** The unit of a metric if its name contains one: systems return series without units. */

export type MetricUnit =
  | 'seconds'
  | 'milliseconds'
  | 'microseconds'
  | 'bytes'
  | 'percent'
  | 'ratio'
  | 'per second'
  | 'count';

/** The first match counts. Names are split into words: `http_p95_ms`, `RequestCount`, `system.mem.pct_usable`. */
const units: readonly (readonly [MetricUnit, RegExp])[] = [
  ['per second', /(^| )(per (s|sec|second)|rps|qps)( |$)/],
  ['percent', /(^| )(percent|percentage|pct)( |$)/],
  ['ratio', /(^| )(ratio|fraction)( |$)/],
  ['milliseconds', /(^| )(ms|millis|milliseconds)( |$)/],
  ['microseconds', /(^| )(us|micros|microseconds)( |$)/],
  ['seconds', /(^| )(s|sec|secs|seconds)( |$)/],
  ['bytes', /(^| )bytes( |$)/],
  ['count', /(^| )(count|connections|restarts|threads|sessions)$/],
];

export function findUnit(metric: string): MetricUnit | null {
  const words = metric
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ');
  return units.find(([, form]) => form.test(words))?.[0] ?? null;
}
