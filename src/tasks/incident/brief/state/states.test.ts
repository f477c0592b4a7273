/** What systems report of themselves: what it comes to, and what looks alike and comes to nothing. */
import { describe, expect, it } from 'vitest';
import type { LogPattern, Series } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import { judge, toBlame } from '../judge.ts';
import { placing } from './kubernetes.ts';
import { findStates } from './states.ts';

const start = Date.parse('2026-05-04T06:00:00Z');
const minute = 60_000;
const none: Facts = {
  series: [],
  lines: [],
  patterns: [],
  changes: [],
  spans: [],
  alerts: [],
  texts: [],
  tables: [],
};
const judged = (facts: Partial<Facts>, service = 'ledger', text = 'errors are high') =>
  judge({ ...none, ...facts }, { text, service, at: start + 80 * minute });
const says = (template: string, level = 'ERROR', service = 'ledger'): WithEvidence<LogPattern> => ({
  template,
  service,
  level,
  count: 40,
  baseline: 0,
  first: start + 60 * minute,
  last: start + 89 * minute,
  example: template,
  evidence: 'ev-log',
});
const line = (text: string, level: string, k: number, service = 'ledger') => ({
  at: start + k * minute,
  service,
  level,
  text,
  evidence: 'ev-events',
});
const rows = (...all: Record<string, unknown>[]) => [{ rows: all, evidence: 'ev-objects' }];
const gauge = (name: string, value: (k: number) => number): WithEvidence<Series> => ({
  name,
  labels: { service: 'ledger' },
  points: Array.from({ length: 90 }, (_, k) => [start + k * minute, value(k)] as const),
  evidence: 'ev-series',
});

describe('messages, in the words that servers document', () => {
  it.each([
    ['FATAL: sorry, too many clients already', 'connection_exhaustion'],
    ['ERROR 1040 (HY000): Too many connections', 'connection_exhaustion'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'resource_exhaustion'],
    [
      'MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist on disk',
      'storage_exhaustion',
    ],
    ['memory resource limit alarm set on node rabbit@mq-1', 'resource_exhaustion'],
    ['ERROR: cannot execute INSERT in a read-only transaction', 'infrastructure'],
    ['4096 worker_connections are not enough', 'connection_exhaustion'],
    ['write /data/wal/0001: no space left on device', 'storage_exhaustion'],
    ['getaddrinfo ENOTFOUND ledger-db.prod.internal', 'configuration_error'],
    [
      'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
      'infrastructure',
    ],
    ['LOG: checkpoints are occurring too frequently (4 seconds apart)', 'checkpoint_io_storm'],
    ['kernel: blk_update_request: I/O error, dev sdb, sector 99', 'infrastructure'],
  ])('%s: %s', (text, category) => {
    expect(judged({ patterns: [says(text)] })).toMatchObject({ verdict: 'state', category });
  });
  it.each([
    'could not book the entry: amount is negative',
    'customer complained that the disk of his camera is not full',
    'entry is dated 2026-05-04T08:00:00+02:00, of local time in Riga',
  ])('no state: %s', (text) => {
    expect(judged({ patterns: [says(text)] }).verdict).toBe('inconclusive');
  });
  it.each([
    [
      'Get "https://tax-gateway.payments.svc:8443/v2/accounts/60824/balances/of/the/day/that/was/asked/for": tls: failed to verify certificate: x509: certificate has expired',
      'tax-gateway',
    ],
    ['Get "https://tax.partner-one.org:8443/v2": x509: certificate has expired', 'tax.partner-one.org'],
    ['Memory cgroup out of memory: Killed process 25621 (rollup) total-vm:2376744kB', 'rollup'],
  ])('the host or the program that a message names is in that state, not who tells of it: %s', (text, id) => {
    expect(judged({ patterns: [says(text)] }).cause).toMatchObject({ kind: 'state', of: { object: id } });
  });
  it('the line of a frame is no port of a host', () => {
    const text =
      'PG::QueryCanceled: canceling statement due to statement timeout: app/orders_query.rb:14:in `all`';
    const { cause } = judged({ patterns: [says(text)] });
    expect(cause).toMatchObject({ kind: 'state', of: { object: expect.not.stringMatching(/rb$/) } });
  });
  it('a certificate that was not renewed is named by its own name; one that was renewed is well', () => {
    const told = says('rates: x509: certificate has expired or is not yet valid');
    const row = {
      name: 'rates-serving',
      notAfter: '2026-05-04T07:00:00Z',
      ready: false,
      reason: 'IssuerNotReady',
    };
    const blamed = (one: Record<string, unknown>) => judged({ patterns: [told], tables: rows(one) }).cause;
    expect(blamed(row)).toMatchObject({ of: { object: 'Certificate/rates-serving' } });
    const renewed = { name: 'rates-serving', notAfter: '2026-11-04T07:00:00Z', ready: true };
    expect(blamed(renewed)).not.toMatchObject({ of: { object: 'Certificate/rates-serving' } });
  });
  it('a client that quotes a server is not that server', () => {
    const text =
      'bulk rejected: cluster_block_exception: index [logs] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]';
    expect(judged({ patterns: [says(text)] }).cause).toMatchObject({ of: { object: 'Elasticsearch' } });
  });
  it('storage that is told of early, with room left, is no want', () => {
    expect(
      judged({
        lines: [line('DB instance ledger low storage space: 120 GB remaining of 200 GB', 'WARN', 70)],
      }).verdict,
    ).toBe('inconclusive');
  });
});

