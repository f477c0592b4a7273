/** A test double of Tempo's HTTP API with spans in memory; it has what the client uses. */
import type { DoubleAnswer, DoubleRequest } from '../http-double.contract.ts';

export interface MadeSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly service: string;
  readonly name: string;
  /** The start, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The duration, in milliseconds. */
  readonly took: number;
  readonly failed?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly stack?: string;
}

const nanos = (ms: number): string => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const attribute = ([key, stringValue]: readonly [string, string]) => ({ key, value: { stringValue } });

const traceOf = (spans: readonly MadeSpan[]) => ({
  trace: {
    resourceSpans: [...Map.groupBy(spans, ({ service }) => service)].map(([service, serviceSpans]) => ({
      resource: { attributes: [attribute(['service.name', service]), attribute(['process.pid', '7'])] },
      scopeSpans: [
        {
          scope: { name: 'made' },
          spans: serviceSpans.map((span) => ({
            traceId: base64(span.trace),
            spanId: base64(span.id),
            ...(span.parent !== undefined && { parentSpanId: base64(span.parent) }),
            name: span.name,
            kind: 'SPAN_KIND_SERVER',
            startTimeUnixNano: nanos(span.at),
            endTimeUnixNano: nanos(span.at + span.took),
            attributes: Object.entries(span.attributes ?? {}).map(attribute),
            ...(span.stack !== undefined && {
              events: [
                {
                  timeUnixNano: nanos(span.at),
                  name: 'exception',
                  attributes: [attribute(['exception.stacktrace', span.stack])],
                },
              ],
            }),
            status: span.failed === undefined ? {} : { code: 'STATUS_CODE_ERROR', message: span.failed },
          })),
        },
      ],
    })),
  },
  metrics: {},
});

/** Whether a span matches a TraceQL query. Only the clauses that the client writes are evaluated. */
function matchesQuery(q: string, span: MadeSpan): boolean {
  const service = /resource\.service\.name = "([^"]*)"/.exec(q)?.[1];
  const minMs = /duration > (\d+)ms/.exec(q)?.[1];
  return (
    (service === undefined || span.service === service) &&
    (minMs === undefined || span.took > Number(minMs)) &&
    (!/status = error/.test(q) || span.failed !== undefined) &&
    (!/status != error/.test(q) || span.failed === undefined)
  );
}

export function traceServer(spans: readonly MadeSpan[]) {
  const traces = Map.groupBy(spans, ({ trace }) => trace);
  return ({ path, query }: DoubleRequest): DoubleAnswer => {
    const [start, end] = [Number(query.get('start')) * 1_000, Number(query.get('end')) * 1_000];
    const isInRange = (span: MadeSpan): boolean => span.at >= start && span.at < end;
    const q = query.get('q') ?? '';
    if (path === '/api/status/buildinfo') return { json: { version: '2.9.0', revision: 'ad33aa8' } };
    if (path === '/api/search/tags') return { json: { tagNames: ['service.name'] } };
    if (path === '/api/search') {
      if (!q.startsWith('{'))
        return { text: 'invalid TraceQL query: parse error at line 1, col 1', status: 400 };
      const foundTraces = [...traces].flatMap(([traceID, traceSpans]) => {
        const matchingSpans = traceSpans.filter((span) => isInRange(span) && matchesQuery(q, span));
        const root = traceSpans.find(({ parent }) => parent === undefined) ?? traceSpans[0]!;
        if (matchingSpans.length === 0) return [];
        return [
          {
            traceID: traceID.replace(/^0+/, ''),
            rootServiceName: root.service,
            rootTraceName: root.name,
            startTimeUnixNano: nanos(root.at),
            durationMs: Math.round(root.took),
            spanSets: [
              {
                spans: matchingSpans.slice(0, Number(query.get('spss'))).map((span) => ({
                  spanID: span.id,
                  startTimeUnixNano: nanos(span.at),
                  durationNanos: nanos(span.took),
                  attributes: [
                    attribute(['service.name', span.service]),
                    ...(span.failed === undefined ? [] : [attribute(['status', 'error'])]),
                  ],
                })),
                matched: matchingSpans.length,
              },
            ],
          },
        ];
      });
      return {
        json: { traces: foundTraces.slice(0, Number(query.get('limit'))), metrics: { totalBlocks: 3 } },
      };
    }
    if (path.startsWith('/api/v2/traces/')) {
      const traceSpans = traces.get(path.split('/').at(-1)!);
      return traceSpans === undefined
        ? { text: 'trace not found', status: 404 }
        : { json: traceOf(traceSpans) };
    }
    if (path !== '/api/metrics/query_range') return null;
    const step = Number.parseInt(query.get('step')!, 10) * 1_000;
    const matchingSpans = spans.filter((span) => isInRange(span) && matchesQuery(q, span));
    const isRate = q.includes('rate()');
    const series = [...Map.groupBy(matchingSpans, ({ service }) => service)].map(
      ([service, serviceSpans]) => ({
        labels: [attribute(['resource.service.name', service])],
        samples: [
          ...Map.groupBy(serviceSpans, ({ at }) => start + Math.floor((at - start) / step) * step),
        ].map(([at, stepSpans]) => ({
          timestampMs: String(at),
          value: isRate
            ? stepSpans.length / (step / 1_000)
            : Math.max(...stepSpans.map(({ took }) => took)) / 1_000,
        })),
      }),
    );
    return { json: { series, metrics: {} } };
  };
}
