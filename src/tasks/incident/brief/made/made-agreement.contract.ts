/** Incidents made up for tests, the second half. */
import type { Made } from './made-facts.contract.ts';
import { innocents, orders } from './made-parts.contract.ts';

export const ofAgreement: readonly Made[] = [
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
    expected: { verdict: 'config_change', culprit: 5 },
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
    expected: { verdict: 'state' },
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
    expected: { verdict: 'config_change', culprit: 5 },
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
    expected: { verdict: 'state' },
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
