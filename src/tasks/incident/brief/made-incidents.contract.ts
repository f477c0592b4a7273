/**
 * Incidents made up for tests, in memory: each names its metrics, messages and changes, and what is to blame.
 * Written from what is known of such incidents in general, and not from any set that results are measured on.
 */
import type { Change, LogPattern, Series, Span } from '../../../core/index.ts';
import type { Facts, Seen } from './facts.ts';

export const hour = Date.parse('2026-03-05T10:00:00Z');
const minute = 60_000;

/** Service, metric, before, after, minute of the onset (null: it stays), and minutes that it takes to arrive. */
type Metric = readonly [string, string, number, number, number | null, number?];
/** Minute of the deploy, null where it was never deployed; service; title; paths; diff. */
type Commit = readonly [number | null, string, string, readonly string[], string | null];

export interface Made {
  readonly name: string;
  readonly alert: {
    readonly service: string;
    readonly metric: string;
    readonly summary: string;
    readonly minute: number;
  };
  readonly metrics: readonly Metric[];
  /** Service, level, message, how often now and before. */
  readonly messages?: readonly (readonly [string, string, string, number, number])[];
  readonly commits: readonly Commit[];
  /** Minute, service, name. */
  readonly flags?: readonly (readonly [number, string, string])[];
  /** Caller, callee, name, failed, attributes. */
  readonly calls?: readonly (readonly [string, string, string, boolean, Readonly<Record<string, string>>?])[];
  readonly expected: { readonly verdict: string; readonly culprit?: number };
}

export const shaOf = (n: number): string =>
  `${(n + 10).toString(16).padStart(2, '0')}c0ffee${'0123456789abcdef'.repeat(2)}`.slice(0, 40);

/** Noise that is the same at every run. */
function noise(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 - 0.5;
  };
}

function seriesOf([service, name, before, after, onset, over = 0]: Metric, n: number): Seen<Series> {
  const random = noise(n + 1);
  const points = Array.from({ length: 121 }, (_, k) => {
    const gone = onset === null || k < onset ? 0 : over === 0 ? 1 : Math.min(1, (k - onset + 1) / over);
    const level = before + (after - before) * gone;
    return [hour + (k - 60) * minute, level * (1 + 0.06 * random())] as const;
  });
  return {
    name,
    labels: { service },
    points: points.map(([at, value], k) => [at, onset !== null && k >= onset ? value : value]),
    evidence: `ev-series${n}`,
  };
}

export function factsOfMade(made: Made): Facts {
  const at = (minutes: number): number => hour + (minutes - 60) * minute;
  const commits = made.commits.map(
    ([deployed, , title, paths, diff], n): Seen<Change> => ({
      kind: 'commit',
      id: shaOf(n),
      at: at((deployed ?? 40) - 3),
      service: null,
      author: 'somebody',
      title,
      commits: [shaOf(n)],
      paths,
      diff,
      evidence: `ev-commit${n}`,
    }),
  );
  const deploys = made.commits.flatMap(([deployed, service, title], n): Seen<Change>[] =>
    deployed === null
      ? []
      : [
          {
            kind: 'deploy',
            id: `v${n}`,
            at: at(deployed),
            service,
            author: null,
            title,
            commits: [shaOf(n)],
            paths: [],
            diff: null,
            evidence: `ev-deploy${n}`,
          },
        ],
  );
  const flags = (made.flags ?? []).map(
    ([minutes, service, name], n): Seen<Change> => ({
      kind: 'flag',
      id: name,
      at: at(minutes),
      service,
      author: null,
      title: 'off->on',
      commits: [],
      paths: [],
      diff: 'off->on',
      evidence: `ev-flag${n}`,
    }),
  );
  const patterns = (made.messages ?? []).map(
    ([service, level, template, count, baseline]): Seen<LogPattern> => ({
      template,
      service,
      level,
      count,
      baseline,
      first: null,
      last: null,
      example: template,
      evidence: 'ev-patterns',
    }),
  );
  const spans = (made.calls ?? []).flatMap(
    ([caller, callee, name, failed, attributes = {}], n): Seen<Span>[] => [
      {
        trace: `t${n}`,
        id: 'a',
        parent: null,
        service: caller,
        name: 'request',
        at: at(made.alert.minute),
        duration_ms: 900,
        failed,
        attributes: {},
        evidence: 'ev-spans',
      },
      {
        trace: `t${n}`,
        id: 'b',
        parent: 'a',
        service: callee,
        name,
        at: at(made.alert.minute),
        duration_ms: 850,
        failed,
        attributes,
        evidence: 'ev-spans',
      },
    ],
  );
  return {
    series: made.metrics.map(seriesOf),
    lines: [],
    patterns,
    changes: [...commits, ...deploys, ...flags],
    spans,
    alerts: [],
    texts: [],
  };
}

