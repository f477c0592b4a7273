/** Schemas of the replies of Prometheus, with the fields that are used, and their conversion to series. */
import { z } from 'zod';
import type { Series } from '../../core/index.ts';

const labels = z.record(z.string(), z.string());
const sampleSchema = z.tuple([z.number(), z.string()]);

const queryData = z.discriminatedUnion('resultType', [
  z.object({
    resultType: z.literal('matrix'),
    result: z.array(z.object({ metric: labels, values: z.array(sampleSchema).optional() })),
  }),
  z.object({
    resultType: z.literal('vector'),
    result: z.array(z.object({ metric: labels, value: sampleSchema.optional() })),
  }),
  z.object({ resultType: z.literal('scalar'), result: sampleSchema }),
  z.object({ resultType: z.literal('string'), result: sampleSchema }),
]);
export type QueryData = z.infer<typeof queryData>;

export const queryReply = z.object({
  status: z.literal('success'),
  data: queryData,
  warnings: z.array(z.string()).optional(),
});

export const dataReply = <Item>(item: z.ZodType<Item>) =>
  z.object({ status: z.literal('success'), data: z.array(item) });

export const buildReply = z.object({ data: z.object({ version: z.string() }) });

export const rulesReply = z.object({
  status: z.literal('success'),
  data: z.object({
    groups: z.array(
      z.object({
        name: z.string(),
        rules: z.array(
          z.object({
            name: z.string(),
            query: z.string(),
            type: z.string(),
            state: z.string().optional(),
            health: z.string().optional(),
            lastError: z.string().optional(),
            duration: z.number().optional(),
            labels: labels.optional(),
            annotations: labels.optional(),
            alerts: z.array(z.unknown()).optional(),
          }),
        ),
      }),
    ),
  }),
});

export const alertsReply = z.object({
  status: z.literal('success'),
  data: z.object({
    alerts: z.array(
      z.object({
        labels,
        annotations: labels.default({}),
        state: z.string(),
        activeAt: z.string(),
      }),
    ),
  }),
});

/** The series of a reply. `dropped` counts values left out, such as NaN. A series without a name is named by its query. */
export function seriesOf(
  data: QueryData,
  query: string,
): { readonly series: readonly Series[]; readonly dropped: number } {
  let dropped = 0;
  const toPoints = (pairs: readonly (readonly [number, string])[]): Series['points'] =>
    pairs.flatMap(([seconds, text]) => {
      const value = Number(text);
      if (Number.isFinite(value)) return [[Math.round(seconds * 1_000), value] as const];
      dropped++;
      return [];
    });
  const toSeries = (
    metric: Readonly<Record<string, string>>,
    pairs: readonly (readonly [number, string])[],
  ): Series => {
    const { __name__: name, ...labels } = metric;
    return { name: name ?? query, labels, points: toPoints(pairs) };
  };
  const allSeries =
    data.resultType === 'matrix'
      ? data.result.map(({ metric, values }) => toSeries(metric, values ?? []))
      : data.resultType === 'vector'
        ? data.result.map(({ metric, value }) => toSeries(metric, value === undefined ? [] : [value]))
        : [toSeries({}, [data.result])];
  return { series: allSeries.filter((series) => series.points.length > 0), dropped };
}

/**
 * Converts a counter into its increase per second from each point to the next. Null if the name doesn't end in `_total`,
 * or with fewer than two points. A decrease means that the counter restarted at 0.
 */
export function rateOf({ name, labels, points }: Series): Series | null {
  if (!/_total$/.test(name) || points.length < 2) return null;
  const rates = points.slice(1).map(([at, value], index): readonly [number, number] => {
    const [previousAt, previousValue] = points[index]!;
    return [
      at,
      Math.round(
        ((value >= previousValue ? value - previousValue : value) / ((at - previousAt) / 1_000)) * 1e6,
      ) / 1e6,
    ];
  });
  return { name: name.replace(/_total$/, '_per_second'), labels, points: rates };
}
