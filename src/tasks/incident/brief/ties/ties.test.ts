/** Each rule of the table with what it ties, and beside it what looks alike and is no tie. */
import { describe, expect, it } from 'vitest';
import type { Change, ChangedDefinition, LogPattern, Series, Span } from '../../../../core/index.ts';
import { collectFacts, type Facts, type WithEvidence } from '../facts.ts';
import { judge } from '../judge.ts';
import { findInnermost, isSameFile, parseFrames } from './frame.ts';

const start = Date.parse('2026-05-04T06:00:00Z');
const minute = 60_000;
const evidence = 'ev-0000000001';
const sha = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0';

const commit = (diff: string, more: Partial<Change> = {}): WithEvidence<Change>[] => [
  {
    kind: 'commit',
    id: sha,
    at: start + 55 * minute,
    service: null,
    author: 'x',
    title: 'change it',
    commits: [sha],
    paths: ['billing/quote.py'],
    diff,
    evidence: 'ev-commit',
    ...more,
  },
  {
    kind: 'deploy',
    id: 'r7',
    at: start + 58 * minute,
    service: 'billing',
    author: null,
    title: 'r7',
    commits: [sha],
    paths: [],
    diff: null,
    evidence: 'ev-deploy',
  },
];
const flag = (id: string, service: string | null = 'billing'): WithEvidence<Change>[] => [
  {
    kind: 'flag',
    id,
    at: start + 58 * minute,
    service,
    author: null,
    title: 'off->on',
    commits: [],
    paths: [],
    diff: 'off->on',
    evidence: 'ev-flag',
  },
];
const series = (
  service: string,
  name: string,
  before: number,
  after: number,
  from = 60,
): WithEvidence<Series> => ({
  name,
  labels: { service },
  points: Array.from(
    { length: 90 },
    (_, k) => [start + k * minute, (k < from ? before : after) * (1 + 0.02 * Math.sin(k * 7))] as const,
  ),
  evidence,
});
const says = (template: string, service = 'billing'): WithEvidence<LogPattern> => ({
  template,
  service,
  level: 'ERROR',
  count: 200,
  baseline: 0,
  first: start + 60 * minute,
  last: start + 89 * minute,
  example: template,
  evidence: 'ev-log',
});
const call = (from: string, to: string): WithEvidence<Span>[] => [
  {
    trace: 't',
    id: 'a',
    parent: null,
    service: from,
    name: 'request',
    at: start + 70 * minute,
    duration_ms: 9,
    failed: true,
    attributes: {},
    evidence,
  },
  {
    trace: 't',
    id: 'b',
    parent: 'a',
    service: to,
    name: 'request',
    at: start + 70 * minute,
    duration_ms: 8,
    failed: true,
    attributes: {},
    evidence,
  },
];
const tied = (facts: Partial<Facts>, service = 'billing') => {
  const whole: Facts = {
    series: [series(service, 'errors_per_sec', 0.1, 30)],
    lines: [],
    patterns: [],
    changes: [],
    spans: [],
    alerts: [],
    texts: [],
    tables: [],
    ...facts,
  };
  const { blamed, verdict, cause } = judge(whole, {
    text: 'errors are high',
    service,
    at: start + 65 * minute,
  });
  return {
    kinds: blamed[0]?.ties.filter(({ strength }) => strength >= 0.3).map(({ kind }) => kind) ?? [],
    verdict,
    cause,
  };
};

