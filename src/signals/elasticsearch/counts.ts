/** Counts the documents of each minute on the server: exact even if there are too many to read. */
import { z } from 'zod';
import type { Series } from '../../core/index.ts';
import type { Field, Fields } from './fields.ts';
import { type Clause, isBadClause, type Stretch, searchReply, within } from './search.ts';

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
  stretch: Stretch,
  stepMs: number,
  clauses: readonly Clause[],
): Clause {
  const worst = isBadClause(fields);
  const over = {
    date_histogram: {
      field: fields.time,
      fixed_interval: `${stepMs / 1_000}s`,
      min_doc_count: 0,
      extended_bounds: { min: stretch.from, max: stretch.to - 1 },
    },
    ...(worst !== null && { aggs: { bad: { filter: worst } } }),
  };
  const service = serviceFieldOf(fields);
  return {
    size: 0,
    track_total_hits: true,
    timeout: '8s',
    query: { bool: { filter: [within(fields, stretch), ...clauses] } },
    aggs:
      service === null
        ? { over }
        : { by: { terms: { field: service.whole, size: maxServices }, aggs: { over } } },
  };
}

const serviceFieldOf = ({ services }: Fields): Field | null => services[0] ?? null;

/** A whole step of time within the stretch; `until` is when the server was asked. */
export interface Steps extends Stretch {
  readonly stepMs: number;
  readonly until: number;
}

type Bucket = z.infer<typeof bucket>;

/** Errors by service; all lines where none says how bad it is. A step that is not over would look like an end. */
export function seriesOf(
  { aggregations }: z.infer<typeof countsReply>,
  { from, to, stepMs, until }: Steps,
): readonly Series[] {
  const all: readonly (readonly [service: string | null, buckets: readonly Bucket[]])[] = [
    ...(aggregations.by?.buckets ?? []).map(({ key, over }) => [String(key), over.buckets] as const),
    ...(aggregations.over === undefined ? [] : [[null, aggregations.over.buckets] as const]),
  ];
  // Before the first line of all there is nothing to count: the beginning of the logs is not a change of a service.
  const began = Math.min(
    ...all.flatMap(([, buckets]) => buckets.find(({ doc_count }) => doc_count > 0)?.key ?? []),
  );
  const end = Math.min(to, until);
  return all.map(([service, buckets]) => {
    const own = buckets.filter(({ key }) => key >= Math.max(from, began) && key + stepMs <= end);
    const isBad = own.some(({ bad }) => bad !== undefined);
    return {
      name: isBad ? 'log_errors' : 'log_lines',
      labels: service === null ? {} : { service },
      points: own.map(({ key, doc_count, bad }) => [key, isBad ? (bad?.doc_count ?? 0) : doc_count] as const),
    };
  });
}
