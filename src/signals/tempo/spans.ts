/** Traces as Tempo writes them: OpenTelemetry in JSON, with ids in Base64, and times as texts of nanoseconds. */
import { z } from 'zod';
import type { Span } from '../../core/index.ts';

const value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const attribute = z.object({ key: z.string(), value: value.optional() });
export type Attribute = z.infer<typeof attribute>;
const attributes = z.array(attribute).nullish();

const span = z.object({
  traceId: z.string().optional(),
  spanId: z.string(),
  parentSpanId: z.string().nullish(),
  name: z.string().default(''),
  kind: z.union([z.string(), z.number()]).nullish(),
  startTimeUnixNano: z.union([z.string(), z.number()]),
  endTimeUnixNano: z.union([z.string(), z.number()]),
  attributes,
  events: z.array(z.object({ name: z.string().nullish(), attributes })).nullish(),
  status: z
    .object({ code: z.union([z.string(), z.number()]).nullish(), message: z.string().nullish() })
    .nullish(),
});
const scopes = z.array(z.object({ spans: z.array(span).nullish() })).nullish();
const resourceSpans = z.array(
  z.object({
    resource: z.object({ attributes }).nullish(),
    scopeSpans: scopes,
    // Of servers before version 2.
    instrumentationLibrarySpans: scopes,
  }),
);

export const traceReply = z.object({
  trace: z.object({ resourceSpans: resourceSpans.nullish(), batches: resourceSpans.nullish() }),
  status: z.union([z.string(), z.number()]).nullish(),
  message: z.string().nullish(),
});

export const attributeList = attributes;
export const textOf = ({ value: held }: Attribute): string | null => {
  const found = held?.stringValue ?? held?.intValue ?? held?.doubleValue ?? held?.boolValue;
  return found === undefined ? null : String(found);
};

/** Those that say what was asked of whom, and what went wrong. */
const telling =
  /^(http\.(request\.method|method|route|target|url|response\.status_code|status_code)|url\.(path|full)|rpc\.|db\.(system|name|namespace|statement|query\.text|operation|collection)|messaging\.(system|destination|operation)|server\.address|net\.peer\.name|peer\.service|exception\.|error|code\.|service\.version|feature_flag\.|k8s\.pod\.name|host\.name)/;
const maxAttributes = 24;
const maxValue = 400;
const maxStack = 2_000;

const attributeTexts = (
  all: readonly Attribute[] | null | undefined,
): readonly (readonly [string, string])[] =>
  (all ?? []).flatMap((one) => {
    const text = textOf(one);
    return text !== null && text !== '' && telling.test(one.key)
      ? [[one.key, text.slice(0, /stacktrace$/.test(one.key) ? maxStack : maxValue)] as const]
      : [];
  });

/** Base64 of the API, or hexadecimal as people write it. */
export const idOf = (text: string): string =>
  /^[0-9a-f]{16}([0-9a-f]{16})?$/i.test(text)
    ? text.toLowerCase()
    : Buffer.from(text, 'base64').toString('hex');

export const millis = (nanos: string | number): number => Number(BigInt(nanos) / 1_000n) / 1_000;

export function spansOf({ trace }: z.infer<typeof traceReply>, id: string): readonly Span[] {
  return [...(trace.resourceSpans ?? []), ...(trace.batches ?? [])].flatMap((group) => {
    const attributes = group.resource?.attributes ?? [];
    const name = attributes.find(({ key }) => key === 'service.name');
    const service = (name === undefined ? null : textOf(name)) ?? 'unknown';
    const shared = attributeTexts(attributes);
    return [...(group.scopeSpans ?? []), ...(group.instrumentationLibrarySpans ?? [])].flatMap(({ spans }) =>
      (spans ?? []).map((one): Span => {
        const start = millis(one.startTimeUnixNano);
        const { code = null, message = null } = one.status ?? {};
        const thrown = (one.events ?? [])
          .filter(({ name: event }) => event === 'exception')
          .flatMap((event) => attributeTexts(event.attributes));
        const entries = [...thrown, ...attributeTexts(one.attributes), ...shared];
        return {
          trace: id,
          id: idOf(one.spanId),
          parent: one.parentSpanId == null || one.parentSpanId === '' ? null : idOf(one.parentSpanId),
          service,
          name: one.name,
          at: start,
          duration_ms: Math.max(0, millis(one.endTimeUnixNano) - start),
          failed: code === 2 || code === 'STATUS_CODE_ERROR',
          attributes: Object.fromEntries([
            ...(message == null || message === '' ? [] : [['status.message', message.slice(0, maxValue)]]),
            ...entries.slice(0, maxAttributes),
          ]),
        };
      }),
    );
  });
}

/**
 * Of a large trace: the failed spans, the longest ones, and all their callers, so that the chain of calls stays
 * complete.
 */
export function chooseSpans(spans: readonly Span[], max: number): readonly Span[] {
  if (spans.length <= max) return spans;
  const byId = new Map(spans.map((span) => [span.id, span]));
  const kept = new Set<Span>();
  const ranked = spans.toSorted(
    (a, b) => Number(b.failed) - Number(a.failed) || b.duration_ms - a.duration_ms,
  );
  for (const one of ranked) {
    if (kept.size >= max) break;
    for (let at: Span | undefined = one; at !== undefined && !kept.has(at); ) {
      kept.add(at);
      at = at.parent === null ? undefined : byId.get(at.parent);
    }
  }
  return spans.filter((span) => kept.has(span));
}
