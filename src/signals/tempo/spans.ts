/** Parses traces as Tempo returns them: OpenTelemetry in JSON, with ids in Base64, and times in nanoseconds as text. */
import { z } from 'zod';
import type { Span } from '../../core/index.ts';

const valueSchema = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const attributeSchema = z.object({ key: z.string(), value: valueSchema.optional() });
export type Attribute = z.infer<typeof attributeSchema>;
const attributes = z.array(attributeSchema).nullish();

const spanSchema = z.object({
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
const scopeSpansSchema = z.array(z.object({ spans: z.array(spanSchema).nullish() })).nullish();
const resourceSpans = z.array(
  z.object({
    resource: z.object({ attributes }).nullish(),
    scopeSpans: scopeSpansSchema,
    // Tempo before version 2 uses this name.
    instrumentationLibrarySpans: scopeSpansSchema,
  }),
);

export const traceReply = z.object({
  trace: z.object({ resourceSpans: resourceSpans.nullish(), batches: resourceSpans.nullish() }),
  status: z.union([z.string(), z.number()]).nullish(),
  message: z.string().nullish(),
});

export const attributeList = attributes;
export const textOf = ({ value: attributeValue }: Attribute): string | null => {
  const content =
    attributeValue?.stringValue ??
    attributeValue?.intValue ??
    attributeValue?.doubleValue ??
    attributeValue?.boolValue;
  return content === undefined ? null : String(content);
};

/** Keys of the attributes that are kept: they say what was requested of which service, and what went wrong. */
const keptKeys =
  /^(http\.(request\.method|method|route|target|url|response\.status_code|status_code)|url\.(path|full)|rpc\.|db\.(system|name|namespace|statement|query\.text|operation|collection)|messaging\.(system|destination|operation)|server\.address|net\.peer\.name|peer\.service|exception\.|error|code\.|service\.version|feature_flag\.|k8s\.pod\.name|host\.name)/;
const maxAttributes = 24;
const maxValueLength = 400;
const maxStackLength = 2_000;

const attributeTexts = (
  all: readonly Attribute[] | null | undefined,
): readonly (readonly [string, string])[] =>
  (all ?? []).flatMap((attribute) => {
    const text = textOf(attribute);
    return text !== null && text !== '' && keptKeys.test(attribute.key)
      ? [
          [
            attribute.key,
            text.slice(0, /stacktrace$/.test(attribute.key) ? maxStackLength : maxValueLength),
          ] as const,
        ]
      : [];
  });

/** An id in hexadecimal; the text is in Base64 (as in traces) or already in hexadecimal (as in searches). */
export const idOf = (text: string): string =>
  /^[0-9a-f]{16}([0-9a-f]{16})?$/i.test(text)
    ? text.toLowerCase()
    : Buffer.from(text, 'base64').toString('hex');

export const millis = (nanos: string | number): number => Number(BigInt(nanos) / 1_000n) / 1_000;

export function spansOf({ trace }: z.infer<typeof traceReply>, id: string): readonly Span[] {
  return [...(trace.resourceSpans ?? []), ...(trace.batches ?? [])].flatMap((entry) => {
    const attributes = entry.resource?.attributes ?? [];
    const serviceAttribute = attributes.find(({ key }) => key === 'service.name');
    const service = (serviceAttribute === undefined ? null : textOf(serviceAttribute)) ?? 'unknown';
    const resourceAttributes = attributeTexts(attributes);
    return [...(entry.scopeSpans ?? []), ...(entry.instrumentationLibrarySpans ?? [])].flatMap(({ spans }) =>
      (spans ?? []).map((span): Span => {
        const start = millis(span.startTimeUnixNano);
        const { code = null, message = null } = span.status ?? {};
        const exceptionAttributes = (span.events ?? [])
          .filter(({ name: event }) => event === 'exception')
          .flatMap((event) => attributeTexts(event.attributes));
        const entries = [...exceptionAttributes, ...attributeTexts(span.attributes), ...resourceAttributes];
        return {
          trace: id,
          id: idOf(span.spanId),
          parent: span.parentSpanId == null || span.parentSpanId === '' ? null : idOf(span.parentSpanId),
          service,
          name: span.name,
          at: start,
          duration_ms: Math.max(0, millis(span.endTimeUnixNano) - start),
          failed: code === 2 || code === 'STATUS_CODE_ERROR',
          attributes: Object.fromEntries([
            ...(message == null || message === ''
              ? []
              : [['status.message', message.slice(0, maxValueLength)]]),
            ...entries.slice(0, maxAttributes),
          ]),
        };
      }),
    );
  });
}

/**
 * Selects about `max` spans of a large trace: the failed ones, then the longest ones, each with all its callers, so that
 * the chain of calls stays complete.
 */
export function chooseSpans(spans: readonly Span[], max: number): readonly Span[] {
  if (spans.length <= max) return spans;
  const byId = new Map(spans.map((span) => [span.id, span]));
  const chosen = new Set<Span>();
  const ranked = spans.toSorted(
    (a, b) => Number(b.failed) - Number(a.failed) || b.duration_ms - a.duration_ms,
  );
  for (const span of ranked) {
    if (chosen.size >= max) break;
    for (let ancestor: Span | undefined = span; ancestor !== undefined && !chosen.has(ancestor); ) {
      chosen.add(ancestor);
      ancestor = ancestor.parent === null ? undefined : byId.get(ancestor.parent);
    }
  }
  return spans.filter((span) => chosen.has(span));
}
