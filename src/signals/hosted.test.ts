/** Datadog, Grafana and Sentry, against doubles that answer as their documentation has it. */
import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../core/index.ts';
import { openDatadog } from './datadog/datadog.ts';
import { openGrafana } from './grafana/grafana.ts';
import { brokenServers, type DoubleAnswer, type DoubleRequest, httpDouble } from './http-double.contract.ts';
import { openSentry } from './sentry/sentry.ts';
import { contractLimits, signalContract } from './signal.contract.ts';

const noon = Date.UTC(2026, 6, 11, 12);
const minute = 60_000;
const window = {
  from: noon,
  to: noon + 30 * minute,
  baseline_from: noon - 30 * minute,
  derivation: 'a test',
};
const iso = (k: number): string => new Date(noon + k * minute).toISOString();
const keys = ['hosted-key-0123456789', 'hosted-app-key-0123456789'] as const;
const reveal = (text: string) => ({ reveal: () => text });
const minutes = Array.from({ length: 80 }, (_, k) => k - 40);

const between = (k: number, from: number, to: number): boolean =>
  noon + k * minute >= from && noon + k * minute < to;

function datadog({ method, path, query, headers, body }: DoubleRequest): DoubleAnswer {
  if (headers['dd-api-key'] !== keys[0] || headers['dd-application-key'] !== keys[1])
    return { json: { errors: ['Forbidden'] }, status: 403 };
  if (path === '/api/v1/validate') return { json: { valid: true } };
  if (path === '/api/v1/query') {
    if (query.get('query') === 'nonsense') return { json: { errors: ['Error parsing query'] }, status: 400 };
    const list = (host: string, scale: number) => ({
      metric: 'shop.latency',
      display_name: 'shop.latency',
      scope: `host:${host}`,
      tag_set: [`host:${host}`],
      interval: 60,
      pointlist: minutes
        .filter((k) => between(k, Number(query.get('from')) * 1_000, Number(query.get('to')) * 1_000))
        .map((k) => [noon + k * minute, k === -7 ? null : k < 5 ? scale + (k % 3) : scale * 9]),
    });
    return { json: { status: 'ok', res_type: 'time_series', series: [list('b', 5), list('a', 10)] } };
  }
  if (method === 'POST' && path === '/api/v2/logs/events/search') {
    const asked = JSON.parse(body);
    const found = minutes.filter((k) =>
      between(k, Date.parse(asked.filter.from), Date.parse(asked.filter.to)),
    );
    const at = Number(asked.page.cursor ?? 0);
    const page = found.slice(at, at + 25);
    return {
      json: {
        data: page.map((k) => ({
          id: `l${k}`,
          type: 'log',
          attributes: {
            timestamp: iso(k),
            service: 'shop',
            status: k < 5 ? 'info' : 'error',
            message: `${k < 5 ? 'served' : 'failed'} ${k} api_key=hosted-secret-1`,
            tags: ['env:prod'],
          },
        })),
        ...(at + 25 < found.length && { meta: { page: { after: String(at + 25) } } }),
      },
    };
  }
  if (path === '/api/v1/events')
    return {
      json: {
        events: [3, -3].map((k) => ({
          id: k,
          title: `Deployed ${k}`,
          text: 'by ci',
          date_happened: (noon + k * minute) / 1_000,
          alert_type: 'info',
          source: 'ci',
          tags: ['service:shop'],
        })),
      },
    };
  if (path === '/api/v1/monitor')
    return {
      json: [
        {
          id: 1,
          name: 'latency',
          query: 'avg(last_5m):avg:shop.latency{*} > 50',
          type: 'metric alert',
          overall_state: 'Alert',
          overall_state_modified: iso(6),
          message: 'page @ops',
          tags: [],
        },
        { id: 2, name: 'fine', query: 'x', type: 'metric alert', overall_state: 'OK', message: '', tags: [] },
      ].filter(({ name }) => query.get('name') === null || name.includes(query.get('name')!)),
    };
  return null;
}

