/** Claims over documents as they are recorded: checklist incident.md: diagnose 2. */
import { describe, expect, it } from 'vitest';
import type { Change, IncidentWindow, SignalRows } from '../../../../core/index.ts';
import { rowsText } from '../../../../signals/rows-text.ts';
import { pageWords } from '../../brief/page-words.ts';
import { documentOf } from '../../gather/documents.ts';
import { unshown } from './prove.ts';
import { assertingWords, carrying } from './vocabulary.ts';

const minute = 60_000;
const noon = Date.UTC(2026, 2, 5, 12);
const window: IncidentWindow = {
  from: noon - 60 * minute,
  to: noon + 30 * minute,
  baseline_from: noon - 240 * minute,
  derivation: 'made up',
};

function contentsOf(rows: SignalRows): readonly string[] {
  const { evidence } = documentOf(
    'signals/made/1',
    'made',
    {},
    {
      kind: 'observation',
      query: 'what happened on 7 of 9 machines at 11:59',
      source: 'made up',
      window,
      at: noon,
      text: rowsText(rows, 64_000).text,
      rows,
      truncated: null,
      completeness: 'complete',
      notes: [],
    },
  );
  return evidence.map(({ content }) => content);
}

const course = (name: string, service: string, before: number, after: number, turn: number) => ({
  name,
  labels: { service },
  points: Array.from(
    { length: 80 },
    (_, n) => [noon + (n - 60) * minute, (n - 60 < turn ? before : after) + (n % 3) * before * 0.01] as const,
  ),
});

const change = (kind: Change['kind'], id: string, at: number, more: Partial<Change>): Change => ({
  kind,
  id,
  at: noon + at * minute,
  service: 'orders',
  author: 'ada',
  title: 'a change',
  commits: [],
  paths: [],
  diff: null,
  ...more,
});

const cut = '0fc0ffee0123456789abcdef0123456789abcdef';
const tidy = '71d71d71d0123456789abcdef0123456789abcde';
const [commit, tidied, deploy, late, flag] = contentsOf({
  kind: 'changes',
  changes: [
    change('commit', cut, -20, {
      title: 'chore: align db settings',
      paths: ['services/orders/db.go'],
      diff: '@@ func open() {\n-\tdb.SetMaxOpenConns(100)\n+\tdb.SetMaxOpenConns(10)\n-\tdb.SetConnMaxIdleTime(30 * time.Second)\n+\tdb.SetConnMaxIdleTime(5 * time.Minute)\n-\tdefer rows.Close()\n+\tmetrics.Count("rows", len(rows))',
    }),
    change('commit', tidy, -15, {
      title: 'refactor: tidy the cart',
      paths: ['services/orders/cart.go'],
      diff: '@@\n-\tadd(item)\n+\tc.add(item)',
    }),
    change('deploy', 'v41', -10, { title: 'deploy orders v41', commits: [cut] }),
    change('deploy', 'v42', 5, { title: 'deploy orders v42', commits: [tidy] }),
    change('flag', 'fast_cart', -30, { service: 'cart', title: 'fast_cart off->on', diff: 'off->on' }),
  ],
}) as [string, string, string, string, string];
const [metrics] = contentsOf({
  kind: 'series',
  series: [
    course('db_pool_wait_ms', 'orders', 2, 1840, -8),
    course('http_p99_ms', 'orders', 210, 3400, -5),
    course('http_p99_ms', 'cart', 180, 950, -3),
    course('cache_hit_ratio', 'cart', 0.97, 0.52, -4),
    course('requests_per_second', 'orders', 90, 90, 0),
  ],
}) as [string];
const [patterns] = contentsOf({
  kind: 'patterns',
  lines: 900,
  patterns: [
    {
      template: 'connection pool exhausted after <N> ms',
      service: 'orders',
      level: 'ERROR',
      count: 412,
      baseline: 0,
      first: noon - 6 * minute,
      last: noon,
      example: 'x',
    },
    {
      template: 'upstream orders answered <N>',
      service: 'cart',
      level: 'WARN',
      count: 88,
      baseline: 7,
      first: noon - 2 * minute,
      last: noon,
      example: 'x',
    },
  ],
}) as [string];
const [lines] = contentsOf({
  kind: 'lines',
  lines: [
    {
      at: noon - 6 * minute,
      service: 'orders',
      level: 'ERROR',
      text: 'connection pool exhausted after 5000 ms pool.in_use=10 retries=3',
    },
    { at: noon - 5 * minute, service: 'cart', level: 'WARN', text: 'upstream orders answered 503' },
  ],
}) as [string];
const [none] = contentsOf({ kind: 'lines', lines: [] }) as [string];