describe('objects', () => {
  it.each([
    [
      {
        kind: 'pod',
        name: 'ledger-5d8-x1',
        phase: 'Pending',
        waiting: 'ledger ImagePullBackOff Back-off pulling image',
      },
      'configuration_error',
    ],
    [
      {
        kind: 'pod',
        name: 'ledger-5d8-x1',
        phase: 'Pending',
        waiting: 'ledger CreateContainerConfigError secret "db" not found',
      },
      'configuration_error',
    ],
    [{ kind: 'pod', name: 'ledger-5d8-x1', phase: 'Failed', reason: 'Evicted' }, 'resource_exhaustion'],
    [
      {
        kind: 'pod',
        name: 'ledger-5d8-x1',
        'conditions.PodScheduled.status': 'False',
        'conditions.PodScheduled.reason': 'Unschedulable',
      },
      'resource_exhaustion',
    ],
    [{ name: 'ledger', connections: 99, most_connections: 100 }, 'connection_exhaustion'],
    [{ name: 'ledger', behind_s: 900 }, 'replication_lag'],
    [{ name: 'ledger', DBInstanceStatus: 'storage-full' }, 'storage_exhaustion'],
  ])('%j', (row, category) => {
    expect(judged({ tables: rows(row) })).toMatchObject({ verdict: 'state', category });
  });
  it('a node that is not ready is named, with its evidence', () => {
    const facts = {
      tables: rows({ kind: 'node', name: 'n7', ready: 'False' }),
      patterns: [says('ledger: connection reset', 'ERROR')],
    };
    const { verdict, cause } = judged(facts);
    expect({ verdict, blamed: toBlame(cause) }).toMatchObject({
      verdict: 'state',
      blamed: { kind: 'object', id: 'Node/n7' },
    });
  });
  it('a pod that ended long ago and is ready now is no cause', () => {
    const pod = { kind: 'pod', name: 'ledger-5d8-x1', phase: 'Running', ready: '1/1', conditions: '' };
    expect(judged({ tables: rows(pod), patterns: [says('odd answer from peer')] }).verdict).toBe(
      'inconclusive',
    );
  });
});

describe('gauges', () => {
  it.each([
    ['filesystem_avail_bytes', (k: number) => (k < 60 ? 9e10 : 9e10 - (k - 60) * 3e9), 'storage_exhaustion'],
    ['cpu_utilization_percent', (k: number) => (k < 60 ? 30 : 97), 'resource_exhaustion'],
    ['replication_lag_seconds', (k: number) => (k < 60 ? 0.2 : (k - 59) * 40), 'replication_lag'],
    ['memory_usage_percent', (k: number) => (k < 60 ? 40 : 98), 'resource_exhaustion'],
  ])('%s', (name, value, category) => {
    expect(judged({ series: [gauge(name, value)] }).stateCauses[0]).toMatchObject({ category });
  });
  it.each([
    ['cpu_utilization_percent', (k: number) => (k < 60 ? 30 : 55)],
    ['filesystem_avail_bytes', (k: number) => (k < 60 ? 9e10 : 7e10)],
    ['cpu_utilization_percent', () => 90],
  ])('no want: %s', (name, value) => {
    expect(judged({ series: [gauge(name, value)] }).stateCauses).toEqual([]);
  });
  it('a series that ends while others go on shows trouble, and is no cause', () => {
    const whole = gauge('requests_per_sec', () => 10);
    const cut = { ...gauge('heartbeats_per_min', () => 4), points: gauge('x', () => 4).points.slice(0, 60) };
    const { states, verdict } = judged({ series: [whole, cut] });
    expect(states.map(({ quote }) => quote)).toEqual([
      expect.stringContaining('heartbeats_per_min has no value after'),
    ]);
    expect(verdict).toBe('inconclusive');
  });
  it('two that run out on one object are a cause of their own', () => {
    const both = [
      gauge('filesystem_avail_bytes', (k) => (k < 60 ? 9e10 : 9e10 - (k - 60) * 3e9)),
      gauge('cpu_utilization_percent', (k) => (k < 60 ? 30 : 97)),
    ];
    expect(judged({ series: both }).category).toBe('dual_resource_exhaustion');
  });
});

