/**
 * What each system gives an investigation: asked by its plan, judged without a model, with its own records as evidence.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { awsServer, type MadeAccount } from '../../signals/cloudwatch/aws-double.contract.ts';
import { type Document, searchServer } from '../../signals/elasticsearch/search-double.contract.ts';
import type { DoubleAnswer, DoubleRequest } from '../../signals/http-double.contract.ts';
import {
  openArgocd,
  openCloudwatch,
  openElasticsearch,
  openKubernetes,
  openTempo,
} from '../../signals/index.ts';
import { type ScriptedSignal, scriptedSignal } from '../../signals/scripted.ts';
import { type MadeSpan, traceServer } from '../../signals/tempo/trace-double.contract.ts';
import { bench, runTrial } from './incident.contract.ts';

const { store, close } = bench();
afterAll(close);

const noon = Date.UTC(2026, 6, 11, 12);
const minute = 60_000;
const iso = (minutes: number): string => new Date(noon + minutes * minute).toISOString().replace('.000', '');
const clock = manualClock(noon + 30 * minute);

/** A server that answers by path. */
const serving =
  (answers: Readonly<Record<string, unknown>>): typeof globalThis.fetch =>
  async (address) => {
    const { pathname } = new URL(String(address));
    return Object.hasOwn(answers, pathname)
      ? Response.json(answers[pathname])
      : new Response('not found', { status: 404 });
  };

/** A double of a server, without its port. */
const asFetch =
  (answer: (request: DoubleRequest) => DoubleAnswer): typeof globalThis.fetch =>
  async (address, init) => {
    const { pathname, searchParams } = new URL(String(address));
    const found = answer({
      path: pathname,
      query: searchParams,
      method: init?.method ?? 'GET',
      body: String(init?.body ?? ''),
      headers: Object.fromEntries(new Headers(init?.headers)),
    });
    if (found !== null && 'text' in found) return new Response(found.text, { status: found.status ?? 200 });
    return found !== null && 'json' in found ? Response.json(found.json) : new Response('', { status: 404 });
  };

const alert = (service: string, summary: string): string =>
  JSON.stringify({ monitor: `${service}-errors`, service, summary, severity: 'critical', fired_at: iso(20) });

/** Logs of a service that was calm, and has said something bad since. */
const logsOf = (service: string, bad: string, since: number): ScriptedSignal =>
  scriptedSignal(
    {
      patterns: {
        topic: 'logs',
        script: {
          rows: {
            kind: 'patterns',
            patterns: [
              ...[
                { template: 'served <*>', level: 'INFO', baseline: 200, count: 210, first: -30 },
                { template: bad, level: 'ERROR', baseline: 0, count: 140, first: since },
              ].map(({ first, ...one }) => ({
                ...one,
                service,
                first: noon + first * minute,
                last: noon + 25 * minute,
                example: one.template.replace('<*>', '7'),
              })),
            ],
            lines: 350,
          },
        },
      },
    },
    { system: 'logs', clock },
  );

const investigate = async (alertText: string, signals: readonly Signal[]) => {
  const { incident } = await runTrial(store, { alert: alertText, signals, now: noon + 30 * minute });
  const evidence = new Map(
    (await store.events(incident.run_id)).flatMap(({ event }) =>
      event.kind === 'evidence_registered' ? [[event.evidence.id, event.evidence.file_path] as const] : [],
    ),
  );
  return { incident, shownBy: (id: string) => evidence.get(id) };
};

const poolError = 'could not take a connection: pool max of 4 reached';
const hashes = ['b0f3f1d5a7c24d1f9e6a0c5b1d2e3f4a5b6c7d8e', '3f2a91c4d5e6f708192a3b4c5d6e7f8091a2b3c4'];