const known = {
  names: new Set([
    'orders',
    'cart',
    'db_pool_wait_ms',
    'http_p99_ms',
    'cache_hit_ratio',
    'requests_per_second',
    'v41',
    'v42',
    'fast_cart',
  ]),
  firstFailing: 'orders',
};
const all = [commit, tidied, deploy, late, flag, metrics, patterns, lines];

const drop = 'd0c0ffee'.repeat(5);
const [dropped] = contentsOf({
  kind: 'changes',
  changes: [
    change('commit', drop, -20, {
      title: 'chore: tidy indexes',
      paths: ['migrations/7.sql'],
      diff: '@@\n+DROP INDEX orders_by_user_idx;\n+CREATE INDEX orders_by_day_idx ON orders (day);',
    }),
  ],
}) as [string];

const order = '0ade0ade'.repeat(5);
const [unlimited] = contentsOf({
  kind: 'changes',
  changes: [
    change('commit', order, -20, {
      paths: ['store/query.go'],
      diff: '@@\n-\tq += `ORDER BY score DESC LIMIT 50`\n+\tq += `ORDER BY score DESC`\n+\tfor rows.Next() {\n+\t\trows.Scan()',
    }),
  ],
}) as [string];

describe('shown', () => {
  it.each<[string, readonly string[]]>([
    ['db_pool_wait_ms of orders went up from 2.02 to 1840 since 2026-03-05T11:52:00Z.', [metrics]],
    ['The pool wait of orders rose to 1840 ms at 11:52.', [metrics]],
    ['http_p99_ms of orders rose from about 210 ms to 3.4 s.', [metrics]],
    ["cart's cache_hit_ratio fell from 0.98 to 0.52", [metrics]],
    ['The cache_hit_ratio of cart fell from 98 % to 52 %', [metrics]],
    ['http_p99_ms of orders jumped from 0.21 s to almost 3.5 s', [metrics]],
    [`Commit ${drop.slice(0, 10)} dropped the index orders_by_user_idx`, [dropped]],
    ['cache_hit_ratio of cart dropped since 11:56', [metrics]],
    ['requests_per_second of orders did not change', [metrics]],
    ['The p99 of orders rose, while requests_per_second of orders stayed flat', [metrics]],
    ['db_pool_wait_ms of orders rose at 11:52, before http_p99_ms of orders rose at 11:55', [metrics]],
    [`Commit ${cut.slice(0, 10)} cut the pool with db.SetMaxOpenConns from 100 to 10`, [commit]],
    [`Commit ${cut.slice(0, 10)} lowers SetMaxOpenConns to 10 in services/orders/db.go`, [commit]],
    [`Commit ${cut.slice(0, 10)} raises SetConnMaxIdleTime from 30 seconds to 5 minutes`, [commit]],
    [`Commit ${cut.slice(0, 10)} removes \`rows.Close()\` and adds \`metrics.Count\``, [commit]],
    [`Commit ${cut.slice(0, 10)} replaces db.SetMaxOpenConns(100) by db.SetMaxOpenConns(10)`, [commit]],
    [
      `Commit ${cut}, "chore: align db settings", was deployed to orders at 11:50: the size of the pool went from 100 to 10 (\`db.SetMaxOpenConns(10)\`).`,
      [commit, deploy],
    ],
    [`${cut.slice(0, 8)} was written at 11:40 and deployed with v41 to orders`, [commit, deploy]],
    ['v41 was deployed at 11:50, before db_pool_wait_ms of orders rose at 11:52', [deploy, metrics]],
    ['v41 was deployed at 11:50, 2 minutes before db_pool_wait_ms of orders rose', [deploy, metrics]],
    ['v42 was deployed at 12:05, after http_p99_ms of orders had risen', [late, metrics]],
    [`Commit ${tidy.slice(0, 10)} renames add to c.add`, [tidied]],
    ['fast_cart was switched on for cart at 11:30', [flag]],
    ['The flag fast_cart went from off to on', [flag]],
    ['orders logged "connection pool exhausted" 412 times, first at 11:54', [patterns]],
    ['There are 412 lines about an exhausted connection pool of orders', [patterns]],
    ['cart warned 88 times, against 7 before, that upstream orders answered', [patterns]],
    ['At 11:54 the pool of orders was exhausted after 5000 ms with pool.in_use=10', [lines]],
    ['The pool of orders was exhausted after 5 s', [lines]],
    ['orders logged "connection pool exhausted" 412 times in the window', [patterns]],
    ['orders is the first service to fail: db_pool_wait_ms of orders went up', [metrics]],
    ['No lines were found', [none]],
    [`Deploy v41 of orders brought commit ${cut.slice(0, 12)} at 11:50`, [deploy]],
    [`v42, deployed at 12:05, brings ${tidy.slice(0, 12)}`, [late]],
    [`v41 carried commit ${cut.slice(0, 12)}`, [deploy, commit]],
    ['fast_cart went from off to on at 11:30, before the onset at 11:52', [flag, metrics]],
    ['fast_cart was switched on at 11:30, before the rise at 11:55', [flag, metrics]],
    ['v42 was deployed at 12:05, after the onset', [late, metrics]],
    [`Commit ${order.slice(0, 10)} removed \`LIMIT 50\` after \`ORDER BY score DESC\``, [unlimited]],
    [`Commit ${order.slice(0, 10)} adds \`rows.Next()\` before \`rows.Scan()\``, [unlimited]],
  ])('%s', (claim, contents) => expect(unshown(claim, contents, known)).toBeNull());
});