describe('frame', () => {
  it.each([
    ['  File "/srv/app/billing/quote.py", line 41, in total_of', 'total_of', 41],
    ['at Quote.total (/app/billing/quote.ts:12:7)', 'total', 12],
    ['billing/quote.go:88 +0x1d', null, 88],
    ['\tat com.shop.billing.Quote.total(Quote.java:51)', 'total', 51],
    ['   at Shop.Quote.Total() in /src/billing/Quote.cs:line 9', null, 9],
    ["billing/quote.rb:7:in `total'", null, 7],
  ])('%s', (text, name, line) => {
    expect(parseFrames(text)).toContainEqual(expect.objectContaining({ name, line }));
  });
  it.each([
    ['/srv/app/billing/quote.py', 'billing/quote.py', true],
    ['com/shop/Quote.java', 'src/main/java/com/shop/Quote.java', true],
    ['/app/dist/billing/quote.js', 'src/billing/quote.ts', true],
    ['/app/dist/quote.js', 'src/quote.ts', true],
    ['/app/node_modules/quote/dist/quote.js', 'src/quote.ts', false],
    ['/app/dist/orders/quote.js', 'src/billing/quote.ts', false],
    ['/srv/app/orders/quote.py', 'billing/quote.py', false],
    ['billing/other.py', 'billing/quote.py', false],
  ])('%s and %s: %j', (one, other, same) => expect(isSameFile(one, other)).toBe(same));
  it('the frame that was running counts, not the one that called it', () => {
    const changed = ['billing/quote.py', 'billing/rates.py'];
    const last =
      'File "/srv/billing/quote.py", line 4, in total\n  File "/srv/billing/rates.py", line 9, in of';
    expect(findInnermost(last, changed)).toMatchObject({ line: 9 });
    expect(findInnermost(`(most recent call first)\n${last}`, changed)).toMatchObject({ line: 4 });
    expect(
      findInnermost('at of (/app/billing/quote.ts:1:2)\nat on (/app/billing/rates.ts:3:4)', [
        'billing/quote.ts',
        'billing/rates.ts',
      ]),
    ).toMatchObject({ line: 1 });
    expect(findInnermost(last, ['billing/quote.py'])).toMatchObject({ line: 4 });
  });
  it('a line more in the log of the file does not make it fail', () => {
    const told = commit('+  log.info("quote %s", id)', {});
    const trace = says('TypeError File "/srv/billing/quote.py", line 41, in total_of');
    expect(tied({ changes: told, patterns: [trace] }).verdict).toBe('inconclusive');
  });
  it('a trace through the changed file ties it; one through another file does not', () => {
    const changes = commit('@@ def total_of\n-    return net\n+    return net + fee', {});
    const trace = (path: string) =>
      tied({ changes, patterns: [says(`TypeError File "/srv/${path}", line 41, in total_of`)] });
    expect(trace('billing/quote.py').kinds).toContain('frame');
    expect(trace('orders/cart.py').kinds).not.toContain('frame');
  });
});

describe('identifier', () => {
  const changes = commit('-  row["net_total"]\n+  row["net_amount"]');
  it('a key that the diff takes away, and a message that misses it', () => {
    expect(tied({ changes, patterns: [says("KeyError: 'net_total'")] })).toMatchObject({
      verdict: 'code_change',
    });
  });
  it('a member that it begins to call, and a message that names the member alone', () => {
    const changes = commit(
      '-  quotes = client.quote_all(ids)\n+  for one in ids:\n+    client.has_rate(one)',
    );
    const found = tied({ changes, patterns: [says('has_rate called for 7')] });
    expect(found).toMatchObject({ verdict: 'code_change', kinds: expect.arrayContaining(['identifier']) });
    expect(tied({ changes, patterns: [says('rate of the day was set')] }).kinds).not.toContain('identifier');
  });
  it('what is only drawn of a system is in no change of it', () => {
    const drawn = commit('-  "title": "errors_per_sec"\n+  "title": "billing errors_per_sec"', {
      paths: ['monitoring/dashboards/billing.json'],
    });
    expect(tied({ changes: drawn, patterns: [says('quote failed: no rule for JPY')] }).kinds).toEqual([]);
  });
  it('the name of an answer that every protocol has ties nothing', () => {
    const other = commit('-  return status.NOT_FOUND\n+  return Status.NOT_FOUND;');
    expect(
      tied({ changes: other, patterns: [says('rule set not found in the registry, made anew')] }).kinds,
    ).toEqual([]);
  });
  it('nor does the level at which something is logged', () => {
    const logged = (text: string) =>
      tied({ changes: commit('+  report(quote, "warn")\n+  keep(quote)'), patterns: [says(text)] }).kinds;
    expect(logged('level=warn caller=limit.go msg="queue full"')).toEqual([]);
  });
  it('a series that is called by everyday words is tied by none of them', () => {
    const counted = commit('-  retry(failure, 2)\n+  retry(failure, 3, stamp)');
    const moved = (name: string) =>
      tied({ changes: counted, series: [series('billing', name, 0.1, 30)], patterns: [says('no answer')] })
        .kinds;
    expect(moved('delivery_failure_ratio')).not.toContain('identifier');
  });
  it('a plain name that an error quotes, and that the diff took away or brought', () => {
    const renamed = commit('-def transcode(media, preset):\n+def transcode(media, profile):');
    const error = (text: string) => tied({ changes: renamed, patterns: [says(text)] });
    expect(error("transcode() got an unexpected keyword argument 'preset'")).toMatchObject({
      verdict: 'code_change',
      kinds: expect.arrayContaining(['identifier']),
    });
    expect(error("transcode() got an unexpected keyword argument 'width'").kinds).not.toContain('identifier');
    expect(error('the preset of the day was not there at all').kinds).not.toContain('identifier');
  });
  it('a message of something else ties nothing, though the deploy came just before', () => {
    const { verdict, kinds } = tied({ changes, patterns: [says('upstream closed the stream early')] });
    expect(kinds).toEqual([]);
    expect(verdict).toBe('inconclusive');
  });
});

