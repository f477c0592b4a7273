/** Incidents made up where a line does something else than before, or where what was deployed is not what is named. */
import type { Commit, Made } from './made-facts.contract.ts';
import { innocents, logs, orders, patch, style } from './made-parts.contract.ts';

const slow = (metric: string): Made['metrics'][number] => ['orders', metric, 90, 4100, 75];
const busy = ['orders', 'cpu_utilization', 0.3, 0.98, 75] as const;
const feature: Commit = [
  73,
  'orders',
  'feat: orders carry a memo',
  ['services/orders/memo.ts'],
  '@@\n+  memo: input.memo ?? null,',
];

export const ofEdits: readonly Made[] = [
  {
    name: 'a step that is gone',
    alert: orders('voucher_error_ratio', 'orders: vouchers are refused'),
    metrics: [['orders', 'voucher_error_ratio', 0.002, 0.5, 75]],
    messages: [['orders', 'WARN', 'no voucher with code <*>', 300, 0]],
    commits: [
      ...innocents,
      [
        74,
        'orders',
        'feat: vouchers as they were typed',
        ['services/orders/voucher.ts'],
        '@@\n-  return vouchers.find(normalise(code.trim()))\n+  return vouchers.find(code.trim())',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'another unit',
    alert: orders('cpu_utilization', 'orders CPU above 90%'),
    metrics: [busy, ['orders', 'refreshes_per_min', 6, 5000, 75]],
    commits: [
      ...innocents,
      [
        74,
        'orders',
        'fix: pause like the others',
        ['services/orders/refresh.ts'],
        '@@\n-    await sleep(settings.pause * 1000);\n+    await sleep(settings.pause);',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 5 },
  },
  {
    name: 'a smaller machine',
    alert: orders('cpu_utilization', 'orders CPU above 90%'),
    metrics: [busy, slow('http_p99_ms')],
    commits: [
      ...innocents,
      [
        74,
        'orders',
        'chore: less spending',
        ['infra/orders/db.tf'],
        '@@\n-  instance_class = "db.m6g.4xlarge"\n+  instance_class = "db.t4g.medium"',
      ],
      feature,
    ],
    expected: { verdict: 'config_change', culprit: 5 },
  },
  {
    name: 'a loop in a module that a new version brings',
    alert: orders('http_p99_ms', 'orders p99 above 800 ms'),
    metrics: [busy, slow('http_p99_ms'), slow('event_loop_lag_ms')],
    messages: [['orders', 'WARN', 'event loop blocked for <*> ms in money split', 300, 0]],
    commits: [
      style,
      logs,
      feature,
      [
        null,
        '',
        'feat: exact splits',
        ['libs/money/src/split.ts'],
        '@@ export function split(a: Money, n: number) {\n-  return share(a, n);\n+  for (let i = 0n; i < a.units; i++) sum = add(sum, one);\n+  return sum;',
      ],
      [
        74,
        'orders',
        'chore: bump @house/money to 3.0.0',
        ['orders/package.json'],
        '@@\n-    "@house/money": "^2.4.1",\n+    "@house/money": "^3.0.0",',
      ],
    ],
    expected: { verdict: 'code_change', culprit: 3 },
  },
  {
    name: 'a commit below the one that the deploy names',
    alert: orders('http_p99_ms', 'orders p99 above 800 ms'),
    metrics: [['orders', 'db_pool_wait_ms', 2, 900, 72], slow('http_p99_ms')],
    messages: [['orders', 'ERROR', 'timed out acquiring a connection from the pool', 900, 0]],
    commits: [
      style,
      [
        null,
        '',
        'chore: align db settings',
        ['services/orders/db.go'],
        '@@\n-\tdb.SetMaxOpenConns(100)\n+\tdb.SetMaxOpenConns(10)',
      ],
      patch,
    ],
    expected: { verdict: 'code_change', culprit: 1 },
  },
  {
    name: 'a flag that the metrics speak of',
    alert: orders('http_p99_ms', 'orders p99 above 800 ms'),
    metrics: [slow('http_p99_ms'), ['orders', 'voucher_rules_evaluated', 12, 900, 75]],
    commits: [
      ...innocents,
      [
        66,
        'orders',
        'chore: request timeout 2s to 1s',
        ['services/orders/client.ts'],
        '@@\n-  timeout: 2000,\n+  timeout: 1000,',
      ],
    ],
    flags: [[75, 'orders', 'voucher_rules_v3']],
    expected: { verdict: 'config_change' },
  },
];