const field = 'ab35071b2e0123456789abcdef0123456789abcd';
const [renamed] = contentsOf({
  kind: 'changes',
  changes: [
    change('commit', field, -30, {
      paths: ['pkg/schema/envelope.go'],
      diff: [
        '@@ func required() {',
        '-\trequired := []string{"name", "meta"}',
        '+\trequired := []string{"name", "metadata"}',
        '-\tmode := "read to end"',
        '+\tmode := "read to mark in place"',
        "-\tqueue := 'orders-in'",
        "+\tqueue := 'orders-out'",
      ].join('\n'),
    }),
  ],
}) as [string];
const its = `Commit ${field.slice(0, 10)}`;

describe('what a diff went from and to, in quotes', () => {
  it.each([
    `${its} changed required from "meta" to "metadata" in pkg/schema/envelope.go`,
    `${its} changed required from \`meta\` to \`metadata\``,
    `${its} changed the required name from “meta” to “metadata”, in pkg/schema/envelope.go`,
    `${its} changed mode from "read to end" to "read to mark in place" in pkg/schema/envelope.go`,
    `${its} changed queue from 'orders-in' to 'orders-out'`,
  ])('shown: %s', (claim) => expect(unshown(claim, [renamed], known)).toBeNull());

  it.each([
    `${its} changed required from "metadata" to "meta" in pkg/schema/envelope.go`,
    `${its} changed required from "meta" to "tags" in pkg/schema/envelope.go`,
    `${its} changed mode from "read to mark in place" to "read to end"`,
    `${its} changed queue from "meta" to "metadata"`,
    `${its} changed required from "read to end" to "metadata"`,
  ])('not shown: %s', (claim) => expect(unshown(claim, [renamed], known)).not.toBeNull());
});