function grafana({ method, path, headers, body }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== `Bearer ${keys[0]}`)
    return { json: { message: 'Unauthorized' }, status: 401 };
  if (path === '/api/health') return { json: { commit: 'x', database: 'ok', version: '11.1.0' } };
  if (path === '/api/alertmanager/grafana/api/v2/alerts')
    return {
      json: [
        {
          labels: { alertname: 'Slow', grafana_folder: 'shop' },
          annotations: { summary: 'slow with token=hosted-secret-1' },
          startsAt: iso(4),
          endsAt: iso(500),
          status: { state: 'active', inhibitedBy: [], silencedBy: [] },
          receivers: [],
        },
      ],
    };
  if (path === '/api/annotations')
    return {
      json: [2, -2].map((k) => ({
        id: 50 + k,
        time: noon + k * minute,
        timeEnd: noon,
        text: 'deploy of 559e94ce37a7',
        tags: ['deploy', 'service:shop'],
        login: 'ann',
        alertName: '',
      })),
    };
  if (path === '/api/datasources')
    return {
      json: ['prom', 'loki'].map((uid) => ({
        id: 1,
        uid,
        name: uid,
        type: uid,
        url: 'http://x',
        isDefault: uid === 'prom',
        secureJsonFields: {},
      })),
    };
  if (path === '/api/search')
    return { json: ['Shop', 'Cart'].map((title) => ({ uid: title, title, type: 'dash-db', tags: [] })) };
  if (method === 'POST' && path === '/api/ds/query') {
    const { from, to, queries } = JSON.parse(body);
    if (queries[0].expr === 'nonsense')
      return { json: { results: { A: { error: 'parse error', status: 400, frames: [] } } } };
    const times = minutes.filter((k) => between(k, Number(from), Number(to))).map((k) => noon + k * minute);
    return {
      json: {
        results: {
          A: {
            status: 200,
            frames: [
              {
                schema: {
                  refId: 'A',
                  fields: [
                    { name: 'Time', type: 'time' },
                    { name: 'Value', type: 'number', labels: { __name__: 'up', job: 'shop' } },
                  ],
                },
                data: { values: [times, times.map((_, k) => (k === 3 ? null : k))] },
              },
            ],
          },
        },
      },
    };
  }
  return null;
}

function sentry({ path, headers }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== `Bearer ${keys[0]}`)
    return { json: { detail: 'Invalid token' }, status: 401 };
  const root = '/api/0/organizations/acme/';
  if (path === root) return { json: { slug: 'acme', id: '1' } };
  if (path === `${root}issues/`)
    return {
      json: [7, -9_000].map((k) => ({
        id: String(10_000 + k),
        shortId: `SHOP-${k}`,
        title: 'TypeError: x is undefined',
        culprit: 'charge(pay)',
        level: 'error',
        count: '321',
        userCount: 12,
        firstSeen: iso(k),
        lastSeen: iso(20),
        project: { slug: 'shop' },
        status: 'unresolved',
      })),
    };
  if (path === `${root}issues/10007/events/latest/`)
    return {
      json: {
        eventID: 'e',
        dateCreated: iso(9),
        message: '',
        tags: [
          { key: 'release', value: 'v2' },
          { key: 'server_name', value: 'a' },
        ],
        entries: [
          {
            type: 'exception',
            data: {
              values: [
                {
                  type: 'TypeError',
                  value: 'x is undefined, password=hosted-secret-1',
                  stacktrace: {
                    frames: [
                      { filename: 'lib.js', function: 'run', lineNo: 1, inApp: false },
                      { filename: 'pay.ts', function: 'charge', lineNo: 42, inApp: true },
                    ],
                  },
                },
              ],
            },
          },
          { type: 'breadcrumbs', data: { values: [] } },
        ],
      },
    };
  if (path === `${root}releases/`)
    return {
      json: [4, -4, -400].map((k) => ({
        version: `v${k}`,
        dateCreated: iso(k),
        dateReleased: null,
        commitCount: 3,
        lastCommit: { id: '559e94ce37a7', message: 'retry\n\nbody' },
        projects: [{ slug: 'shop' }],
      })),
    };
  return null;
}

const clock = manualClock(noon);
const hosted: Readonly<
  Record<
    string,
    {
      answer: typeof datadog;
      open: (base: string) => Signal;
      ask: Record<string, unknown>;
      plentiful: string[];
    }
  >
