import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion, fromNoon, isoFromNoon as iso, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { apiKey, openElasticsearch } from './elasticsearch.ts';
import { fieldsOf, valueAt } from './fields.ts';
import { type Document, searchServer } from './search-double.contract.ts';

const token = 'elastic-key-0123456789';
const of = (type: string) => ({
  [type]: { type, metadata_field: false, searchable: true, aggregatable: type !== 'text' },
});
/** As ECS has them, and as dynamic mapping makes them of another shipper. */
const caps = {
  '@timestamp': of('date'),
  'service.name': of('keyword'),
  'log.level': of('keyword'),
  level: of('text'),
  'level.keyword': of('keyword'),
  app: of('text'),
  'app.keyword': of('keyword'),
  message: of('text'),
  log: of('text'),
  'host.name': of('keyword'),
};

const document = (k: number, source: object): Document => ({
  index: '.ds-logs-shop-default-2026.07.11-000001',
  id: `d${k}`,
  source: { '@timestamp': iso(Math.floor(k / 3)), host: { name: 'ip-10-0-0-1' }, ...source },
});
const documents = Array.from({ length: 180 }, (_, n) => {
  const k = n - 90;
  if (n % 3 === 0)
    return document(k, {
      service: { name: 'shop' },
      'log.level': k < 0 ? 'info' : 'ERROR',
      message: k < 0 ? `served ${n}` : `charge ${n} failed token=abc-secret-123`,
      ...(k >= 0 && {
        error: {
          message: 'pool exhausted',
          stack_trace: 'Error: pool exhausted\n    at take (src/pool.ts:41:9)',
        },
      }),
    });
  // Another shipper, with other names, and JSON that was left as it came.
  if (n % 3 === 1) return document(k, { app: 'cart', level: 'warning', log: `slow answer ${n}` });
  return document(k, { app: 'cart', log: `{"level":"error","msg":"refused ${n}","took":${n}}` });
});

function guarded(server: (request: DoubleRequest) => DoubleAnswer) {
  return (request: DoubleRequest): DoubleAnswer => {
    if (request.headers.authorization !== `ApiKey ${token}`)
      return {
        json: { error: { type: 'security_exception', reason: 'unable to authenticate user' }, status: 401 },
        status: 401,
      };
    if (request.path === '/')
      return {
        json: {
          name: 'n1',
          cluster_name: 'c',
          version: { number: '8.15.0' },
          tagline: 'You Know, for Search',
        },
      };
    if (request.path === '/_security/user/_has_privileges')
      return {
        json: {
          username: 'sonde',
          has_all_requested: false,
          cluster: { all: false, manage: false, manage_security: true },
          index: {
            'logs-*': {
              read: true,
              view_index_metadata: false,
              write: true,
              delete_index: false,
              manage: false,
            },
          },
          application: {},
        },
      };
    return server(request);
  };
}
const elastic = guarded(searchServer(documents, caps));

const open = (base: string, more: object = {}, key = token): Signal =>
  openElasticsearch({
    base,
    fetch,
    clock: manualClock(noon),
    index: 'logs-*',
    authorization: apiKey({ reveal: () => key }),
    ...more,
  });

httpSignalContract('elasticsearch', {
  answer: elastic,
  open,
  openStranger: (base) => open(base, {}, 'another-key-0123456789'),
  window,
  ask: {
    elasticsearch_lines: { service: 'shop' },
    elasticsearch_patterns: {},
    elasticsearch_counts: { service: 'shop' },
    elasticsearch_search: { query: 'failed' },
    elasticsearch_fields: { contains: 'name' },
  },
  plentiful: [
    'elasticsearch_lines',
    'elasticsearch_patterns',
    'elasticsearch_counts',
    'elasticsearch_search',
    'elasticsearch_fields',
  ],
  timed: ['elasticsearch_lines', 'elasticsearch_patterns', 'elasticsearch_counts', 'elasticsearch_search'],
  posts: ['/logs-*/_search', '/_security/user/_has_privileges'],
  secrets: [token, 'abc-secret-123'],
});

const ask = async (signal: Signal, name: string, args: object) => {
  const reply = await askQuestion(signal, name, args, window);
  if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
  return reply;
};
const linesOf = async (signal: Signal, args: object) => {
  const reply = await ask(signal, 'elasticsearch_lines', args);
  if (reply.rows.kind !== 'lines') throw new Error(reply.rows.kind);
  return { ...reply, lines: reply.rows.lines };
};