describe('what a list of networks lets through', () => {
  const ranges = (rest = '') =>
    commit(` set_real_ip_from 198.51.100.0/24;\n-set_real_ip_from 203.0.113.0/24;${rest}`, {
      paths: ['billing/realip.conf'],
    });
  const refused = (changes: WithEvidence<Change>[], from: string) =>
    tied({
      changes,
      patterns: [says(`limiting requests, excess: 3 by zone "all", client: ${from}, server: x`)],
    });
  it('is another, and who is refused is of the network that it lost', () => {
    expect(refused(ranges(), '203.0.113.18')).toMatchObject({
      verdict: 'config_change',
      kinds: expect.arrayContaining(['identifier']),
    });
  });
  it.each([
    ['who is refused is of another', ranges(), '198.51.100.7'],
    ['it stands elsewhere now', ranges('\n+set_real_ip_from 203.0.113.0/24; # east'), '203.0.113.18'],
    [
      'it is half of the world',
      commit('-allow 203.0.0.0/8;', { paths: ['billing/realip.conf'] }),
      '203.0.113.18',
    ],
  ])('%s: nothing', (_, changes, from) => {
    expect(refused(changes, from).kinds).not.toContain('identifier');
  });
});

describe('a name that others miss', () => {
  const moved = (label: string, kept = '') =>
    commit(`-      ${label}: ""\n+      zone: a${kept}`, { paths: ['clusters/pink/cluster.yaml'] });
  const missed = (changes: WithEvidence<Change>[], text: string, from = 'calico') =>
    tied({
      changes: changes.map((one) => ({ ...one, service: 'billing' })),
      patterns: [{ ...says(text, from), level: 'INFO', count: 1 }],
    }).kinds;
  const says0 = 'selector has(node-role.kubernetes.io/master) matches 0 nodes';
  it('is taken away by a change to what the alert depends on: it is tied, though nothing leads to who misses it', () => {
    expect(missed(moved('node-role.kubernetes.io/master'), says0)).toContain('identifier');
  });
  it.each([
    ['it is another name', moved('node-role.kubernetes.io/worker'), says0],
    ['it is kept', moved('node-role.kubernetes.io/master', '\n+  node-role.kubernetes.io/master: x'), says0],
    ['it is a name that many have', moved('master'), 'selector has(master) matches 0 nodes'],
    [
      'it is not missed',
      moved('node-role.kubernetes.io/master'),
      'selector has(node-role.kubernetes.io/master) set',
    ],
  ])('%s: nothing', (_, changes, text) => {
    expect(missed(changes, text)).not.toContain('identifier');
  });
});

describe('definition', () => {
  const touched = (inside: ChangedDefinition[], diff = '@@\n+  check(order)\n   place(order)') =>
    commit(diff, { names: { inside } });
  const told = (inside: ChangedDefinition[], text: string, diff?: string) =>
    tied({ changes: touched(inside, diff), patterns: [says(text)] }).kinds;
  it('a function around the edited line, and a message that names it; its words in another order tie nothing', () => {
    const quote: ChangedDefinition = { name: 'settleQuote', kind: 'function' };
    expect(told([quote], 'rpc=settleQuote code=Internal took=9')).toContain('identifier');
    expect(told([quote], 'to settle the quote took 9')).not.toContain('identifier');
  });
  it('a type by its logger, and not by the logger of another', () => {
    const relay: ChangedDefinition = { name: 'QuoteRelay', kind: 'type' };
    expect(told([relay], 'ERROR shop.billing.QuoteRelay - no answer')).toContain('identifier');
    expect(told([relay], 'ERROR shop.billing.QuoteSender - no answer')).not.toContain('identifier');
  });
  it('nothing by the logger of the file in which only a value is another', () => {
    const relay: ChangedDefinition = { name: 'QuoteRelay', kind: 'type' };
    expect(told([relay], 'ERROR shop.QuoteRelay - no answer', '-  BATCH = 20;\n+  BATCH = 40;')).toEqual([]);
  });
  it('what functions are called everywhere ties nothing', () => {
    expect(told([{ name: 'handle', kind: 'function' }], 'could not handle 9 of them')).toEqual([]);
  });
});