const rename: Commit = [
  72,
  'orders',
  'refactor: tidy order handler',
  ['services/orders/handler.go'],
  '@@\n-\tif err := json.NewDecoder(r.Body).Decode(&req); err != nil {\n-\t\thttp.Error(w, err.Error(), 400)\n-\t\treturn\n-\t}\n+\treq, err := decodeRequest[OrderRequest](r)\n+\tif err != nil {\n+\t\twriteError(w, http.StatusBadRequest, err)\n+\t\treturn\n+\t}',
];
const style: Commit = [
  73,
  'frontend',
  'feat: restyle the cart',
  ['services/frontend/static/cart.css'],
  '@@\n-.cart { padding: 4px; }\n+.cart { padding: 8px; }',
];
const logs: Commit = [
  71,
  'orders',
  'chore: structured logs',
  ['services/orders/logging.go'],
  '@@\n-\tlog.Printf("order %s", id)\n+\tlogger.Info("order",\n+\t\t"id", id,\n+\t)',
];
const patch: Commit = [
  70,
  'orders',
  'chore: bump dependencies',
  ['go.mod', 'go.sum'],
  '@@ require (\n-\tgoogle.golang.org/grpc v1.62.0\n+\tgoogle.golang.org/grpc v1.62.1\n )',
];
const docs: Commit = [null, '', 'docs: how to roll back', ['docs/rollback.md'], null];
const innocents = [rename, style, logs, patch, docs];

const orders = (metric: string, summary: string, at = 84) => ({
  service: 'orders',
  metric,
  summary,
  minute: at,
});