test.each([1, 2, 3, 4, 7, 90, 5_000])('every document is seen once by pages of %d', async (pageSize) => {
  const server = await httpDouble(elastic);
  const { lines, completeness, notes } = await linesOf(open(server.base, { pageSize }), {});
  // Of one instant there are three: a page that holds no more can't tell whether there are others.
  const isWhole = pageSize > 3;
  expect(new Set(lines.map(({ text }) => text)).size).toBe(lines.length);
  expect([lines.length === 90, completeness === 'complete']).toEqual([pageSize > 2, isWhole]);
  if (!isWhole) expect(notes[0]).toMatch(/^Not all documents of .* were read/);
  await server.close();
});

test('service, level and message come from the fields that each shipper has', async () => {
  const server = await httpDouble(elastic);
  const { lines } = await linesOf(open(server.base), {});
  expect(lines.slice(0, 3)).toEqual([
    {
      at: fromNoon(0),
      service: 'shop',
      level: 'ERROR',
      text: 'charge 90 failed token=[secret] pool exhausted\nError: pool exhausted\n    at take (src/pool.ts:41:9)',
    },
    { at: fromNoon(0), service: 'cart', level: 'WARN', text: 'slow answer 91' },
    { at: fromNoon(0), service: 'cart', level: 'ERROR', text: 'refused 92 took=92' },
  ]);
  await server.close();
});

test('where there are too many, bad ones come first, and it says how many there were', async () => {
  const many = Array.from({ length: 3_000 }, (_, k) => ({
    index: 'logs-a',
    id: `m${k}`,
    source: {
      '@timestamp': new Date(noon + k * 600).toISOString(),
      'service.name': 'shop',
      'log.level': k % 100 === 99 ? 'error' : 'info',
      message: `line ${k}`,
    },
  }));
  const server = await httpDouble(guarded(searchServer(many, caps)));
  const { lines, completeness, notes, truncated } = await linesOf(
    open(server.base, { pageSize: 50, maxDocuments: 240 }),
    {},
  );
  expect(lines.filter(({ level }) => level === 'ERROR')).toHaveLength(30);
  expect([completeness, truncated?.total]).toEqual(['partial', null]);
  expect(notes).toEqual([
    '200 of 3000 documents were read: warnings and errors first, the others evenly over the time.',
  ]);
  // Of each twelfth of the time there are some.
  const parts = new Set(lines.map(({ at }) => Math.floor((at! - noon) / 150_000)));
  expect(parts.size).toBe(12);
  await server.close();
});

test('what the server counts is exact, without what was not there yet and the step that is not over', async () => {
  const server = await httpDouble(elastic);
  const count = async (now: number) => {
    const { rows } = await ask(open(server.base, { clock: manualClock(now) }), 'elasticsearch_counts', {
      service: 'shop',
    });
    if (rows.kind !== 'series') throw new Error(rows.kind);
    return rows.series;
  };
  const sum = (from: number, points: readonly (readonly [number, number])[]): number =>
    points.filter(([at]) => at >= from).reduce((total, [, value]) => total + value, 0);
  const [errors, ...others] = await count(fromNoon(90));
  expect([errors!.name, errors!.labels, others]).toEqual(['log_errors', { service: 'shop' }, []]);
  expect([errors!.points.length, sum(0, errors!.points), sum(noon, errors!.points)]).toEqual([120, 30, 30]);
  // Steps are of 30 s: the one that began at 12:10 is not over.
  const [now] = await count(fromNoon(10) + 20_000);
  expect(now!.points.at(-1)![0]).toBe(fromNoon(9.5));
  await server.close();
  const late = await httpDouble(guarded(searchServer(documents.slice(60), caps)));
  const { rows } = await ask(
    open(late.base, { clock: manualClock(fromNoon(90)) }),
    'elasticsearch_counts',
    {},
  );
  if (rows.kind !== 'series') throw new Error(rows.kind);
  expect(new Set(rows.series.map(({ points }) => points[0]![0]))).toEqual(new Set([fromNoon(-10)]));
  await late.close();
});

// What varies in a line becomes a gap, also within a key.
test('a secret that a gap of a pattern cuts is not told in part', async () => {
  const key = (k: number) => `wJalrXUtnFEMI/K${k}MDENG+bPxRfiCYEXAMPLEKEY`;
  const lines = Array.from({ length: 30 }, (_, k) =>
    document(k, {
      service: { name: 'shop' },
      level: 'error',
      message: `started with AWS_SECRET_ACCESS_KEY=${key(k)} of ${k}`,
    }),
  );
  const server = await httpDouble(guarded(searchServer(lines, caps)));
  const reply = await ask(open(server.base), 'elasticsearch_patterns', {});
  expect(JSON.stringify(reply)).not.toContain('EXAMPLEKEY');
  expect(reply.text).toContain('started with AWS_SECRET_ACCESS_KEY=[secret]');
  await server.close();
});

