/** Incidents made up for tests, the first half. */
import type { Commit, Made } from './made-facts.contract.ts';
import { innocents, logs, orders, rename, style } from './made-parts.contract.ts';

export const ofPressure: readonly Made[] = [
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
    expected: { verdict: 'state' },
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
    expected: { verdict: 'config_change', culprit: 5 },
  },
];