export const madeIncidents: readonly Made[] = [
  {
    name: 'a pool that was cut',
    alert: orders('http_p99_ms', 'orders p99 above 800 ms'),
    metrics: [
      ['orders', 'db_pool_wait_ms', 2, 900, 74],
      ['orders', 'http_p99_ms', 120, 2200, 75],
      ['orders', 'requests_per_sec', 300, 300, null],
      ['frontend', 'http_p99_ms', 200, 2400, 75],
    ],
    messages: [['orders', 'ERROR', 'timed out acquiring a connection from the pool', 900, 0]],
    commits: [
      ...innocents,
      [
        70,
        'orders',
        'chore: align db settings',
        ['services/orders/db.go'],
        '@@\n-\tdb.SetMaxOpenConns(100)\n+\tdb.SetMaxOpenConns(10)\n \tdb.SetMaxIdleConns(10)',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'rows that are not closed',
    alert: orders('db_connections_in_use', 'orders holds nearly all connections', 110),
    metrics: [
      ['orders', 'db_connections_in_use', 12, 96, 45, 55],
      ['orders', 'http_p99_ms', 120, 1900, 95],
      ['orders', 'http_5xx_per_sec', 0.1, 30, 98],
    ],
    messages: [['orders', 'ERROR', 'pq: sorry, too many clients already', 400, 0]],
    commits: [
      [
        43,
        'orders',
        'refactor: read orders in one place',
        ['services/orders/store.go'],
        '@@\n \trows, err := s.db.QueryContext(ctx, q)\n-\tif err != nil { return nil, err }\n-\tdefer rows.Close()\n-\treturn scan(rows)\n+\tif err != nil { return nil, err }\n+\treturn scan(rows)',
      ],
      ...[rename, style, logs].map((one): Commit => [94, one[1], one[2], one[3], one[4]]),
    ],
    expected: { verdict: 'code_change', culprit: 0 },
  },
  {
    name: 'a certificate that expired',
    alert: orders('http_5xx_per_sec', 'orders fails'),
    metrics: [
      ['orders', 'http_5xx_per_sec', 0.1, 80, 80],
      ['orders', 'requests_per_sec', 300, 298, null],
    ],
    messages: [
      [
        'orders',
        'ERROR',
        'x509: certificate has expired or is not yet valid: current time is after 2026-03-05T10:20:00Z',
        4000,
        0,
      ],
    ],
    commits: [...innocents],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'more attempts against a slow service',
    alert: {
      service: 'inventory',
      metric: 'cpu_utilization',
      summary: 'inventory cpu above 90%',
      minute: 84,
    },
    metrics: [
      ['inventory', 'requests_per_sec', 400, 2900, 76],
      ['inventory', 'cpu_utilization', 0.4, 0.98, 76],
      ['orders', 'upstream_retry_total_per_sec', 3, 900, 76],
      ['orders', 'requests_per_sec', 300, 301, null],
      ['frontend', 'requests_per_sec', 900, 905, null],
    ],
    messages: [['orders', 'WARN', 'inventory call failed, retrying attempt <*>', 9000, 30]],
    commits: [
      ...innocents,
      [
        74,
        'orders',
        'chore: be more patient with inventory',
        ['services/orders/inventory_client.go'],
        '@@ var policy = retry.Config{\n-\tMaxAttempts: 2,\n-\tBackoff: 200 * time.Millisecond,\n+\tMaxAttempts: 12,\n+\tBackoff: 5 * time.Millisecond,\n }',
      ],
    ],
    calls: [
      ['frontend', 'orders', 'PlaceOrder', true],
      ['orders', 'inventory', 'Reserve', true, { 'retry.attempt': '11' }],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a setting under another name',
    alert: orders('http_5xx_per_sec', 'orders fails'),
    metrics: [
      ['orders', 'http_5xx_per_sec', 0.1, 80, 73],
      ['orders', 'session_lookup_errors', 0, 70, 73],
    ],
    messages: [['orders', 'ERROR', "session store: dial tcp: address '': missing REDIS_ENDPOINT", 4000, 0]],
    commits: [
      ...innocents,
      [
        72,
        'orders',
        'chore: tidy configuration names',
        ['services/orders/config.go'],
        '@@\n-\taddr := os.Getenv("REDIS_ADDR")\n+\taddr := os.Getenv("REDIS_ENDPOINT")',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'an index made with a lock',
    alert: orders('http_p99_ms', 'orders p99 above 800 ms'),
    metrics: [
      ['ordersdb', 'db_lock_wait_seconds', 0.01, 25, 75],
      ['orders', 'http_p99_ms', 120, 9000, 75],
    ],
    messages: [
      ['ordersdb', 'WARN', 'process <*> still waiting for RowExclusiveLock on relation orders', 300, 0],
    ],
    commits: [
      ...innocents,
      [
        74,
        'ordersdb',
        'feat: search orders by reference',
        ['db/migrations/0099_reference.sql'],
        '@@\n+CREATE INDEX idx_orders_reference ON orders (reference);',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'more people than usual, and a pool that was raised',
    alert: { service: 'frontend', metric: 'http_p99_ms', summary: 'frontend p99 above 800 ms', minute: 84 },
    metrics: [
      ['frontend', 'requests_per_sec', 900, 4100, 74, 4],
      ['orders', 'requests_per_sec', 300, 1350, 74, 4],
      ['inventory', 'requests_per_sec', 410, 1800, 74, 4],
      ['frontend', 'cpu_utilization', 0.35, 0.99, 76],
      ['frontend', 'http_p99_ms', 210, 2500, 77],
    ],
    messages: [['frontend', 'WARN', 'queue is full, request rejected', 800, 0]],
    commits: [
      ...innocents,
      [
        60,
        'frontend',
        'chore: more workers',
        ['services/frontend/server.go'],
        '@@\n-\tworkers: 32,\n+\tworkers: 48,',
      ],
    ],
    calls: [
      ['frontend', 'orders', 'PlaceOrder', false],
      ['orders', 'inventory', 'Reserve', false],
    ],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'a provider that does not answer',
    alert: { service: 'accounts', metric: 'login_error_rate', summary: 'logins fail', minute: 84 },
    metrics: [
      ['accounts', 'login_error_rate', 0.002, 0.7, 76],
      ['accounts', 'requests_per_sec', 90, 92, null],
      ['accounts', 'external_idp_latency_ms', 130, 5000, 76],
    ],
    messages: [
      [
        'accounts',
        'ERROR',
        'POST https://login.identity-provider.com/oauth/token: context deadline exceeded',
        900,
        1,
      ],
    ],
    commits: [
      ...innocents,
      [
        74,
        'accounts',
        'refactor: build the token request in one place',
        ['services/accounts/token.go'],
        '@@\n-\tform := url.Values{}\n-\tform.Set("grant_type", "code")\n-\tform.Set("code", code)\n-\treturn c.post(ctx, form)\n+\treturn c.post(ctx, tokenForm(code))\n@@\n+func tokenForm(code string) url.Values {\n+\tform := url.Values{}\n+\tform.Set("grant_type", "code")\n+\tform.Set("code", code)\n+\treturn form\n+}',
      ],
    ],
    calls: [
      [
        'accounts',
        'accounts',
        'POST login.identity-provider.com',
        true,
        { 'peer.service': 'identity-provider', 'http.status_code': '504' },
      ],
    ],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'a limit that was lowered',
    alert: {
      service: 'gateway',
      metric: 'http_429_per_sec',
      summary: 'gateway rejects requests',
      minute: 84,
    },
    metrics: [
      ['gateway', 'http_429_per_sec', 0.1, 250, 75],
      ['gateway', 'requests_per_sec', 900, 905, null],
    ],
    messages: [['gateway', 'WARN', 'rate limit exceeded for tenant <*>', 9000, 3]],
    commits: [
      ...innocents,
      [
        73,
        'gateway',
        'chore: default limits in one file',
        ['deploy/gateway/limits.yaml'],
        '@@\n default:\n-  requests_per_second: 2000\n+  requests_per_second: 200\n   burst: 50',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'less memory than it needs',
    alert: { service: 'search', metric: 'container_restarts', summary: 'search restarts', minute: 90 },
    metrics: [
      ['search', 'container_restarts', 0, 9, 78, 6],
      ['search', 'memory_utilization', 0.4, 0.99, 74],
      ['search', 'http_5xx_per_sec', 0.1, 20, 78],
    ],
    messages: [['search', 'ERROR', 'container killed: OOMKilled, exit code 137', 9, 0]],
    commits: [
      ...innocents,
      [
        73,
        'search',
        'chore: right-size requests',
        ['charts/search/values.yaml'],
        '@@ resources:\n   limits:\n-    memory: 2Gi\n+    memory: 512Mi',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a shorter patience, in Python',
    alert: { service: 'reports', metric: 'job_failures', summary: 'reports fail', minute: 84 },
    metrics: [
      ['reports', 'job_failures', 0, 40, 76],
      ['warehouse', 'query_duration_p99_seconds', 9, 9, null],
    ],
    messages: [
      ['reports', 'ERROR', 'requests.exceptions.ReadTimeout: read timed out. (read timeout=2)', 400, 0],
    ],
    commits: [
      ...innocents,
      [
        75,
        'reports',
        'tidy: one session for all calls',
        ['reports/client.py'],
        '@@\n-    return session.get(url, timeout=30)\n+    return session.get(url, timeout=2)',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a key that never repeats',
    alert: { service: 'catalog', metric: 'http_p99_ms', summary: 'catalog is slow', minute: 84 },
    metrics: [
      ['catalog', 'cache_hit_ratio', 0.96, 0.02, 75],
      ['catalogdb', 'queries_per_sec', 90, 2100, 75],
      ['catalogdb', 'cpu_utilization', 0.2, 0.95, 75],
      ['catalog', 'http_p99_ms', 40, 900, 76],
    ],
    messages: [['catalog', 'WARN', 'cache miss for item:<*>', 9000, 200]],
    commits: [
      ...innocents,
      [
        74,
        'catalog',
        'feat: fresher prices',
        ['services/catalog/cache_key.go'],
        '@@ func cacheKey(id string) string {\n-\treturn fmt.Sprintf("item:%s", id)\n+\treturn fmt.Sprintf("item:%s:%d", id, time.Now().UnixNano())\n }',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'stricter than the senders are',
    alert: {
      service: 'ingest',
      metric: 'events_rejected_ratio',
      summary: 'ingest rejects events',
      minute: 84,
    },
    metrics: [
      ['ingest', 'events_rejected_ratio', 0.001, 0.8, 75],
      ['ingest', 'events_in_per_sec', 500, 500, null],
    ],
    messages: [['ingest', 'ERROR', 'decode failed: unknown field "trace_flags"', 9000, 0]],
    commits: [
      ...innocents,
      [
        74,
        'ingest',
        'chore: decoder options',
        ['services/ingest/decoder.go'],
        '@@ var options = Options{\n-\tDisallowUnknownFields: false,\n+\tDisallowUnknownFields: true,\n }',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a disk that filled up by itself',
    alert: { service: 'ordersdb', metric: 'db_write_errors', summary: 'ordersdb cannot write', minute: 84 },
    metrics: [
      ['ordersdb', 'disk_usage_ratio', 0.6, 1, 10, 60],
      ['ordersdb', 'db_write_errors', 0, 60, 78],
    ],
    messages: [
      ['ordersdb', 'FATAL', 'could not write to file "pg_wal/xlogtemp": No space left on device', 60, 0],
    ],
    commits: [...innocents],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'nothing that explains it',
    alert: orders('http_p99_ms', 'orders p99 above 800 ms'),
    metrics: [['orders', 'http_p99_ms', 120, 950, 75]],
    messages: [['orders', 'WARN', 'slow request took <*> ms', 300, 2]],
    commits: [...innocents],
    expected: { verdict: 'inconclusive' },
  },
  {
    name: 'queries one by one, in TypeScript',
    alert: { service: 'billing', metric: 'http_p99_ms', summary: 'billing is slow', minute: 84 },
    metrics: [
      ['billing', 'db_queries_per_request', 2, 64, 76],
      ['billing', 'http_p99_ms', 90, 2400, 76],
      ['billing', 'requests_per_sec', 50, 51, null],
    ],
    messages: [['billing', 'WARN', 'SELECT * FROM line_items WHERE invoice_id = $1 took <*> ms', 9000, 40]],
    commits: [
      ...innocents,
      [
        75,
        'billing',
        'refactor: typed invoice loader',
        ['billing/src/invoices.ts'],
        '@@\n-  const items = await db.lineItems.findMany({ where: { invoiceId: { in: ids } } });\n-  return group(items);\n+  const loaded = [];\n+  for (const id of ids) {\n+    const items = await db.query("SELECT * FROM line_items WHERE invoice_id = $1", [id]);\n+    loaded.push({ id, items });\n+  }\n+  return loaded;',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'fewer threads, in Java',
    alert: { service: 'pricing', metric: 'queue_depth', summary: 'pricing queue grows', minute: 84 },
    metrics: [
      ['pricing', 'queue_depth', 2, 900, 75, 6],
      ['pricing', 'http_p99_ms', 60, 3000, 76],
    ],
    messages: [['pricing', 'WARN', 'Task rejected from ThreadPoolExecutor, queued tasks = <*>', 700, 0]],
    commits: [
      ...innocents,
      [
        74,
        'pricing',
        'Use the shared executor',
        ['pricing/src/main/java/Pricing.java'],
        '@@\n-    private final ExecutorService pool = Executors.newFixedThreadPool(200);\n+    private final ExecutorService pool = Executors.newFixedThreadPool(8);',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a key of an event that its reader still wants, in Python',
    alert: {
      service: 'search-feed',
      metric: 'dead_letters',
      summary: 'search-feed drops events',
      minute: 84,
    },
    metrics: [
      ['search-feed', 'dead_letters', 0, 300, 76],
      ['search-feed', 'events_indexed', 300, 4, 76],
    ],
    messages: [['search-feed', 'ERROR', "bad event: missing key 'sku'", 9000, 0]],
    commits: [
      ...innocents,
      [
        75,
        'products',
        'feat: events name the article',
        ['products/events.py'],
        "@@ def event(product):\n-        'sku': product.sku,\n+        'article': product.article_number(),\n         'name': product.name,",
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a nightly job that runs all day',
    alert: { service: 'stockdb', metric: 'cpu_utilization', summary: 'stockdb CPU above 85%', minute: 84 },
    metrics: [
      ['stockdb', 'cpu_utilization', 0.3, 0.97, 76],
      ['nightly', 'jobs_running', 0, 6, 76],
    ],
    messages: [['stockdb', 'WARN', 'duration <*> ms statement: SELECT * FROM stock', 80, 0]],
    commits: [
      ...innocents,
      [
        75,
        'nightly',
        'chore: new job definitions',
        ['infra/nightly/recount.yaml'],
        '@@ spec:\n-  schedule: "30 2 * * *"\n+  schedule: "*/2 * * * *"\n   jobTemplate:',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a call that blocks the event loop',
    alert: { service: 'profiles', metric: 'http_p99_ms', summary: 'profiles is slow', minute: 84 },
    metrics: [
      ['profiles', 'event_loop_lag_ms', 3, 2600, 76],
      ['profiles', 'http_p99_ms', 80, 5200, 76],
      ['profiles', 'requests_per_sec', 60, 61, null],
    ],
    messages: [['profiles', 'WARN', 'health check answered after <*> ms', 200, 0]],
    commits: [
      ...innocents,
      [
        75,
        'profiles',
        'feat: avatars from the archive',
        ['profiles/src/avatar.ts'],
        '@@ export async function avatar(id: string) {\n-  return store.read(id);\n+  const file = readFileSync(archive(id));\n+  return file.length > 0 ? file : store.read(id);',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a flag that shares its first word with the service',
    alert: {
      service: 'mail-relay',
      metric: 'handshake_failures',
      summary: 'mail-relay cannot send',
      minute: 84,
    },
    metrics: [['mail-relay', 'handshake_failures', 0, 200, 76]],
    messages: [['mail-relay', 'ERROR', 'handshake failed: certificate has expired', 4000, 0]],
    commits: [...innocents],
    flags: [[70, 'mail-relay', 'mail_batching']],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'a flag that the trouble itself names',
    alert: { service: 'tax', metric: 'error_ratio', summary: 'tax fails', minute: 84 },
    metrics: [['tax', 'error_ratio', 0.001, 0.3, 76]],
    messages: [['tax', 'ERROR', 'tax_rules_next: no rule for region <*>', 4000, 0]],
    commits: [...innocents],
    flags: [[75, 'tax', 'tax_rules_next']],
    expected: { verdict: 'config_change' },
  },
];