describe('setting', () => {
  const changes = commit('-  deadline_ms: 4000\n+  deadline_ms: 350', { paths: ['billing/client.yaml'] });
  it('a value that a message names', () => {
    expect(tied({ changes, patterns: [says('quote gave up after 350ms')] })).toMatchObject({
      verdict: 'config_change',
    });
  });
  it('a limit that was made wider is not why it is met', () => {
    const wider = commit('-  deadline_ms: 200\n+  deadline_ms: 350', { paths: ['billing/client.yaml'] });
    const { kinds, verdict } = tied({ changes: wider, patterns: [says('quote gave up after 350ms')] });
    expect(kinds).not.toContain('setting');
    expect(verdict).toBe('inconclusive');
  });
  it('a limit by what it stands in, where its own name says little', () => {
    const cut = commit(
      "@@\n export const pool = new Pool({\n   host: 'db',\n-  max: 40,\n+  max: 2,\n   connectionTimeoutMillis: 700,\n });",
      { paths: ['billing/pool.js'] },
    );
    expect(tied({ changes: cut, patterns: [says('quote failed: no connection of the pool')] })).toMatchObject(
      { verdict: 'code_change' },
    );
    expect(tied({ changes: cut, patterns: [says('quote failed: no rule for JPY')] }).verdict).toBe(
      'inconclusive',
    );
  });
  it('more room is why more is taken where all of it was used, and not where it was not', () => {
    const wider = commit('-  rates_pool_max: 40\n+  rates_pool_max: 160', { paths: ['billing/client.yaml'] });
    const open = (before: number) =>
      tied({
        changes: wider,
        series: [series('billing', 'rates_pool_active', before, 150), series('billing', 'p95_ms', 40, 900)],
      });
    expect(open(38)).toMatchObject({
      verdict: 'config_change',
      kinds: expect.arrayContaining(['setting']),
    });
    const { kinds, verdict } = open(9);
    expect(kinds).not.toContain('setting');
    expect(verdict).not.toBe('config_change');
  });
  it.each([
    [
      'a line more in the log',
      '-  log.info("quote {} of {}", id, who);\n+  log.info("quote {} of {} at {}", id, who, geo.city(ip));',
    ],
    ['the same in Go', '@@\n+\tklog.Infof("quote total=%d n=%d", total, len(all))'],
    ['what is logged', '@@\n   name  = "log_connections"\n-  value = "1"\n+  value = "0"'],
    [
      'the tag of an image',
      '@@\n     - name: billing\n-      image: registry.local/arena:87\n+      image: registry.local/arena:88',
    ],
    ['a version', '-version: 1.4.350\n+version: 1.4.351'],
  ])('%s is none', (_, diff) => {
    const messages = [
      'quote total=9 n=3: no connection of the pool',
      'arena 88: out of memory',
      'gave up after 351',
    ];
    const { kinds, verdict } = tied({
      changes: commit(diff, { paths: ['billing/deploy.yaml'] }),
      patterns: messages.map((text) => says(text)),
      series: [series('billing', 'arena_connections', 2, 90), series('billing', 'errors_per_sec', 0.1, 30)],
    });
    expect(kinds).not.toContain('setting');
    expect(verdict).not.toMatch(/change$/);
  });
  it('a name in a text of the code is no setting, a name in quotation marks before its value is', () => {
    const slow = { patterns: [says('cart is stale: cache entry was not read in time')] };
    const cache = [series('billing', 'cache_misses_per_sec', 4, 900), series('billing', 'p95_ms', 40, 7_000)];
    const changed = (was: string, is: string) =>
      tied({ changes: commit(`-  ${was}\n+  ${is}`), series: cache, ...slow }).kinds;
    expect(changed('send(id, 40, "stale cache")', 'send(id, 70, "stale cache")')).not.toContain('setting');
    expect(changed('"cache_ttl_s": 900', '"cache_ttl_s": 9')).toContain('setting');
  });
  it('a fence around what can no longer be reached, and not around something else', () => {
    const policy = commit(
      '@@ kind: NetworkPolicy\n   podSelector:\n     matchLabels: {app: rates}\n-  ingress: [{}]\n+  ingress: [{from: [{podSelector: {matchLabels: {role: client}}}]}]',
      { paths: ['k8s/rates/policy.yaml'] },
    );
    const failing = (text: string, metric: string) =>
      tied({
        changes: policy,
        patterns: [says(text)],
        spans: call('billing', 'rates'),
        series: [series('billing', metric, 0.1, 40)],
      }).kinds;
    expect(
      failing('Error 110 connecting to rates:6379. Connection timed out.', 'connect_timeouts'),
    ).toContain('setting');
    expect(failing('no rule for JPY', 'errors_per_sec')).toEqual([]);
  });
  it('a call that is no longer waited for, where a rejection ends the process', () => {
    const dropped = commit('-  await this.store.put(key, one)\n+  this.store.put(key, one)');
    const died = (text: string, metric: string) =>
      tied({ changes: dropped, patterns: [says(text)], series: [series('billing', metric, 0.1, 6)] }).kinds;
    expect(died('UnhandledPromiseRejection: no room for the day', 'process_restarts')).toContain('setting');
    expect(died('no rule for JPY', 'errors_per_sec')).not.toContain('setting');
  });
  it('what is loaded at once that was taken bit by bit, where memory runs out', () => {
    const all = commit(
      '-  Usage.find_each(batch_size: 500) { |one| add(one) }\n+  Usage.all.to_a.each { |one| add(one) }',
    );
    const died = { patterns: [says('worker killed: out of memory, resident 4.1 GB')] };
    const memory = (name: string) =>
      tied({ changes: all, ...died, series: [series('billing', name, 300, 4_000)] }).kinds;
    expect(memory('memory_rss_mb')).toContain('setting');
    expect(memory('visitors')).not.toContain('setting');
  });
  it('a comparison past the index, and not a column that is only read', () => {
    const slow = {
      patterns: [says('Query execution was interrupted, maximum statement execution time exceeded')],
      series: [
        series('billing', 'rows_examined_per_sec', 400, 90_000),
        series('billing', 'p95_ms', 40, 7_000),
      ],
    };
    const changed = (line: string) =>
      tied({ changes: commit(`-  and n.at >= :from and n.at < :to\n+  ${line}`), ...slow });
    expect(changed('and date(n.at) = :day')).toMatchObject({
      verdict: 'code_change',
      kinds: expect.arrayContaining(['setting']),
    });
    expect(changed('and n.at = date(:day)').kinds).toEqual([]);
  });
  it('the same number in an ordinary line ties nothing', () => {
    const ordinary = {
      at: start + 10 * minute,
      service: 'billing',
      level: 'INFO',
      text: 'loaded 350 rows',
      evidence,
    };
    const late = { ...ordinary, at: start + 70 * minute, level: 'ERROR', text: 'could not load 350 rows' };
    expect(tied({ changes, lines: [ordinary, late] }).kinds).not.toContain('setting');
  });
});

