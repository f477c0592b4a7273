/** Which of two that could be to blame brought about the other, in facts as they come. */
import { describe, expect, it } from 'vitest';
import type { Change, LogPattern, Series } from '../../../core/index.ts';
import type { Facts, WithEvidence } from './facts.ts';
import { judge, toBlame } from './judge.ts';

const start = Date.parse('2026-05-04T06:00:00Z');
const minute = 60_000;
const says = (template: string, service = 'gateway'): WithEvidence<LogPattern> => ({
  template,
  service,
  level: 'ERROR',
  count: 300,
  baseline: 0,
  first: start + 60 * minute,
  last: start + 89 * minute,
  example: template,
  evidence: 'ev-log',
});
const series = (service: string, name: string, before: number, after: number): WithEvidence<Series> => ({
  name,
  labels: { service },
  points: Array.from(
    { length: 90 },
    (_, k) => [start + k * minute, (k < 60 ? before : after) * (1 + 0.02 * Math.sin(k * 7))] as const,
  ),
  evidence: `ev-${name}`,
});
const changed = (service: string, diff: string, path: string): WithEvidence<Change>[] => {
  const sha = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0';
  const base = { author: null, title: 'change it', evidence: 'ev-change', commits: [sha] };
  return [
    { ...base, kind: 'commit', id: sha, at: start + 40 * minute, service: null, paths: [path], diff },
    { ...base, kind: 'deploy', id: 'r7', at: start + 50 * minute, service, paths: [], diff: null },
  ];
};
const judged = (facts: Partial<Facts>, service = 'gateway') =>
  judge(
    {
      series: [],
      lines: [],
      patterns: [],
      changes: [],
      spans: [],
      alerts: [],
      texts: [],
      tables: [],
      ...facts,
    },
    { text: 'errors are high', service, at: start + 65 * minute },
  );
const felt = series('gateway', 'errors_per_sec', 0.1, 30);

describe('two changes that are as near', () => {
  const flags: WithEvidence<Change> = {
    ...changed('rates', '', 'x')[1]!,
    kind: 'flag',
    id: 'rates_new_look',
    at: start + 59 * minute,
    title: 'off->on',
    diff: 'off->on',
    evidence: 'ev-flag',
  };
  const slow = series('rates', 'p95_ms', 40, 900);
  const asked = { ...says('rates:8080 gave none'), service: 'gateway' };
  it('one that names what was seen has no rival in one that is only in its way', () => {
    const named = changed('gateway', '-  row["net_total"]\n+  row["net_amount"]', 'gateway/quote.py');
    const facts = { series: [felt, slow], patterns: [says("KeyError: 'net_total'"), asked] };
    expect(toBlame(judged({ ...facts, changes: [...named, flags] }).cause)?.kind).toBe('commit');
  });
  it('two that both name it are rivals, and neither is blamed', () => {
    const [one, deploy] = changed('gateway', '-  row["net_total"]\n+  row["net_amount"]', 'gateway/quote.py');
    const twin = { ...one!, id: 'b'.repeat(40), commits: ['b'.repeat(40)], evidence: 'ev-twin' };
    const both = { ...deploy!, commits: [one!.id, twin.id] };
    const patterns = [says("KeyError: 'net_total'")];
    const { verdict } = judged({ series: [felt], patterns, changes: [one!, twin, both] });
    expect(verdict).toBe('inconclusive');
  });
});

describe('a credential that is refused', () => {
  const refused = {
    at: start + 58 * minute,
    service: 'gateway-pg',
    level: 'FATAL',
    text: 'FATAL:  password authentication failed for user "gateway"',
    evidence: 'ev-refused',
  };
  const opened = { ...refused, service: 'gateway', level: 'INFO', text: 'connected to gateway-pg:5432' };
  const lines = [opened, refused];
  const empty = says('pool - Connection is not available, request timed out after 30000ms');
  it('brings about a pool that is empty, and no disk that is full', () => {
    expect(toBlame(judged({ lines, patterns: [empty], series: [felt] }).cause)?.id).toBe('gateway-pg');
    const full = says('could not extend file: No space left on device');
    const { category } = judged({ lines, patterns: [full], series: [felt] });
    expect(category).toBe('storage_exhaustion');
  });
});

describe('a certificate that has expired', () => {
  const told = [
    says(
      '[error] SSL_do_handshake() failed (SSL: error:0A000415:SSL routines::sslv3 alert certificate expired)',
    ),
  ];
  it('is not the doing of a change to something else of the connection', () => {
    const changes = changed(
      'gateway',
      '-  ssl_session_reuse off;\n+  ssl_session_reuse on;',
      'gateway/nginx.conf',
    );
    expect(judged({ series: [felt], patterns: told, changes })).toMatchObject({
      verdict: 'state',
      category: 'infrastructure',
    });
  });
  it('may be the doing of a change to the certificate', () => {
    const changes = changed(
      'gateway',
      '-  ssl_certificate_file /etc/tls/new.pem;\n+  ssl_certificate_file /etc/tls/old.pem;',
      'gateway/nginx.conf',
    );
    expect(judged({ series: [felt], patterns: told, changes }).verdict).toBe('config_change');
  });
});

describe('many more people', () => {
  const changes = changed('gateway', '-  workers: 380\n+  workers: 400', 'gateway/server.yaml');
  const patterns = [says('all 400 workers are busy, request refused')];
  const demand = series('gateway', 'requests_per_sec', 40, 900);
  it('are not brought by a setting that their errors name', () => {
    const people = series('gateway', 'distinct_visitors_5m', 200, 5_000);
    expect(judged({ series: [felt, demand, people], patterns, changes }).verdict).toBe('no_code_change');
  });
});

describe('what somebody else is', () => {
  const upstream = (text: string) => toBlame(judged({ series: [felt], patterns: [says(text)] }).cause);
  it('is the host that calls go to', () => {
    expect(
      upstream('POST https://api.parcels.example/v1/rates returned 503 Service Unavailable'),
    ).toMatchObject({
      kind: 'upstream',
    });
  });
  it.each([
    '10.0.0.9 - [04/May/2026:07:10:18 +0000] "GET /api/rates HTTP/2.0" 503 417 "https://desk.corvid.app/inbox" "Mozilla/5.0"',
    'Could not open a transaction: timed out at org.springframework.orm.jpa.JpaTransactionManager.doBegin',
    'level=ERROR c.q.basket.Api : Read timed out',
  ])('is not the page a request came from, nor a package: %s', (text) => {
    expect(upstream(text)).toBeNull();
  });
});

it('a node without room explains the pods that were evicted from it', () => {
  const tables = [
    {
      evidence: 'ev-objects',
      rows: [
        { kind: 'node', name: 'ip-10-0-62-14', disk_pressure: 'True', ready: 'True' },
        {
          kind: 'pod',
          name: 'gateway-59d7-k2v8r',
          service: 'gateway',
          phase: 'Failed',
          reason: 'Evicted',
          message: 'The node was low on resource: ephemeral-storage.',
        },
      ],
    },
  ];
  expect(toBlame(judged({ series: [felt], tables }).cause)).toMatchObject({ id: 'Node/ip-10-0-62-14' });
});
