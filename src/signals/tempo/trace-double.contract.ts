/** As much of Tempo as the client asks for, over spans in memory. */
import type { DoubleAnswer, DoubleRequest } from '../http-double.contract.ts';

export interface MadeSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly service: string;
  readonly name: string;
  /** Milliseconds since the Unix epoch, and milliseconds. */
  readonly at: number;
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
    resourceSpans: [...Map.groupBy(spans, ({ service }) => service)].map(([service, own]) => ({
      resource: { attributes: [attribute(['service.name', service]), attribute(['process.pid', '7'])] },
      scopeSpans: [
        {
          scope: { name: 'made' },
          spans: own.map((one) => ({
            traceId: base64(one.trace),
            spanId: base64(one.id),
            ...(one.parent !== undefined && { parentSpanId: base64(one.parent) }),
            name: one.name,
            kind: 'SPAN_KIND_SERVER',
            startTimeUnixNano: nanos(one.at),
            endTimeUnixNano: nanos(one.at + one.took),
            attributes: Object.entries(one.attributes ?? {}).map(attribute),
            ...(one.stack !== undefined && {
              events: [
                {
                  timeUnixNano: nanos(one.at),
                  name: 'exception',
                  attributes: [attribute(['exception.stacktrace', one.stack])],
                },
              ],
            }),
            status: one.failed === undefined ? {} : { code: 'STATUS_CODE_ERROR', message: one.failed },
          })),
        },
      ],
    })),
  },
  metrics: {},
});

/** Of TraceQL the clauses that the client writes. */
function fits(q: string, one: MadeSpan): boolean {
  const service = /resource\.service\.name = "([^"]*)"/.exec(q)?.[1];
  const least = /duration > (\d+)ms/.exec(q)?.[1];
  return (
    (service === undefined || one.service === service) &&
    (least === undefined || one.took > Number(least)) &&
    (!/status = error/.test(q) || one.failed !== undefined) &&
    (!/status != error/.test(q) || one.failed === undefined)
  );
}

export function traceServer(spans: readonly MadeSpan[]) {
  const traces = Map.groupBy(spans, ({ trace }) => trace);
  return ({ path, query }: DoubleRequest): DoubleAnswer => {
    const [start, end] = [Number(query.get('start')) * 1_000, Number(query.get('end')) * 1_000];
    const within = (one: MadeSpan): boolean => one.at >= start && one.at < end;
    const q = query.get('q') ?? '';
    if (path === '/api/status/buildinfo') return { json: { version: '2.9.0', revision: 'ad33aa8' } };
    if (path === '/api/search/tags') return { json: { tagNames: ['service.name'] } };
    if (path === '/api/search') {
      if (!q.startsWith('{'))
        return { text: 'invalid TraceQL query: parse error at line 1, col 1', status: 400 };
      const found = [...traces].flatMap(([traceID, own]) => {
        const matched = own.filter((one) => within(one) && fits(q, one));
        const root = own.find(({ parent }) => parent === undefined) ?? own[0]!;
        if (matched.length === 0) return [];
        return [
          {
            traceID: traceID.replace(/^0+/, ''),
            rootServiceName: root.service,
            rootTraceName: root.name,
            startTimeUnixNano: nanos(root.at),
            durationMs: Math.round(root.took),
            spanSets: [
              {
                spans: matched.slice(0, Number(query.get('spss'))).map((one) => ({
                  spanID: one.id,
                  startTimeUnixNano: nanos(one.at),
                  durationNanos: nanos(one.took),
                  attributes: [
                    attribute(['service.name', one.service]),
                    ...(one.failed === undefined ? [] : [attribute(['status', 'error'])]),
                  ],
                })),
                matched: matched.length,
              },
            ],
          },
        ];
      });
      return { json: { traces: found.slice(0, Number(query.get('limit'))), metrics: { totalBlocks: 3 } } };
    }
    if (path.startsWith('/api/v2/traces/')) {
      const own = traces.get(path.split('/').at(-1)!);
      return own === undefined ? { text: 'trace not found', status: 404 } : { json: traceOf(own) };
    }
    if (path !== '/api/metrics/query_range') return null;
    const step = Number.parseInt(query.get('step')!, 10) * 1_000;
    const matched = spans.filter((one) => within(one) && fits(q, one));
    const isRate = q.includes('rate()');
    const series = [...Map.groupBy(matched, ({ service }) => service)].map(([service, own]) => ({
      labels: [attribute(['resource.service.name', service])],
      samples: [...Map.groupBy(own, ({ at }) => start + Math.floor((at - start) / step) * step)].map(
        ([at, some]) => ({
          timestampMs: String(at),
          value: isRate ? some.length / (step / 1_000) : Math.max(...some.map(({ took }) => took)) / 1_000,
        }),
      ),
    }));
    return { json: { series, metrics: {} } };
  };
}