describe('when others move', () => {
  const diff = '-  ttl: 15m\n+  ttl: 15s';
  const caches = (service: string, from: number) =>
    tied({
      changes: commit(diff),
      series: [
        series('billing', 'errors_per_sec', 0.1, 30),
        series(service, 'cache_hit_ratio', 0.95, 0.02, from),
      ],
      patterns: [
        says('cache miss for rate 7, loaded from the store'),
        says('rates-cache refused billing', 'rates-cache'),
      ],
      spans: call('billing', 'rates-cache'),
    }).kinds.includes('setting');

  // The deploy to billing is recorded at minute 58.
  it.each([
    ['its own series, a minute before the deploy is recorded as complete', 'billing', 57, true],
    ["another's, a minute before", 'rates-cache', 57, false],
    ["another's, after it", 'rates-cache', 59, true],
  ])('%s', (_, service, from, expected) => expect(caches(service, from)).toBe(expected));
});

describe('state', () => {
  const changes = commit('-  conn = db.connect(url)\n-  conn.close()\n+  conn = db.connect(url)');
  it('what no longer gives back connections, and a database that has none left', () => {
    expect(tied({ changes, patterns: [says('FATAL: sorry, too many clients already')] })).toMatchObject({
      verdict: 'code_change',
    });
  });
  it.each([
    ['-  maxclients 400\n+  maxclients 12', 'ERR max number of clients reached'],
    ['-  client_max_body_size 20m;\n+  client_max_body_size 64k;', 'client intended to send too large body'],
    [
      '-  temp_file_limit = -1\n+  temp_file_limit = 10MB',
      'temporary file size exceeds temp_file_limit (10240kB)',
    ],
    ['-  read_only = off\n+  read_only = on', 'The MariaDB server is running with the --read-only option'],
  ])('a setting that decides when it comes to it: %s', (diff, text) => {
    const changes = commit(diff, { paths: ['billing/server.conf'] });
    expect(tied({ changes, patterns: [says(text)] })).toMatchObject({
      verdict: 'config_change',
      kinds: expect.arrayContaining(['state']),
    });
  });
  it('more of what is then used up is not why it is; the same the other way round is', () => {
    const to = (was: number, is: number) =>
      tied({
        changes: commit(`-limit_req zone=one burst=${was};\n+limit_req zone=one burst=${is};`, {
          paths: ['billing/limits.conf'],
        }),
        patterns: [says('limiting requests, excess: 3 by zone "one", client: 1.2.3.4')],
      }).verdict;
    expect(to(40, 4)).toBe('config_change');
    expect(to(4, 40)).not.toBe('config_change');
  });
  it.each([
    ['-  loglevel notice\n+  loglevel debug', 'ERR max number of clients reached', 'another setting'],
    ['-  maxclients 400\n+  maxclients 12', 'x509: certificate has expired', 'another trouble'],
  ])('%s beside "%s", %s: none', (diff, text) => {
    const changes = commit(diff, { paths: ['billing/server.conf'] });
    const { kinds, verdict } = tied({ changes, patterns: [says(text)] });
    expect(kinds).not.toContain('state');
    expect(verdict).toBe('state');
  });
  it('a replica that falls behind is not the doing of a change that does not touch it', () => {
    const text = commit(
      "-  res.json({ note: 'not found here' })\n+  res.json({ note: `not found here, on <host>` })",
    );
    const found = tied({
      changes: text,
      patterns: [says('order 7 not found here, on rates-db')],
      series: [
        series('billing', 'http_404_per_min', 1, 90),
        series('rates-db', 'replica_lag_seconds', 0.1, 1900),
      ],
      spans: call('billing', 'rates-db'),
    });
    expect(found).toMatchObject({ verdict: 'state', cause: { of: { object: 'rates-db' } } });
  });
  it.each([
    ['code', '@@ def relay(one):\n+  seen[one.id] = one', 'billing/relay.py', 'code_change'],
    ['a setting', '-  maxmemory 900mb\n+  maxmemory 40mb', 'billing/relay.conf', 'config_change'],
    ['a name', '-  rows_memory_kb: 64\n+  rows_memory_kb: 2048', 'billing/relay.yaml', 'config_change'],
  ])(
    '%s fills the memory of the canary that it went to, and not that of the other pods',
    (_, diff, path, verdict) => {
      const died = (to: string, isMeasured = true) =>
        tied({
          changes: commit(diff, { paths: [path] }).map((one) =>
            one.kind === 'deploy' ? { ...one, service: to } : one,
          ),
          patterns: [says('worker killed: OOMKilled, out of memory')],
          series: [
            ...(isMeasured ? [series('billing', 'memory_rss_mb', 300, 4_000)] : []),
            series('billing', 'restarts', 0.1, 9),
          ],
        }).verdict;
      expect(died('billing')).toBe(verdict);
      expect(died('billing-canary')).toBe('state');
      expect(died('billing', false)).toBe(verdict);
      expect(died('billing-canary', false)).toBe('state');
    },
  );
  it('what a canary holds ties its code to it, though the alert names the other pods', () => {
    const held = (of: string) =>
      tied({
        changes: commit('@@ def relay(one):\n+  seen[one.id] = one', { paths: ['billing/relay.py'] }).map(
          (one) => (one.kind === 'deploy' ? { ...one, service: 'billing-canary' } : one),
        ),
        spans: call('billing', 'billing-canary'),
        patterns: [says('worker killed: OOMKilled, out of memory', of)],
        series: [series(of, 'memory_rss_mb', 300, 4_000), series('billing', 'errors_per_sec', 0.1, 30)],
      }).kinds;
    expect(held('billing-canary')).toContain('setting');
    expect(held('billing')).not.toContain('setting');
  });
  it('and a certificate that has expired is not its doing', () => {
    const { verdict, kinds } = tied({
      changes,
      patterns: [says('x509: certificate has expired or is not yet valid')],
    });
    expect(kinds).not.toContain('state');
    expect(verdict).toBe('state');
  });
});