describe('not shown', () => {
  it.each<[string, readonly string[], string]>([
    ['wrong number', [metrics], 'db_pool_wait_ms of orders went up from 2.02 to 1940.'],
    ['number of the query', [metrics], 'http_p99_ms was high on 7 of 9 machines'],
    ['number of another series', [metrics], 'db_pool_wait_ms of orders went up from 2.02 to 3400.'],
    ['right number, wrong metric', [metrics], 'requests_per_second of orders rose to 1840.'],
    ['right number, wrong service', [metrics], 'http_p99_ms of cart rose from 212.1 to 3400.'],
    ['wrong way', [metrics], 'cache_hit_ratio of cart rose from 0.52 to 0.98'],
    ['wrong way, no number', [metrics], 'db_pool_wait_ms of orders fell since 11:52'],
    ['values in the other order', [metrics], 'db_pool_wait_ms of orders went up from 1840 to 2.02'],
    ['something moved that did not', [metrics], 'requests_per_second of orders rose at 11:52'],
    ['nothing moved that did', [metrics], 'http_p99_ms of orders stayed flat'],
    ['wrong time', [metrics], 'db_pool_wait_ms of orders rose since 11:40'],
    ['how many points there are', [metrics], 'orders was scaled to 80 points'],
    ['wrong unit', [metrics], 'http_p99_ms of orders rose to 3400 minutes'],
    [
      'order of two series',
      [metrics],
      'http_p99_ms of orders rose at 11:55, before db_pool_wait_ms of orders rose at 11:52',
    ],
    [
      'a deploy after the onset',
      [late, metrics],
      'v42 was deployed at 12:05, before http_p99_ms of orders rose',
    ],
    [
      'an order of which one end is not named',
      [deploy],
      'v41 was deployed at 11:50, before the latency of orders rose',
    ],
    [
      'a wrong distance',
      [deploy, metrics],
      'v41 was deployed at 11:50, 30 minutes before db_pool_wait_ms of orders rose',
    ],
    [
      'time of the commit for that of the deploy',
      [commit, deploy],
      `Commit ${cut.slice(0, 10)} was deployed at 11:40`,
    ],
    ['deployed, and no deploy is named', [commit], `Commit ${cut.slice(0, 10)} was deployed at 11:40`],
    ['deployed elsewhere', [commit, deploy], `Commit ${cut.slice(0, 10)} was deployed to cart at 11:50`],
    [
      'from and to the other way',
      [commit],
      `Commit ${cut.slice(0, 10)} raised db.SetMaxOpenConns from 10 to 100`,
    ],
    [
      'from and to of another line',
      [commit],
      `Commit ${cut.slice(0, 10)} changed SetMaxOpenConns from 30 seconds to 5 minutes`,
    ],
    [
      'wrong unit of a setting',
      [commit],
      `Commit ${cut.slice(0, 10)} raises SetConnMaxIdleTime from 30 minutes to 5 minutes`,
    ],
    [
      'lowered what was raised',
      [commit],
      `Commit ${cut.slice(0, 10)} lowers SetConnMaxIdleTime from 30 seconds to 5 minutes`,
    ],
    ['added what was taken away', [commit], `Commit ${cut.slice(0, 10)} adds \`rows.Close()\``],
    ['taken away what was added', [commit], `Commit ${cut.slice(0, 10)} removes \`metrics.Count\``],
    ['a name the other way', [tidied], `Commit ${tidy.slice(0, 10)} renames c.add to item`],
    ['another commit', [tidied], `Commit ${tidy.slice(0, 10)} lowers SetMaxOpenConns to 10`],
    [
      'one commit for what another does',
      [commit, tidied],
      `Commit ${tidy.slice(0, 10)} cut SetMaxOpenConns from 100 to 10`,
    ],
    [
      'taken away, and it was made',
      [dropped],
      `Commit ${drop.slice(0, 10)} dropped the index orders_by_day_idx`,
    ],
    [
      'made, and it was taken away',
      [dropped],
      `Commit ${drop.slice(0, 10)} adds the index orders_by_user_idx`,
    ],
    ['rounded too far', [metrics], 'The cache_hit_ratio of cart fell from 98 % to 57 %'],
    ['a commit that is not there', [commit], 'Commit deadbee1 cut the pool from 100 to 10'],
    ['invented', [commit], `Commit ${cut.slice(0, 10)} drops the table of customers`],
    ['switched the other way', [flag], 'fast_cart was switched off for cart at 11:30'],
    ['from on to off', [flag], 'The flag fast_cart went from on to off'],
    ['an event with the count of a message', [patterns], 'orders was restarted 412 times'],
    [
      'things of a name with the count of a message',
      [patterns],
      'The pool was exhausted when 412 orders came',
    ],
    ['things with the count of a message', [patterns], 'orders lost 412 payments'],
    ['a number of machines', [patterns], 'The connection pool was exhausted on 412 machines'],
    ['count of another message', [patterns], 'orders logged "connection pool exhausted" 88 times'],
    ['logged by whom it names', [patterns], 'orders logged 88 times "upstream orders answered"'],
    ['now for before', [patterns], 'cart warned 7 times, against 88 before, that upstream orders answered'],
    ['number of another line', [lines], 'At 11:54 orders answered 503'],
    ['value of another key', [lines], 'orders was exhausted after 10 ms'],
    ['quote that is not there', [lines], 'The log says "disk full" on orders'],
    ['that something is not so', [lines], 'No connection pool of orders was exhausted'],
    ['an event that nobody tells', [metrics], 'The p99 of orders rose because its database was overloaded'],
    ['another first service', [metrics], 'cart is the first service to fail: http_p99_ms of cart went up'],
    [
      'brought by another deploy',
      [commit, deploy, late],
      `Deploy v42 of orders brought commit ${cut.slice(0, 12)} at 12:05`,
    ],
    ['no onset there', [flag, metrics], 'fast_cart went from off to on at 11:30, before the onset at 11:40'],
    [
      'an onset of nothing that is named',
      [flag],
      'fast_cart went from off to on at 11:30, before the onset at 11:52',
    ],
    ['after, and it was before', [deploy, metrics], 'v41 was deployed at 11:50, after the onset at 11:52'],
    [
      'a place the other way',
      [unlimited],
      `Commit ${order.slice(0, 10)} adds \`rows.Scan()\` before \`rows.Next()\``,
    ],
    [
      'a place beside what is not there',
      [unlimited],
      `Commit ${order.slice(0, 10)} removed \`LIMIT 50\` after \`GROUP BY user\``,
    ],
    ['nothing at all', all, 'It is bad.'],
    ['an attack', all, 'orders was attacked by hackers'],
  ])('%s', (_, contents, claim) => expect(unshown(claim, contents, known)).toEqual(expect.any(String)));
});