const broken = (more: object) =>
  guarded((request) => {
    const answer = searchServer(documents, caps)(request);
    if (answer === null || !('json' in answer) || !request.path.endsWith('_search')) return answer;
    return { json: { ...(answer.json as object), ...more } };
  });

// Integrations 3: what is missing is told.
test.each<[string, object, string]>([
  [
    'shards that failed',
    {
      _shards: {
        total: 5,
        successful: 3,
        skipped: 0,
        failed: 2,
        failures: [
          {
            shard: 0,
            index: 'logs-a',
            node: 'n',
            reason: { type: 'circuit_breaking_exception', reason: 'Data too large' },
          },
        ],
      },
    },
    '2 of 5 shards failed (logs-a: circuit_breaking_exception: Data too large): their documents are missing.',
  ],
  [
    'a search that took too long',
    { timed_out: true },
    'The search did not end within 8s: not all documents were seen.',
  ],
  [
    'clusters that were away',
    { _clusters: { total: 3, successful: 2, skipped: 1 } },
    '1 of 3 clusters were not asked.',
  ],
])('%s are told, and it is not complete', async (_, more, note) => {
  const server = await httpDouble(broken(more));
  for (const name of [
    'elasticsearch_lines',
    'elasticsearch_patterns',
    'elasticsearch_counts',
    'elasticsearch_search',
  ]) {
    const reply = await ask(
      open(server.base),
      name,
      name === 'elasticsearch_search' ? { query: 'failed' } : {},
    );
    expect([reply.completeness, reply.notes[0]], name).toEqual(['partial', note]);
  }
  await server.close();
});

test.each([
  [{ number: '8.15.0' }, '8.15.0'],
  [{ distribution: 'opensearch', number: '2.15.0' }, 'opensearch 2.15.0'],
  [null, null],
])('a server that says %j of itself', async (version, expected) => {
  const server = await httpDouble((request) =>
    request.path !== '/'
      ? elastic(request)
      : version === null
        ? {
            json: { error: { type: 'security_exception', reason: 'no right cluster:monitor/main' } },
            status: 403,
          }
        : { json: { version } },
  );
  expect(await open(server.base).health()).toEqual({ kind: 'healthy', version: expected });
  await server.close();
});

test('an index without a time is no source of logs, and the setting is named', async () => {
  const server = await httpDouble(guarded(searchServer([], { title: of('text') })));
  expect(await open(server.base).health()).toMatchObject({
    kind: 'unhealthy',
    reason: expect.stringContaining('elasticsearch_index'),
  });
  expect(await askQuestion(open(server.base), 'elasticsearch_lines', {}, window)).toMatchObject({
    reason: 'not_found',
  });
  await server.close();
});

test('what the account may do is asked of Elasticsearch; OpenSearch does not tell', async () => {
  const asking = new AbortController().signal;
  const server = await httpDouble(elastic);
  expect((await open(server.base).inspect!(asking)).rights).toEqual({
    missing: ['view_index_metadata logs-*'],
    excess: ['manage_security of the cluster', 'write logs-*'],
  });
  await server.close();
  const other = await httpDouble((request) =>
    request.path.startsWith('/_security') ? null : elastic(request),
  );
  expect((await open(other.base).inspect!(asking)).rights).toBe('unknown');
  await other.close();
});

test.each(['', ' , ', 'logs/../_cluster', '..', 'a b'])('%j names no index', (index) => {
  expect(() => open('http://127.0.0.1:1', { index })).toThrow(/elasticsearch_index/);
});

test('fields: the type counts, and a text counts by its keyword', () => {
  expect(fieldsOf({ time: of('keyword') as never })).toBeNull();
  expect(
    fieldsOf({
      timestamp: of('date_nanos'),
      service: of('object'),
      level: of('long'),
      body: of('match_only_text'),
    }),
  ).toEqual({
    time: 'timestamp',
    services: [],
    levels: [{ name: 'level', whole: 'level' }],
    messages: ['body'],
  });
  const source = { a: { 'b.c': { d: 1 } }, 'e.f': { g: 2 } };
  expect([valueAt(source, 'a.b.c.d'), valueAt(source, 'e.f.g'), valueAt(source, 'a.x')]).toEqual([
    1,
    2,
    undefined,
  ]);
});