describe('Argo CD', () => {
  const source = (pool: number) => ({
    repoURL: 'https://github.com/acme/deploy.git',
    path: 'apps/orders',
    targetRevision: 'main',
    helm: { parameters: [{ name: 'pool.max', value: String(pool) }] },
  });
  const argo = (at: number, pool: number): Signal => {
    const synced = (id: number, k: number, deployed: number, size: number) => ({
      id,
      revision: hashes[k],
      deployedAt: iso(deployed),
      source: source(size),
      initiatedBy: { automated: true },
    });
    const application = {
      metadata: { name: 'orders' },
      spec: { project: 'shop', source: source(pool) },
      status: {
        sync: { status: 'Synced', revision: hashes[1] },
        health: { status: 'Degraded', message: 'Deployment "orders" exceeded its progress deadline' },
        history: [synced(40, 0, -900, 20), synced(41, 1, at, pool)],
        resources: [{ kind: 'Deployment', name: 'orders', status: 'Synced' }],
      },
    };
    return openArgocd({
      base: 'http://argocd.test',
      clock,
      fetch: serving({
        '/api/version': { Version: 'v3.6.0' },
        '/api/v1/applications': { items: [application] },
      }),
    });
  };

  it('a setting that a sync brought before the onset, and that the errors name, is to blame', async () => {
    const { incident, shownBy } = await investigate(alert('orders', poolError), [
      logsOf('orders', poolError, 5),
      argo(4, 4),
    ]);
    expect(incident).toMatchObject({
      verdict: 'config_change',
      blamed: { kind: 'config', id: 'orders#41', service: 'orders' },
    });
    expect(incident.links[0]!.evidence.map(shownBy)).toContainEqual(expect.stringContaining('argocd_syncs'));
  });

  it('a sync that only came at that time is not, nor is an application that is degraded', async () => {
    const { incident } = await investigate(alert('orders', 'disk quota of the tenant is over'), [
      logsOf('orders', 'upload of <*> refused by the tenant', 5),
      argo(4, 20),
    ]);
    expect(incident).toMatchObject({ verdict: 'inconclusive', blamed: null });
  });

  it('one that came after it began is not', async () => {
    const { incident } = await investigate(alert('orders', poolError), [
      logsOf('orders', poolError, 5),
      argo(15, 4),
    ]);
    expect(incident.blamed?.kind).not.toBe('config');
  });

  it('a commit of the code is deployed by the sync that names it', async () => {
    const diff =
      'diff --git a/src/orders/pool.ts b/src/orders/pool.ts\n@@ -1,3 +1,3 @@\n-  max: 20,\n+  max: 4,\n';
    const code = scriptedSignal(
      {
        commits: {
          topic: 'changes',
          script: {
            rows: {
              kind: 'changes',
              changes: [
                {
                  kind: 'commit',
                  id: hashes[1]!,
                  at: noon - 90 * minute,
                  service: null,
                  author: 'dana',
                  title: 'smaller pool of connections',
                  commits: [hashes[1]!],
                  paths: ['src/orders/pool.ts'],
                  diff,
                },
              ],
            },
          },
        },
      },
      { system: 'git', clock },
    );
    const { incident } = await investigate(alert('orders', poolError), [
      logsOf('orders', poolError, 5),
      argo(4, 20),
      code,
    ]);
    expect(incident.blamed).toEqual({ kind: 'commit', id: hashes[1], service: 'orders' });
    expect(incident.suspects[0]!.why).toMatch(/^deployed to orders 1 min before the onset/);
  });
});