describe('flag', () => {
  it('a flag that a message names', () => {
    expect(
      tied({
        changes: flag('quote-rounding-v2'),
        patterns: [says('quote-rounding-v2: no rule for currency JPY')],
      }),
    ).toMatchObject({ verdict: 'config_change' });
  });
  it('one that shares the name of the service only', () => {
    expect(
      tied({ changes: flag('billing-banner'), patterns: [says('billing: no rule for currency JPY')] })
        .verdict,
    ).toBe('inconclusive');
  });
});

describe('edge', () => {
  const changes = commit('-  return one(a)\n+  return other(b)').map((one) => ({
    ...one,
    service: 'rates',
    ...(one.kind === 'commit' && { paths: ['rates/x.py'] }),
  }));
  const moved = (first: number, then: number, spans: WithEvidence<Span>[]) =>
    tied({
      changes,
      spans,
      series: [
        series('rates', 'latency_ms', 5, 900, first),
        series('billing', 'errors_per_sec', 0.1, 30, then),
      ],
    }).kinds;
  it('the changed service is called by the alerted one, and failed first', () => {
    expect(moved(60, 63, call('billing', 'rates'))).toContain('edge');
  });
  it('the changed service calls the alerted one far more for as much work, and not for more work', () => {
    const asked = (own: number) =>
      tied({
        changes,
        spans: call('rates', 'billing'),
        series: [
          series('rates', 'quotes_per_min', 50, own),
          series('billing', 'lookups_per_sec', 20, 400),
          series('billing', 'latency_ms', 5, 900, 63),
        ],
      }).verdict;
    expect(asked(50)).toBe('code_change');
    expect(asked(1_000)).not.toBe('code_change');
  });
  it('the place of a deploy speaks half for what lay before the commit that it was made for', () => {
    const [own, deploy] = changes as [WithEvidence<Change>, WithEvidence<Change>];
    const before = { ...own, id: 'e'.repeat(40), at: own.at - 5 * minute, evidence: 'ev-before' };
    const { blamed } = judge(
      {
        ...collectFacts([]),
        changes: [own, before, deploy],
        spans: call('billing', 'rates'),
        series: [series('rates', 'latency_ms', 5, 900, 60), series('billing', 'errors_per_sec', 0.1, 30, 63)],
      },
      { text: 'errors are high', service: 'billing', at: start + 65 * minute },
    );
    const tiedBy = (id: string) => blamed.find((one) => one.id === id)!.tieStrength;
    expect(blamed.map(({ how }) => how)).toEqual(['named', 'included']);
    expect(tiedBy(before.id)).toBeCloseTo(tiedBy(sha) / 2);
  });
  it.each([
    ['blocks', '@@ async function quote() {\n-  await hash(one)\n+  hashSync(one)', 'cpu_pct'],
    ['carries more', '-  ids: List<Long>,\n+  variants: List<VariantView>,', 'network_tx_mb_per_sec'],
  ])(
    'the changed service %s, and needs far more for as much work; not for more work, and not another change',
    (_, diff, metric) => {
      const needs = (edit: string, requests: number, at = 60) =>
        tied({
          changes: commit(edit),
          series: [
            series('billing', metric, 20, 80, at),
            series('billing', 'requests_per_sec', 50, requests),
            series('billing', 'errors_per_sec', 0.1, 30),
          ],
        }).kinds;
      expect(needs(diff, 50)).toContain('edge');
      expect(needs(diff, 190)).not.toContain('edge');
      expect(needs(diff, 50, 40)).not.toContain('edge');
      expect(needs('-  greet(name)\n+  greet(name, title)', 50)).not.toContain('edge');
    },
  );
  it('not where it failed last, and not where neither calls the other', () => {
    expect(moved(70, 60, call('billing', 'rates'))).not.toContain('edge');
    expect(moved(60, 63, call('billing', 'stock'))).not.toContain('edge');
  });
});

