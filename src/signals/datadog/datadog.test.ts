/** Against a double that makes its answers from the recorded ones, with small pages. */
import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import {
  askQuestion,
  fromNoon as at,
  isoFromNoon as iso,
  noon,
  noonWindow as window,
} from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { readRecordedBody, readRecording } from '../recording.contract.ts';
import { openDatadog } from './datadog.ts';

const keys = ['datadog-key-0123456789', 'datadog-app-key-0123456789'] as const;
const reveal = (text: string) => ({ reveal: () => text });
const minutes = Array.from({ length: 80 }, (_, k) => k - 40);

const recording = readRecording(import.meta.dirname);
type Bag = Record<string, unknown>;
const metrics = readRecordedBody<{ series: Bag[] }>(recording, 'datadog_metrics');
const logs = readRecordedBody<{ data: { attributes: Bag }[]; meta: Bag }>(recording, 'datadog_patterns');
const events = readRecordedBody<{ data: { attributes: Bag & { attributes: Bag } }[] }>(
  recording,
  'datadog_events',
);
const monitors = readRecordedBody<Bag[]>(recording, 'datadog_monitors');

function paged<Item>(items: readonly Item[], cursor: unknown, size: number) {
  const first = Number(cursor ?? 0);
  const more = first + size < items.length;
  return {
    data: items.slice(first, first + size),
    meta: { ...logs.meta, page: more ? { after: String(first + size) } : {} },
  };
}

function double({ method, path, query, headers, body }: DoubleRequest): DoubleAnswer {
  if (headers['dd-api-key'] !== keys[0] || headers['dd-application-key'] !== keys[1])
    return { json: { errors: ['Forbidden'] }, status: 403 };
  const between = (from: number, to: number) => minutes.filter((k) => at(k) >= from && at(k) < to);
  if (path === '/api/v1/validate') return { json: { valid: true } };
  if (path === '/api/v1/query') {
    if (query.get('query') === 'nonsense') return { json: { errors: ['Error parsing query'] }, status: 400 };
    if (query.get('query') === 'forgotten')
      return { json: { ...metrics, status: 'error', error: 'Unknown metric', series: [] } };
    const span = between(Number(query.get('from')) * 1_000, Number(query.get('to')) * 1_000);
    const list = (host: string, scale: number) => ({
      ...metrics.series[0],
      metric: 'shop.latency',
      scope: `host:${host}`,
      tag_set: [`host:${host}`],
      pointlist: span.map((k) => [at(k), k === -7 ? null : k < 5 ? scale + (k % 3) : scale * 9]),
    });
    return { json: { ...metrics, series: [list('b', 5), list('a', 10)] } };
  }
  if (method === 'POST' && path === '/api/v2/logs/events/search') {
    const { filter, page } = JSON.parse(body);
    if (page.limit > 1_000) return { json: { errors: ['limit is too high'] }, status: 400 };
    const lines = between(Date.parse(filter.from), Date.parse(filter.to)).map((k) => ({
      ...logs.data[0],
      attributes: {
        ...logs.data[0]!.attributes,
        timestamp: iso(k),
        status: k < 5 ? 'info' : 'error',
        message: `${k < 5 ? 'served' : 'failed'} ${k} api_key=datadog-secret-1`,
      },
    }));
    return { json: paged(lines, page.cursor, 25) };
  }
  if (path === '/api/v2/events') {
    const [from, to] = [query.get('filter[from]')!, query.get('filter[to]')!].map((one) => Date.parse(one));
    const [, deploy] = events.data;
    const list = between(from!, to!)
      .filter((k) => [3, -3].includes(k))
      .map((k) => ({
        ...deploy,
        attributes: {
          ...deploy!.attributes,
          timestamp: iso(k),
          attributes: { ...deploy!.attributes.attributes, title: `Deployed ${k}` },
        },
      }));
    return { json: paged(list, query.get('page[cursor]'), 1) };
  }
  if (path !== '/api/v1/monitor') return null;
  const all = [
    { ...monitors[0], name: 'latency', overall_state_modified: iso(6) },
    { ...monitors[1], name: 'fine' },
  ];
  return { json: all.filter(({ name }) => name.includes(query.get('name') ?? '')) };
}

const open = (base: string, key: string = keys[0]): Signal =>
  openDatadog({
    base,
    fetch,
    clock: manualClock(noon),
    apiKey: reveal(key),
    applicationKey: reveal(keys[1]),
  });

httpSignalContract('datadog', {
  answer: double,
  open,
  openStranger: (base) => open(base, 'another-key-0123456789'),
  window,
  ask: {
    datadog_metrics: { query: 'avg:shop.latency{*} by {host}' },
    datadog_lines: {},
    datadog_patterns: {},
    datadog_events: { query: 'service:shop' },
    datadog_monitors: { name: 'latency' },
  },
  plentiful: ['datadog_metrics', 'datadog_lines', 'datadog_patterns', 'datadog_events'],
  timed: ['datadog_metrics', 'datadog_lines', 'datadog_patterns', 'datadog_events'],
  posts: ['/api/v2/logs/events/search'],
  secrets: [...keys, 'datadog-secret-1'],
});

test.each<[string, object, object]>([
  [
    'datadog_metrics',
    { query: 'x' },
    { rows: { series: [{ name: 'shop.latency', labels: { host: 'a' } }, { labels: { host: 'b' } }] } },
  ],
  ['datadog_metrics', { query: 'nonsense' }, { kind: 'failure', reason: 'bad_query' }],
  [
    'datadog_metrics',
    { query: 'forgotten' },
    { kind: 'failure', reason: 'bad_query', message: expect.stringContaining('Unknown metric') },
  ],
  [
    'datadog_patterns',
    {},
    {
      completeness: 'complete',
      rows: {
        lines: 30,
        patterns: [
          { template: 'failed <*> api_key=<*>', service: 'shop', level: 'ERROR', count: 25, baseline: 0 },
          { count: 5, baseline: 30 },
        ],
      },
    },
  ],
  ['datadog_events', {}, { rows: { lines: [{ service: 'shop', at: at(-3) }, { at: at(3) }] } }],
  [
    'datadog_monitors',
    {},
    { rows: { alerts: [{ name: 'latency', state: 'firing', since: at(6), query: expect.any(String) }] } },
  ],
  ['datadog_monitors', { name: 'fine' }, { rows: { alerts: [{ name: 'fine', state: 'resolved' }] } }],
])('%s %j', async (name, args, expected) => {
  const server = await httpDouble(double);
  expect(await askQuestion(open(server.base), name, args, window)).toMatchObject(expected);
  await server.close();
});

// incident.md: gather_evidence 10: what was cut is told.
test('a search that ran out of time, and a page that fails, leave what was read and say so', async () => {
  let posts = 0;
  const server = await httpDouble((request) => {
    const whole = double(request);
    if (request.method !== 'POST' || whole === null || !('json' in whole)) return whole;
    posts++;
    if (posts === 2) return { json: { errors: ['oh no'] }, status: 500 };
    const { data, meta } = whole.json as { data: unknown; meta: Bag };
    return { json: { data, meta: { ...meta, status: 'timeout' } } };
  });
  expect(await askQuestion(open(server.base), 'datadog_lines', {}, window)).toMatchObject({
    completeness: 'partial',
    notes: [
      'Datadog ran out of time, and gave what it had found.',
      expect.stringMatching(/^Not all could be read: .*answered 500/),
    ],
    rows: { lines: { length: 25 } },
  });
  await server.close();
});