describe('Helm', () => {
  const set = (revision: number, at: number, memory: string, chart: string) => ({
    metadata: {
      name: `orders-${revision}`,
      namespace: 'prod',
      creationTimestamp: iso(at),
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        'meta.helm.sh/release-name': 'orders',
      },
      ownerReferences: [{ kind: 'Deployment', name: 'orders' }],
    },
    spec: {
      template: {
        metadata: { labels: { 'helm.sh/chart': chart } },
        spec: {
          containers: [{ name: 'orders', image: 'orders:1.8.0', resources: { limits: { memory } }, env: [] }],
        },
      },
    },
  });
  const killed = {
    metadata: { name: 'orders-8-x2k4p', namespace: 'prod', creationTimestamp: iso(4) },
    spec: { containers: [{ name: 'orders', image: 'orders:1.8.0' }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'orders',
          ready: false,
          restartCount: 5,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
          lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: iso(12) } },
        },
      ],
    },
  };
  const cluster = (sets: readonly unknown[], pods: readonly unknown[]): Signal =>
    openKubernetes({
      base: 'http://kubernetes.test',
      clock,
      fetch: serving({
        '/version': { gitVersion: 'v1.33.0' },
        '/api/v1/pods': { items: pods },
        '/api/v1/events': { items: [] },
        '/apis/apps/v1/replicasets': { items: sets },
        '/apis/apps/v1/deployments': { items: [] },
      }),
    });

  it('a revision whose chart lowered the limit that was met is to blame, and says which chart', async () => {
    const { incident, shownBy } = await investigate(alert('orders', 'pods of orders restart'), [
      logsOf('orders', 'request <*> failed: connection reset', 6),
      cluster([set(7, -900, '512Mi', 'orders-1.4.1'), set(8, 4, '64Mi', 'orders-1.4.2')], [killed]),
    ]);
    expect(incident).toMatchObject({
      verdict: 'config_change',
      blamed: { kind: 'config', id: 'prod/orders#8', service: 'orders' },
    });
    expect(incident.root_cause).toContain('orders-1.4.2 (was orders-1.4.1)');
    expect(incident.timeline.map(({ what }) => what).join('\n')).toContain('revision 8 of orders: ');
    expect(incident.links[0]!.evidence.map(shownBy)).toContainEqual(
      expect.stringContaining('kubernetes_rollouts'),
    );
  });

  it('one that changed something else is not', async () => {
    const { incident } = await investigate(alert('orders', 'pods of orders restart'), [
      logsOf('orders', 'request <*> failed: connection reset', 6),
      cluster([set(7, -900, '512Mi', 'orders-1.4.1'), set(8, 4, '512Mi', 'orders-1.4.2')], [killed]),
    ]);
    expect(incident.blamed?.kind).not.toBe('config');
  });
});

/** A commit as a repository tells of it, with its diff. */
const commitOf = (at: number, title: string, paths: readonly string[], diff: string): ScriptedSignal =>
  scriptedSignal(
    {
      commits: {
        topic: 'changes',
        script: {
          rows: {
            kind: 'changes',
            changes: [
              {
                kind: 'commit',
                id: hashes[1]!,
                at: noon + at * minute,
                service: null,
                author: 'dana',
                title,
                commits: [hashes[1]!],
                paths,
                diff,
              },
            ],
          },
        },
      },
    },
    { system: 'git', clock },
  );

