/** Spans in the form of the library that sends them. */
import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { version } from '../version.ts';
import type { RunSpan, RunTrace } from './run-spans.ts';

export type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number];

/** Values of the library's own enumerations. */
const kinds = { internal: 0, client: 2 };
const [unset, error] = [0, 2];
const sampled = 1;

export function readableSpans({ id, spans }: RunTrace, resource: Resource): ReadableSpan[] {
  const contextOf = (spanId: string): SpanContext => ({ traceId: id, spanId, traceFlags: sampled });
  return spans.map((span) => ({
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => contextOf(span.id),
    ...(span.parent !== null && { parentSpanContext: contextOf(span.parent) }),
    startTime: timeOf(span.started),
    endTime: timeOf(span.ended),
    duration: timeOf(span.ended - span.started),
    status: { code: span.failed ? error : unset },
    attributes: attributesOf(span),
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

const attributesOf = ({ attributes }: RunSpan): ReadableSpan['attributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? value : [...value],
    ]),
  );

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
