/** Spans in the form of the library that sends them. */
import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { version } from '../version.ts';
import type { RunSpan, RunTrace } from './run-spans.ts';

export type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number];

/** Values of the library's own enumerations. */
const kindCodes = { internal: 0, client: 2 };
const [unsetStatus, errorStatus] = [0, 2];
const sampled = 1;

export function toReadableSpans({ id, spans }: RunTrace, resource: Resource): ReadableSpan[] {
  const toContext = (spanId: string): SpanContext => ({ traceId: id, spanId, traceFlags: sampled });
  return spans.map((span) => ({
    name: span.name,
    kind: kindCodes[span.kind],
    spanContext: () => toContext(span.id),
    ...(span.parent !== null && { parentSpanContext: toContext(span.parent) }),
    startTime: toHrTime(span.started),
    endTime: toHrTime(span.ended),
    duration: toHrTime(span.ended - span.started),
    status: { code: span.failed ? errorStatus : unsetStatus },
    attributes: toAttributes(span),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'sonde', version: version() },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }));
}

const toAttributes = ({ attributes }: RunSpan): ReadableSpan['attributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? value : [...value],
    ]),
  );

const toHrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