describe('Elasticsearch', () => {
  const of = (type: string) => ({ [type]: { searchable: true, aggregatable: true } });
  const caps = {
    '@timestamp': of('date'),
    'service.name': of('keyword'),
    'log.level': of('keyword'),
    message: of('text'),
  };
  const said = (k: number, at: number, level: string, message: string, more: object = {}): Document => ({
    index: 'logs-orders',
    id: `${level}${k}`,
    source: { '@timestamp': iso(at), service: { name: 'orders' }, 'log.level': level, message, ...more },
  });
  const stack =
    'TypeError: rate of undefined\n    at priceOf (src/orders/price.ts:42:17)\n    at place (src/orders/place.ts:9:3)';
  const documents = [
    ...Array.from({ length: 110 }, (_, k) => said(k, k - 80, 'info', `order ${k} placed`)),
    ...Array.from({ length: 40 }, (_, k) =>
      said(k, 5 + k / 2, 'error', `order ${k} refused`, {
        error: { message: 'rate of undefined', stack_trace: stack },
      }),
    ),
  ];
  const server = searchServer(documents, caps);
  const elastic = openElasticsearch({
    base: 'http://elasticsearch.test',
    clock,
    fetch: asFetch(server),
  });
  const edit = (path: string) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -40,4 +40,4 @@ export function priceOf(item) {\n-  return item.price * (rates.get(item.currency) ?? 1);\n+  return item.price * rates.get(item.currency).rate;\n`;

  it('a commit that changed the lines that its errors name is to blame, with the lines as evidence', async () => {
    const path = 'src/orders/price.ts';
    const { incident, shownBy } = await investigate(alert('orders', 'orders fails'), [
      elastic,
      commitOf(2, 'rates by currency', [path], edit(path)),
    ]);
    expect(incident).toMatchObject({ verdict: 'code_change', blamed: { kind: 'commit', id: hashes[1] } });
    const shown = incident.links.flatMap(({ evidence }) => evidence.map(shownBy));
    expect(shown).toContainEqual(expect.stringContaining('elasticsearch_'));
    expect(incident.timeline.map(({ what }) => what).join()).toContain('log_errors');
  });

  it('one that changed something else at that time is not', async () => {
    const path = 'src/mail/templates.ts';
    const diff = `diff --git a/${path} b/${path}\n@@ -1 +1 @@\n-const greeting = 'Hello';\n+const greeting = 'Dear';\n`;
    const { incident } = await investigate(alert('orders', 'orders fails'), [
      elastic,
      commitOf(2, 'another greeting', [path], diff),
    ]);
    expect(incident.blamed).toBeNull();
  });
});

describe('Tempo', () => {
  const hex = (n: number, length: number): string => n.toString(16).padStart(length, '0');
  const failure = 'column promotions.tier does not exist';
  /** orders calls prices; since 12:05 prices fails, and orders with it. */
  const made = Array.from({ length: 110 }, (_, n): readonly MadeSpan[] => {
    const k = n - 85;
    const failed = k >= 5 ? { failed: failure } : {};
    const trace = hex(n + 1, 32);
    const at = noon + k * minute;
    const own = { trace, at };
    return [
      { ...own, id: hex(n * 4 + 1, 16), service: 'orders', name: 'POST /orders', took: 40, ...failed },
      {
        ...own,
        id: hex(n * 4 + 2, 16),
        parent: hex(n * 4 + 1, 16),
        service: 'prices',
        name: 'SELECT promotions',
        took: 20,
        attributes: { 'db.system': 'postgresql', 'db.statement': 'SELECT tier, rate FROM promotions' },
        ...failed,
      },
    ];
  }).flat();
  const tempo = openTempo({ base: 'http://tempo.test', clock, fetch: asFetch(traceServer(made)) });
  const migration = (column: string): string =>
    `diff --git a/prices/migrations/041.sql b/prices/migrations/041.sql\n@@ -0,0 +1 @@\n+ALTER TABLE promotions DROP COLUMN ${column};\n`;

  it('a commit that dropped what a failing call names is to blame, where the call is one of the alerted service', async () => {
    const { incident, shownBy } = await investigate(alert('orders', 'orders fails'), [
      tempo,
      commitOf(3, 'drop the tier of promotions', ['prices/migrations/041.sql'], migration('tier')),
    ]);
    expect(incident).toMatchObject({ verdict: 'code_change', blamed: { kind: 'commit', id: hashes[1] } });
    expect(incident.links.flatMap(({ evidence }) => evidence.map(shownBy))).toContainEqual(
      expect.stringContaining('tempo_spans'),
    );
    expect(incident.timeline.map(({ what }) => what).join()).toContain('span_errors_per_second');
  });

  it('one of the same time that has nothing to do with the call is not', async () => {
    const path = 'mail/templates.ts';
    const { incident } = await investigate(alert('orders', 'orders fails'), [
      tempo,
      commitOf(
        3,
        'another greeting',
        [path],
        `diff --git a/${path} b/${path}\n@@ -1 +1 @@\n-const greeting = 'Hello';\n+const greeting = 'Dear';\n`,
      ),
    ]);
    expect(incident.blamed?.kind).not.toBe('commit');
  });
});

describe('CloudWatch', () => {
  const minutes = (of: (k: number) => number): readonly (readonly [number, number])[] =>
    Array.from({ length: 230 }, (_, n) => [noon + (n - 200) * minute, of(n - 200)] as const);
  const metric = (
    namespace: string,
    name: string,
    dimensions: Readonly<Record<string, string>>,
    of: (k: number) => number,
  ) => ({
    namespace,
    name,
    dimensions,
    points: minutes(of),
  });
  const refused = 'FATAL: remaining connection slots are reserved: too many connections for orders-db';
  const account: MadeAccount = {
    metrics: [
      metric('AWS/RDS', 'DatabaseConnections', { DBInstanceIdentifier: 'orders-db' }, (k) =>
        k < 5 ? 12 + (k % 3) : 20,
      ),
      metric(
        'AWS/ApplicationELB',
        'HTTPCode_Target_5XX_Count',
        { LoadBalancer: 'app/orders/50dc6c495c0c9188' },
        (k) => (k < 5 ? 0 : 60),
      ),
    ],
    logs: {
      '/ecs/orders': minutes((k) => k).map(([at, k]) => [
        at,
        k < 5 ? `INFO placed order ${k}` : `ERROR order ${k} refused: ${refused}`,
      ]),
    },
    events: [
      {
        at: noon + 3 * minute,
        source: 'orders-db',
        categories: ['configuration change'],
        message: 'Updated parameter max_connections to 20 with apply method immediate',
      },
    ],
  };
  const aws = (more: Partial<MadeAccount>): Signal =>
    openCloudwatch({
      base: 'http://aws.test',
      clock,
      fetch: asFetch(awsServer({ ...account, ...more })),
      region: 'eu-west-1',
      credentials: () => ({
        accessKeyId: 'AKIDEXAMPLE',
        secret: { reveal: () => 'made-up-secret' },
        session: null,
      }),
      logGroups: ['/ecs/orders'],
    });

  it('a parameter of the database that was lowered before what met it is to blame, with its event', async () => {
    const { incident, shownBy } = await investigate(alert('orders', 'orders answers with 500'), [aws({})]);
    expect(incident).toMatchObject({
      verdict: 'config_change',
      blamed: { kind: 'config', id: 'orders-db/max_connections', service: 'orders-db' },
    });
    expect(incident.links[0]!.evidence.map(shownBy)).toContainEqual(
      expect.stringContaining('cloudwatch_rds_changes'),
    );
    expect(incident.timeline.map(({ what }) => what).join()).toContain('HTTPCode_Target_5XX_Count');
  });

  it('without it the database that is out of connections is, by what AWS says of it', async () => {
    const { incident } = await investigate(alert('orders', 'orders answers with 500'), [aws({ events: [] })]);
    expect(incident).toMatchObject({ verdict: 'state', root_cause_category: 'connection_exhaustion' });
  });

  it('another setting of that time is not', async () => {
    const message = 'Updated parameter log_min_duration_statement to 500 with apply method immediate';
    const events = [{ ...account.events[0]!, message }];
    const { incident } = await investigate(alert('orders', 'orders answers with 500'), [aws({ events })]);
    expect(incident.blamed?.kind).not.toBe('config');
  });

  it('storage that ran out is told by the event of RDS', async () => {
    const events = [
      {
        at: noon + 4 * minute,
        source: 'orders-db',
        categories: ['low storage'],
        message:
          'The free storage capacity for DB Instance: orders-db is low at 1% of the provisioned storage',
      },
    ];
    const logs = {
      '/ecs/orders': minutes((k) => k).map(([at, k]): readonly [number, string] => [
        at,
        k < 5
          ? `INFO placed order ${k}`
          : `ERROR order ${k} refused: orders-db: could not extend file: No space left on device`,
      ]),
    };
    const { incident, shownBy } = await investigate(alert('orders', 'orders answers with 500'), [
      aws({ events, logs, metrics: account.metrics.slice(1) }),
    ]);
    expect(incident).toMatchObject({ verdict: 'state', root_cause_category: 'storage_exhaustion' });
    const shown = incident.suspects.flatMap(({ evidence }) => evidence.map(shownBy));
    expect(shown).toContainEqual(expect.stringContaining('cloudwatch_rds_events'));
  });
});

it('where there are many systems, traces and objects of each are asked, too', async () => {
  const questions = (topics: readonly ('metrics' | 'logs' | 'changes' | 'traces' | 'objects')[]) =>
    Object.fromEntries(
      topics.map((topic) => [topic, { topic, script: { rows: { kind: 'table' as const, rows: [] } } }]),
    );
  const signals = ['a', 'b', 'c', 'd', 'e', 'f'].map((system) =>
    scriptedSignal(questions(system === 'f' ? ['traces', 'objects'] : ['metrics', 'logs', 'changes']), {
      system,
      clock,
    }),
  );
  const { incident } = await investigate(alert('orders', 'orders fails'), signals);
  expect(signals.at(-1)!.asked.length).toBe(2);
  expect(incident.coverage.left_out).toEqual([]);
});
