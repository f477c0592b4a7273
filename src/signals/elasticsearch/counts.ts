/** Counts the documents of each minute on the server: exact even if there are too many to read. */
import { z } from 'zod';
import type { Series } from '../../core/index.ts';
import type { Field, Fields } from './fields.ts';
import { badLevelClause, type Clause, searchReply, type TimeRange, timeClause } from './search.ts';

const bucket = z.object({
  key: z.number(),
  doc_count: z.number(),
  bad: z.object({ doc_count: z.number() }).optional(),
});
const histogram = z.object({ buckets: z.array(bucket) });
export const countsReply = searchReply.extend({
  aggregations: z.object({
    over: histogram.optional(),
    by: z
      .object({
        sum_other_doc_count: z.number().default(0),
        buckets: z.array(z.object({ key: z.union([z.string(), z.number()]), over: histogram })),
      })
      .optional(),
  }),
});

const maxServices = 20;

export function countsBody(
  fields: Fields,
  timeRange: TimeRange,
  stepMs: number,
  clauses: readonly Clause[],
): Clause {
  const badClause = badLevelClause(fields);
  const timeHistogram = {
    date_histogram: {
      field: fields.time,
      fixed_interval: `${stepMs / 1_000}s`,
      min_doc_count: 0,
      extended_bounds: { min: timeRange.from, max: timeRange.to - 1 },
    },
    ...(badClause !== null && { aggs: { bad: { filter: badClause } } }),
  };
  const serviceField = serviceFieldOf(fields);
  return {
    size: 0,
    track_total_hits: true,
    timeout: '8s',
    query: { bool: { filter: [timeClause(fields, timeRange), ...clauses] } },
    aggs:
      serviceField === null
        ? { over: timeHistogram }
        : { by: { terms: { field: serviceField.whole, size: maxServices }, aggs: { over: timeHistogram } } },
  };
}

const serviceFieldOf = ({ services }: Fields): Field | null => services[0] ?? null;

/** A time range with the length of its steps; `until` is when the server was asked. */
export interface CountRange extends TimeRange {
  readonly stepMs: number;
  readonly until: number;
}

type Bucket = z.infer<typeof bucket>;

/**
 * Errors by service, or all lines if there are no levels. A step that is not over is left out, since its low count
 * would look as if the service had stopped logging.
 */
export function seriesOf(
  { aggregations }: z.infer<typeof countsReply>,
  { from, to, stepMs, until }: CountRange,
): readonly Series[] {
  const histograms: readonly (readonly [service: string | null, buckets: readonly Bucket[]])[] = [
    ...(aggregations.by?.buckets ?? []).map(({ key, over }) => [String(key), over.buckets] as const),
    ...(aggregations.over === undefined ? [] : [[null, aggregations.over.buckets] as const]),
  ];
  // Steps before the first line of all are left out: that the logs begin there is no change of a service.
  const firstLineAt = Math.min(
    ...histograms.flatMap(([, buckets]) => buckets.find(({ doc_count }) => doc_count > 0)?.key ?? []),
  );
  const end = Math.min(to, until);
  return histograms.map(([service, buckets]) => {
    const completeBuckets = buckets.filter(
      ({ key }) => key >= Math.max(from, firstLineAt) && key + stepMs <= end,
    );
    const hasLevels = completeBuckets.some(({ bad }) => bad !== undefined);
    return {
      name: hasLevels ? 'log_errors' : 'log_lines',
      labels: service === null ? {} : { service },
      points: completeBuckets.map(
        ({ key, doc_count, bad }) => [key, hasLevels ? (bad?.doc_count ?? 0) : doc_count] as const,
      ),
    };
  });
}