> = {
  datadog: {
    answer: datadog,
    open: (base) =>
      openDatadog({ base, fetch, clock, apiKey: reveal(keys[0]), applicationKey: reveal(keys[1]) }),
    ask: {
      datadog_metrics: { query: 'avg:shop.latency{*} by {host}' },
      datadog_lines: {},
      datadog_patterns: {},
      datadog_events: {},
      datadog_monitors: {},
    },
    plentiful: ['datadog_metrics', 'datadog_lines', 'datadog_patterns', 'datadog_events'],
  },
  grafana: {
    answer: grafana,
    open: (base) =>
      openGrafana({ base, fetch, clock, authorization: { kind: 'bearer', token: reveal(keys[0]) } }),
    ask: {
      grafana_alerts: {},
      grafana_annotations: {},
      grafana_query: { source_uid: 'prom', query: 'up' },
      grafana_sources: {},
      grafana_dashboards: {},
    },
    plentiful: ['grafana_annotations', 'grafana_query', 'grafana_sources', 'grafana_dashboards'],
  },
  sentry: {
    answer: sentry,
    open: (base) =>
      openSentry({
        base,
        organization: 'acme',
        fetch,
        clock,
        authorization: { kind: 'bearer', token: reveal(keys[0]) },
      }),
    ask: { sentry_issues: {}, sentry_stack: { issue: '10007' }, sentry_releases: {} },
    plentiful: ['sentry_issues', 'sentry_stack', 'sentry_releases'],
  },
};

for (const [name, { answer, open, ask, plentiful }] of Object.entries(hosted))
  signalContract(name, async () => {
    const server = await httpDouble(answer);
    const { broken, close } = await brokenServers(open);
    return {
      signal: open(server.base),
      window,
      ask,
      plentiful,
      secrets: [...keys, 'hosted-secret-1'],
      broken,
      async dispose() {
        // A system is only ever read: the few posts are searches.
        const posts = server.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path);
        expect(new Set(posts).difference(new Set(['/api/v2/logs/events/search', '/api/ds/query']))).toEqual(
          new Set(),
        );
        await server.close();
        await close();
      },
    };
  });

const see = async (system: string, question: string, args: unknown = hosted[system]!.ask[question]) => {
  const server = await httpDouble(hosted[system]!.answer);
  const signal = hosted[system]!.open(server.base);
  const reply = await signal.questions
    .find((one) => one.name === question)!
    .ask(args, { window, limits: contractLimits });
  await server.close();
  return reply;
};

test.each<[string, string, unknown, object]>([
  [
    'datadog',
    'datadog_metrics',
    undefined,
    { rows: { series: [{ name: 'shop.latency', labels: { host: 'a' } }, { labels: { host: 'b' } }] } },
  ],
  ['datadog', 'datadog_metrics', { query: 'nonsense' }, { kind: 'failure', reason: 'bad_query' }],
  [
    'datadog',
    'datadog_patterns',
    undefined,
    {
      rows: {
        lines: 30,
        patterns: [
          { template: 'failed <*> api_key=<*>', service: 'shop', level: 'ERROR', count: 25, baseline: 0 },
          { count: 5, baseline: 30 },
        ],
      },
    },
  ],
  [
    'datadog',
    'datadog_monitors',
    undefined,
    {
      rows: {
        alerts: [
          {
            name: 'latency',
            state: 'firing',
            since: noon + 6 * minute,
            query: 'avg(last_5m):avg:shop.latency{*} > 50',
          },
        ],
      },
    },
  ],
  [
    'datadog',
    'datadog_monitors',
    { name: 'fine' },
    { rows: { alerts: [{ name: 'fine', state: 'resolved' }] } },
  ],
  [
    'grafana',
    'grafana_annotations',
    undefined,
    {
      rows: { changes: [{ kind: 'deploy', service: 'shop', author: 'ann', commits: ['559e94ce37a7'] }, {}] },
    },
  ],
  [
    'grafana',
    'grafana_query',
    { source_uid: 'prom', query: 'nonsense' },
    { notes: ['Grafana: parse error'], text: 'No series were found.' },
  ],
  [
    'sentry',
    'sentry_issues',
    undefined,
    {
      rows: {
        patterns: [
          { service: 'shop', level: 'ERROR', count: 321, baseline: 0, first: noon + 7 * minute },
          { baseline: null },
        ],
      },
    },
  ],
  [
    'sentry',
    'sentry_releases',
    undefined,
    { rows: { changes: [{ kind: 'deploy', id: 'v4', commits: ['559e94ce37a7'] }, { id: 'v-4' }] } },
  ],
  ['sentry', 'sentry_stack', undefined, { text: expect.stringContaining('at charge (pay.ts:42)') }],
])('%s: %s %j', async (system, question, args, expected) => {
  expect(await see(system, question, args ?? hosted[system]!.ask[question])).toMatchObject(expected);
});
