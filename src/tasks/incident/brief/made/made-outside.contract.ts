/** Incidents made up where nobody's change is to blame, and one where a setting without quotation marks is. */
import type { Made } from './made-facts.contract.ts';
import { innocents, orders } from './made-parts.contract.ts';

const frequent = (message: string): NonNullable<Made['messages']> => [['orders', 'ERROR', message, 400, 0]];
const errors = ['orders', 'error_rate', 0.002, 0.6, 75] as const;
/** It stands alone, and explains nothing of what messages tell. */
const alone = [
  72,
  'orders',
  'feat: orders remember the shop',
  ['services/orders/order.go'],
  '@@\n \to.User = user\n+\to.Shop = shop',
] as const;

export const ofOutside: readonly Made[] = [
  {
    name: 'clocks that differ',
    alert: orders('error_rate', 'orders rejects tokens'),
    metrics: [errors],
    messages: frequent('token rejected: used before issued, iat is <*> s in the future'),
    commits: [...innocents, alone],
    expected: { verdict: 'state' },
  },
  {
    name: 'a dependency that is gone, to which nothing was delivered',
    alert: orders('error_rate', 'orders fails'),
    metrics: [errors],
    messages: frequent('dial tcp 10.0.0.7: session-cache:6379: connect: connection refused'),
    commits: [...innocents, alone],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'a disk that fails, beside a change of tables',
    alert: orders('error_rate', 'orders fails'),
    metrics: [errors],
    messages: frequent('could not write block <*> in file "base/<*>": Input/output error'),
    commits: [
      ...innocents,
      [
        70,
        'orders',
        'feat: orders store the channel',
        ['services/orders/schema.sql'],
        '@@\n+ALTER TABLE orders ADD COLUMN channel text;',
      ],
    ],
    expected: { verdict: 'state' },
  },
  {
    name: 'a cloud that does not answer',
    alert: orders('error_rate', 'orders fails'),
    metrics: [errors, ['orders', 'storage_latency_ms', 70, 9000, 75]],
    messages: frequent('PUT https://s3.eu-north-1.amazonaws.com timed out'),
    commits: [...innocents, alone],
    expected: { verdict: 'no_code_change' },
  },
  {
    name: 'a bucket of another name',
    alert: orders('error_rate', 'orders finds no price'),
    metrics: [errors],
    messages: frequent('NoSuchBucket: the bucket prices-all does not exist'),
    commits: [
      ...innocents,
      [
        74,
        'orders',
        'chore: settings of the regions in one table',
        ['deploy/orders/eu.yaml'],
        '@@ eu:\n-  price_bucket: prices-eu-west\n+  price_bucket: prices-all\n   currency: EUR',
      ],
    ],
    expected: { verdict: 'config_change', culprit: 5 },
  },
];