describe('somebody else', () => {
  it.each([
    ['geo.rates.example responded 502 Bad Gateway after 3000 ms', 'geo.rates.example'],
    ['POST to quotes.bigbank.eu timed out', 'quotes.bigbank.eu'],
    ['call to api.partner-one.org/v2/rates failed: 503', 'api.partner-one.org'],
  ])('%s: %s', (text, id) => {
    expect(tied({ patterns: [says(text)] })).toMatchObject({
      verdict: 'no_code_change',
      cause: { of: { kind: 'upstream', id } },
    });
  });
  it.each([
    'billing.quote.total failed: no rate',
    'quote.py failed to load rates.json after 3 tries, timed out',
    'rates-db.prod.internal timed out',
    'poll timeout expired: raise max.poll.interval.ms, or lower max.poll.records',
    'e.message is unavailable',
  ])('nobody: %s', (text) => {
    expect(tied({ patterns: [says(text)] }).cause).not.toMatchObject({ kind: 'outside' });
  });
});

describe('a table', () => {
  const slow = 'duration: 8120.1 ms  statement: SELECT * FROM bookings WHERE guest = 7';
  it.each([
    ['-- drop it\nDROP INDEX bookings_guest ON bookings;', 'SQL'],
    ['remove_index :bookings, :guest', 'a migration of Rails'],
    ['ALTER TABLE public.bookings ADD COLUMN note text NOT NULL;', 'with its schema'],
  ])('that the change alters, and a statement of the trouble uses: %s (%s)', (statement) => {
    const changes = commit(`+${statement.replaceAll('\n', '\n+')}`, { paths: ['db/migrate/7.sql'] });
    expect(tied({ changes, patterns: [says(slow)] }).kinds).toContain('identifier');
  });
  it('another table, or one that is only read, ties nothing', () => {
    const other = commit('+ALTER TABLE guests ADD COLUMN note text;', { paths: ['db/migrate/7.sql'] });
    expect(tied({ changes: other, patterns: [says(slow)] }).kinds).not.toContain('identifier');
    const read = commit('+  rows = all(bookings)', { paths: ['stay/rows.py'] });
    expect(tied({ changes: read, patterns: [says(slow)] }).kinds).not.toContain('identifier');
  });
});

describe('a new callee', () => {
  const changes = commit('-  hub = table.by_code(code)\n+  hub = geocoder.nearest(lat, lon)');
  const asked = (service: string) =>
    tied({
      changes,
      spans: call('billing', service),
      series: [series('billing', 'p95_ms', 80, 900), series(service, 'requests_per_sec', 3, 40)],
    });
  it('is asked more since', () => {
    expect(asked('hub-geocoder')).toMatchObject({ verdict: 'code_change', kinds: ['edge'] });
  });
  it('is not somebody whom the lines do not name', () => {
    expect(asked('mailer').kinds).not.toContain('edge');
  });
});