describe('healthy', () => {
  const flap = line('Pod ledger-1 Unhealthy: Liveness probe failed', 'WARN', 60, 'ledger-1');
  const after = [line('served', 'INFO', 75), line('served', 'INFO', 85)];
  const deployment = rows({ kind: 'deployment', name: 'ledger', desired: 3, ready: 3 });
  it('what was bad is over, and the object says that it is well', () => {
    expect(judged({ lines: [flap, ...after], tables: deployment })).toMatchObject({
      verdict: 'healthy',
      category: 'healthy',
    });
  });
  it('not while errors go on', () => {
    const { verdict } = judged({
      lines: [flap, ...after, line('could not book', 'ERROR', 84)],
      tables: deployment,
    });
    expect(verdict).not.toBe('healthy');
  });
  it('and not where a replica is missing', () => {
    const { verdict } = judged({
      lines: [flap, ...after],
      tables: rows({ kind: 'deployment', name: 'ledger', desired: 3, ready: 2 }),
    });
    expect(verdict).not.toBe('healthy');
  });
});

describe('what an alert is about', () => {
  const trouble = {
    patterns: [says('FATAL: sorry, too many clients already')],
    series: [gauge('errors_per_sec', (k) => (k < 60 ? 0.1 : 30))],
  };
  it('an alert of something that nothing knows is unrelated, whatever else is wrong', () => {
    expect(judged(trouble, 'badge-printer', 'badge-printer is out of paper')).toMatchObject({
      verdict: 'unrelated',
      cause: null,
      confidence: null,
    });
  });
  it.each(['good morning!', 'null', '42', 'Who has the keys to room 3?'])('%s', (text) => {
    expect(judge({ ...none, ...trouble }, { text, service: null, at: start + 80 * minute }).verdict).toBe(
      'unrelated',
    );
  });
  it('a service that is known and calm is inconclusive', () => {
    const calm = { ...gauge('errors_per_sec', () => 0.1), labels: { service: 'stock' } };
    expect(judged({ ...trouble, series: [...trouble.series, calm] }, 'stock', 'stock is slow').verdict).toBe(
      'inconclusive',
    );
  });
  it('words of a message stand for its service', () => {
    const { subject } = judge(
      { ...none, ...trouble },
      { text: 'too many clients already, says the database', service: null, at: start + 80 * minute },
    );
    expect([...subject.names]).toEqual(['ledger']);
  });
});

it('clients name the product, and a server of that product says the same of itself: it is that server', () => {
  const full =
    'MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist on disk';
  const own = (from: string) =>
    says('Write error saving DB on disk(rdbSaveRio): No space left on device', 'ERROR', from);
  const blamedOf = (from: string) =>
    toBlame(
      judged({
        patterns: [says(full), own(from)],
        series: [{ ...gauge('keys', () => 4), labels: { service: from } }],
        spans: [],
      }).cause,
    )?.id;
  expect(blamedOf('ledger-redis')).toBe('ledger-redis');
  expect(blamedOf('ledger-files')).not.toBe('ledger-files');
});
it('the sequence that ran out is the object', () => {
  const seen = judged({
    patterns: [says('ERROR:  nextval: reached maximum value of sequence "moves_id_seq" (2147483647)')],
  });
  expect(toBlame(seen.cause)).toMatchObject({ kind: 'object', id: 'moves_id_seq' });
});

describe('which object is meant', () => {
  const waited = { kind: 'Pod', name: 'ledger-5c9-x2', reason: 'FailedScheduling', message: '0/6 nodes fit' };
  const conditionsOf = (...all: Record<string, unknown>[]) =>
    findStates({ ...none, tables: rows(...all) }).map(({ condition }) => condition.name);

  it('a pod that runs on a node was placed, whatever kept it from one before', () => {
    const pod = { kind: 'Pod', name: 'ledger-5c9-x2', phase: 'Running', node_name: 'n-1' };
    expect(conditionsOf(waited, pod)).not.toContain(placing.name);
    expect(conditionsOf(waited, { ...pod, phase: 'Pending', node_name: '' })).toContain(placing.name);
    expect(conditionsOf(waited, { ...pod, name: 'ledger-5c9-x3' })).toContain(placing.name);
  });

  it('a gauge without a service is of the only thing that its labels identify', () => {
    const objectsOf = (labels: Record<string, string>) =>
      findStates({ ...none, series: [{ ...gauge('BurstBalance', (k) => Math.max(0, 60 - k)), labels }] }).map(
        ({ object }) => object,
      );
    expect(objectsOf({ VolumeId: 'vol-7' })).toEqual(['vol-7']);
    expect(objectsOf({ VolumeId: 'vol-7', InstanceId: 'i-3' })).toEqual(['the system']);
    expect(objectsOf({ grid: 'north' })).toEqual(['the system']);
  });
});
