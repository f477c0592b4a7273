/** Replies of searches and metric queries of Tempo. A search returns traces, each with some of its matching spans. */
import { z } from 'zod';
import type { Series } from '../../core/index.ts';
import { attributeList, millis, textOf } from './spans.ts';

const foundSpanSchema = z.object({
  spanID: z.string(),
  name: z.string().nullish(),
  startTimeUnixNano: z.union([z.string(), z.number()]),
  durationNanos: z.union([z.string(), z.number()]).default('0'),
  attributes: attributeList,
});
const spanSetSchema = z.object({ spans: z.array(foundSpanSchema).nullish(), matched: z.number().nullish() });
const foundTraceSchema = z.object({
  traceID: z.string(),
  rootServiceName: z.string().nullish(),
  rootTraceName: z.string().nullish(),
  startTimeUnixNano: z.union([z.string(), z.number()]).default('0'),
  durationMs: z.number().default(0),
  spanSets: z.array(spanSetSchema).nullish(),
  spanSet: spanSetSchema.nullish(),
});
export const searchReply = z.object({ traces: z.array(foundTraceSchema).nullable() });
export type FoundTrace = z.infer<typeof foundTraceSchema>;
export type FoundSpan = z.infer<typeof foundSpanSchema>;

export const listMatchedSpans = ({ spanSets, spanSet }: FoundTrace): readonly FoundSpan[] => [
  ...(spanSets ?? (spanSet == null ? [] : [spanSet])).flatMap(({ spans }) => spans ?? []),
];

/** The duration of a trace or of its longest matching span, whichever is longer. Milliseconds. */
export const durationOf = (trace: FoundTrace): number =>
  Math.max(trace.durationMs, ...listMatchedSpans(trace).map(({ durationNanos }) => millis(durationNanos)));

/** Picks at most `max` traces. Traces with the same root are alike, so one of each kind comes first, then the others. */
export function pickTraces(traces: readonly FoundTrace[], max: number): readonly FoundTrace[] {
  const kinds = new Map<string, FoundTrace>();
  for (const trace of traces) {
    const kind = `${trace.rootServiceName ?? ''} ${trace.rootTraceName ?? ''}`;
    if (!kinds.has(kind)) kinds.set(kind, trace);
  }
  return [...new Set([...kinds.values(), ...traces])].slice(0, max);
}

const sampleSchema = z.object({
  timestampMs: z.union([z.string(), z.number()]),
  value: z.number().default(0),
});
export const ratesReply = z.object({
  series: z.array(z.object({ labels: attributeList, samples: z.array(sampleSchema).nullish() })).nullable(),
});

/**
 * Converts a reply into series. The API omits points of value 0. For counts, pass `fillRange`, and they are added as 0;
 * for durations pass null: a missing point means that nothing was measured.
 */
export function seriesOf(
  name: string,
  { series }: z.infer<typeof ratesReply>,
  fillRange: { readonly from: number; readonly to: number; readonly stepMs: number } | null,
): readonly Series[] {
  return (series ?? []).map(({ labels, samples }) => {
    const labelEntries = (labels ?? []).flatMap((label) => {
      const text = textOf(label);
      return text === null
        ? []
        : [[label.key === 'resource.service.name' ? 'service' : label.key, text] as const];
    });
    const points = (samples ?? []).map(({ timestampMs, value }) => [Number(timestampMs), value] as const);
    return {
      name,
      labels: Object.fromEntries(labelEntries.filter(([key]) => key !== '__name__' && key !== 'p')),
      points: fillRange === null ? points.filter(([, value]) => value > 0) : fillGaps(points, fillRange),
    };
  });
}

function fillGaps(
  points: readonly (readonly [number, number])[],
  { from, to, stepMs }: { readonly from: number; readonly to: number; readonly stepMs: number },
): readonly (readonly [number, number])[] {
  const valuesByTime = new Map(points);
  const [first] = points[0] ?? [from];
  const firstStep = first - Math.floor((first - from) / stepMs) * stepMs;
  const filled: (readonly [number, number])[] = [];
  for (let at = firstStep; at < to; at += stepMs) filled.push([at, valuesByTime.get(at) ?? 0]);
  return filled;
}