describe('time', () => {
  const brought = (id: string, at: number, diff: string): WithEvidence<Change>[] =>
    commit(diff, { id, at: start + (at - 3) * minute, commits: [id] }).map((one) =>
      one.kind === 'commit'
        ? { ...one, evidence: `ev-${id[0]}` }
        : { ...one, id: `r${at}`, at: start + at * minute, commits: [id], evidence: `ev-r${at}` },
    );
  const [early, late] = ['b'.repeat(40), 'c'.repeat(40)];
  it('of two that are tied alike, the one after which it began at once', () => {
    const key = '-  row["net_total"]\n+  row["net_amount"]';
    const changes = [...brought(early, 45, key), ...brought(late, 59, key)];
    const { cause } = tied({ changes, patterns: [says("KeyError: 'net_total'")] });
    expect(cause).toMatchObject({ kind: 'change', of: { id: late } });
  });
  it('one that came just before, and that nothing ties, is not blamed for it', () => {
    const changes = [
      ...brought(early, 45, '-  row["net_total"]\n+  row["net_amount"]'),
      ...brought(late, 59, '-  greet(name)\n+  greet(name, title)'),
    ];
    const { cause } = tied({ changes, patterns: [says("KeyError: 'net_total'")] });
    expect(cause).toMatchObject({ kind: 'change', of: { id: early } });
  });
});

it('one whose names failing messages hold comes before one that only its place and time speak for', () => {
  const [right, near] = ['b'.repeat(40), 'c'.repeat(40)];
  const one = (id: string, before: number, diff: string, to: string): WithEvidence<Change>[] =>
    commit(diff, { id, at: start + (60 - before) * minute, commits: [id], paths: [`${to}/x.tf`] }).map(
      (each) =>
        each.kind === 'commit'
          ? { ...each, evidence: `ev-${id[0]}` }
          : { ...each, id: `r-${to}`, at: start + (60 - before) * minute, service: to, commits: [id] },
    );
  const policy = (action: string) =>
    one(right, 118, `-    actions = ["s3:GetObject", "${action}"]\n+    actions = ["s3:GetObject"]`, 'infra');
  const judgedWith = (action: string) =>
    tied({
      changes: [...policy(action), ...one(near, 9, '-  return one(a)\n+  return other(b)', 'rates')],
      patterns: [says('AccessDenied: not authorized to perform: kms:Decrypt on resource x')],
      spans: call('billing', 'rates'),
      series: [series('rates', 'cache_entries', 400, 90, 59), series('billing', 'errors_per_sec', 0.1, 30)],
    }).cause;
  expect(judgedWith('kms:Decrypt')).toMatchObject({ of: { id: right } });
  expect(judgedWith('kms:ListKeys')).not.toMatchObject({ of: { id: right } });
});

describe('growth', () => {
  const grown = (from: number): WithEvidence<Series> => ({
    ...series('billing', 'held_mb', 300, 300),
    points: Array.from(
      { length: 600 },
      (_, k) => [start + (k - 500) * minute, 300 + Math.max(0, k - from) * 9 + 3 * Math.sin(k * 7)] as const,
    ),
  });
  const scoreOf = (from: number) => {
    const facts: Facts = {
      ...collectFacts([]),
      series: [grown(from), series('billing', 'errors_per_sec', 0.1, 30)],
      patterns: [says("KeyError: 'net_total'")],
      changes: commit('-  row["net_total"]\n+  row["net_amount"]').map((one) => ({
        ...one,
        at: start - 260 * minute,
      })),
    };
    const alert = { text: 'errors are high', service: 'billing', metric: 'errors_per_sec' };
    return judge(facts, { ...alert, at: start + 65 * minute }).blamed[0]!.score;
  };
  it('that began right after a change brings it near the trouble; one that began before it or long after does not', () => {
    const without = scoreOf(600);
    expect(scoreOf(242)).toBeGreaterThan(2 * without);
    expect(scoreOf(150)).toBe(without);
    expect(scoreOf(400)).toBe(without);
  });
});

describe('flag', () => {
  const line = (text: string, k: number, level = 'ERROR') => ({
    at: start + k * minute,
    service: 'billing',
    level,
    text,
    evidence: 'ev-lines',
  });
  it('a word of its name that no line had before it was switched, and that came at once', () => {
    const quote = [59, 60, 61, 62].map((k) => line('quote refused: rule smart gave none', k));
    const ordinary = line('quote made', 20, 'INFO');
    const found = tied({ changes: flag('smart_routing'), lines: [ordinary, ...quote] });
    expect(found).toMatchObject({ verdict: 'config_change', kinds: expect.arrayContaining(['flag']) });
  });
  it('a word that lines had before it, or that comes long after', () => {
    const quote = (from: number) =>
      [0, 1, 2, 3].map((k) => line('quote refused: rule smart gave none', from + k));
    const before = line('rule smart is asked', 20, 'INFO');
    expect(tied({ changes: flag('smart_routing'), lines: [before, ...quote(59)] }).kinds).toEqual([]);
    expect(tied({ changes: flag('smart_routing'), lines: quote(70) }).kinds).toEqual([]);
  });
});