it.each([
  ['The connection pool was exhausted on 412 machines', 'is how often that line came'],
  ['db_pool_wait_ms of orders went down since 11:52', 'db_pool_wait_ms went up, not down'],
  ['requests_per_second of orders rose', 'requests_per_second did not change'],
  ['orders was restarted 412 times', '"restarted" does not stand there'],
  ['v42 was deployed at 12:05, before http_p99_ms of orders rose', 'is not before'],
  ['frontend fell over', '"frontend" does not stand'],
])('it says why: %s', (claim, why) =>
  expect(unshown(claim, all, { ...known, names: new Set([...known.names, 'frontend']) })).toContain(why),
);

it('where a text has ten thousand words it is still quick, and no shape of it runs away', () => {
  const long = `${'from 1 to 2 before '.repeat(2_000)} ${'a.b/c_d'.repeat(500)} ${'(('.repeat(2_000)}`;
  expect(unshown(long, all, known)).toEqual(expect.any(String));
});

it.each(['load=+2', 'a="+17.5%"', 'k: +3 (b) [c] {d} $e ^f *g ?h |i \\\\'])(
  'numbers of the line %j are looked for as they stand there',
  (text) => {
    const [held] = contentsOf({
      kind: 'lines',
      lines: [{ at: noon, service: 'orders', level: 'error', text, labels: {} }],
    } as never);
    const number = /\+[\d.]+%?/.exec(text)![0];
    expect(() => unshown(`orders logged ${number}`, [held!], known)).not.toThrow();
  },
);

it.each(Object.values(pageWords))('the word %j of a page is known here', (word) => {
  expect(assertingWords(word).filter((one) => !carrying.test(one))).toEqual([]);
});

it('which way a series went is told by its values, also where its record says otherwise', () => {
  const record =
    'sessions{pool="main"}: down since 2026-03-05T11:53:00Z (ramp), 368 -> 490.5, farthest 494 at 2026-03-05T12:04:00Z, confidence 0.66; 15 points';
  expect(unshown('sessions rose from 368 to 490.5 since 11:53', [record], known)).toBeNull();
  expect(unshown('sessions fell from 368 to 490.5 since 11:53', [record], known)).toContain(
    'went up, not down',
  );
});

it.each([-110, -70, -30, -5])(
  'one series has one onset, wherever the window begins (turn at %d min)',
  (turn) => {
    const points = Array.from(
      { length: 241 },
      (_, n) => [noon + (n - 180) * minute, (n - 180 < turn ? 52 : 1_100_000 + 6_000 * n) + (n % 3)] as const,
    );
    const [content] = contentsOf({
      kind: 'series',
      series: [{ name: 'rows_examined', labels: { service: 'orders' }, points }],
    }) as [string];
    const told = [
      ...content.matchAll(/(?:up|down) since (\S+) \((\w+)\),(?: from)? (\S+) (?:->|to) ([\d.]+)/g),
    ];
    expect(told).toHaveLength(2);
    expect(told[0]!.slice(1)).toEqual(told[1]!.slice(1));
  },
);
