/** What a search of Tempo finds: traces by their ids, and of each some spans that fit. */
import { z } from 'zod';
import type { Series } from '../../core/index.ts';
import { attributeList, millis, textOf } from './spans.ts';

const found = z.object({
  spanID: z.string(),
  name: z.string().nullish(),
  startTimeUnixNano: z.union([z.string(), z.number()]),
  durationNanos: z.union([z.string(), z.number()]).default('0'),
  attributes: attributeList,
});
const set = z.object({ spans: z.array(found).nullish(), matched: z.number().nullish() });
const trace = z.object({
  traceID: z.string(),
  rootServiceName: z.string().nullish(),
  rootTraceName: z.string().nullish(),
  startTimeUnixNano: z.union([z.string(), z.number()]).default('0'),
  durationMs: z.number().default(0),
  spanSets: z.array(set).nullish(),
  spanSet: set.nullish(),
});
export const searchReply = z.object({ traces: z.array(trace).nullable() });
export type FoundTrace = z.infer<typeof trace>;
export type FoundSpan = z.infer<typeof found>;

export const matchedSpans = ({ spanSets, spanSet }: FoundTrace): readonly FoundSpan[] => [
  ...(spanSets ?? (spanSet == null ? [] : [spanSet])).flatMap(({ spans }) => spans ?? []),
];

/** Milliseconds of the span that fitted, or of the trace. */
export const durationOf = (one: FoundTrace): number =>
  Math.max(one.durationMs, ...matchedSpans(one).map(({ durationNanos }) => millis(durationNanos)));

/** Spans of one kind repeat each other: one of each kind comes first, then others. */
export function pickTraces(traces: readonly FoundTrace[], max: number): readonly FoundTrace[] {
  const kinds = new Map<string, FoundTrace>();
  for (const one of traces) {
    const kind = `${one.rootServiceName ?? ''} ${one.rootTraceName ?? ''}`;
    if (!kinds.has(kind)) kinds.set(kind, one);
  }
  return [...new Set([...kinds.values(), ...traces])].slice(0, max);
}

const sample = z.object({ timestampMs: z.union([z.string(), z.number()]), value: z.number().default(0) });
export const ratesReply = z.object({
  series: z.array(z.object({ labels: attributeList, samples: z.array(sample).nullish() })).nullable(),
});

/** The API leaves zeros out: of a count they mean that nothing happened; of a duration, that nothing was measured. */
export function seriesOf(
  name: string,
  { series }: z.infer<typeof ratesReply>,
  ends: { readonly from: number; readonly to: number; readonly stepMs: number } | null,
): readonly Series[] {
  return (series ?? []).map(({ labels, samples }) => {
    const named = (labels ?? []).flatMap((one) => {
      const text = textOf(one);
      return text === null
        ? []
        : [[one.key === 'resource.service.name' ? 'service' : one.key, text] as const];
    });
    const points = (samples ?? []).map(({ timestampMs, value }) => [Number(timestampMs), value] as const);
    return {
      name,
      labels: Object.fromEntries(named.filter(([key]) => key !== '__name__' && key !== 'p')),
      points: ends === null ? points.filter(([, value]) => value > 0) : fillGaps(points, ends),
    };
  });
}

function fillGaps(
  points: readonly (readonly [number, number])[],
  { from, to, stepMs }: { readonly from: number; readonly to: number; readonly stepMs: number },
): readonly (readonly [number, number])[] {
  const known = new Map(points);
  const [first] = points[0] ?? [from];
  const begin = first - Math.floor((first - from) / stepMs) * stepMs;
  const all: (readonly [number, number])[] = [];
  for (let at = begin; at < to; at += stepMs) all.push([at, known.get(at) ?? 0]);
  return all;
}
