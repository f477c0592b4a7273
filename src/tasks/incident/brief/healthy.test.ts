/** Over, or never trouble: and what ended but was felt stays the cause. */
import { describe, expect, it } from 'vitest';
import type { Series } from '../../../core/index.ts';
import type { Facts, WithEvidence } from './facts.ts';
import { judge } from './judge.ts';

const start = Date.parse('2026-03-02T10:00:00Z');
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
const gauge = (name: string, value: (k: number) => number, service = 'archive'): WithEvidence<Series> => ({
  name,
  labels: { service },
  points: Array.from({ length: 90 }, (_, k) => [start + k * minute, value(k)] as const),
  evidence: 'ev-series',
});
const line = (text: string, k: number, level = 'INFO', service = 'archive') => ({
  at: start + k * minute,
  service,
  level,
  text,
  evidence: 'ev-lines',
});
const judged = (facts: Partial<Facts>, text: string) =>
  judge({ ...none, ...facts }, { text, service: 'archive', at: start + 60 * minute });
const swings = (k: number): number => 70 + [0.2, -0.3, 0.1, -0.1, 0.4, -0.2][k % 6]!;

describe('a value that swings around its threshold', () => {
  it('before the alert as after it: healthy', () => {
    expect(judged({ series: [gauge('disk_used_percent', swings)] }, 'disk above 70 %').verdict).toBe(
      'healthy',
    );
  });
  it.each([
    ['it rose to it', [gauge('disk_used_percent', (k) => (k < 60 ? 40 : 70 + (k % 2)))], 'disk above 70 %'],
    ['another threshold', [gauge('disk_used_percent', swings)], 'disk above 90 %'],
    ['another series', [gauge('objects_per_min', swings)], 'disk above 70 %'],
  ])('%s: not healthy', (_, series, text) => {
    expect(judged({ series }, text).verdict).not.toBe('healthy');
  });
  it('nor where errors are logged', () => {
    const facts = {
      series: [gauge('disk_used_percent', swings)],
      lines: [line('object not stored', 70, 'ERROR')],
    };
    expect(judged(facts, 'disk above 70 %').verdict).not.toBe('healthy');
  });
});

describe('a failover that ended', () => {
  const promoted = [line('promoted standby archive-2 to primary', 55), line('object stored', 89)];
  it('nobody had anything of it: healthy', () => {
    const series = [gauge('connections', () => 60), gauge('error_ratio', (k) => 0.001 + (k % 3) * 0.0001)];
    expect(judged({ series, lines: promoted }, 'the primary of archive changed').verdict).toBe('healthy');
  });
  it('connections fell to nothing for a minute: the failover is the cause', () => {
    const series = [gauge('connections', (k) => (k === 55 ? 0 : 60))];
    expect(judged({ series, lines: promoted }, 'the primary of archive changed')).toMatchObject({
      verdict: 'state',
      category: 'infrastructure',
    });
  });
});

it('a pod that is being taken down, and all wanted ones are there: healthy', () => {
  const pod = (name: string, more: object) => ({ kind: 'pod', name, deployment: 'archive', ...more });
  const rows = [
    { kind: 'deployment', name: 'archive', desired: 2, ready: 2 },
    pod('archive-5d8-aa', { ready: '1/1' }),
    pod('archive-4c1-zz', {
      waiting: 'archive CrashLoopBackOff',
      deletion_timestamp: '2026-03-02T10:55:00Z',
    }),
  ];
  const lines = [line('object stored', 89)];
  const text = 'archive-4c1-zz restarts';
  expect(judged({ lines, tables: [{ rows, evidence: 'ev-rows' }] }, text).verdict).toBe('healthy');
  const alive = rows.map((row) => ({ ...row, deletion_timestamp: null }));
  expect(judged({ lines, tables: [{ rows: alive, evidence: 'ev-rows' }] }, text).verdict).not.toBe('healthy');
});

describe('machines that send more', () => {
  const rise = (from: number, to: number) => (k: number) => from + ((to - from) * Math.min(k, 60)) / 60;
  const asked = gauge('DatabaseConnections', rise(100, 600));
  const busy = gauge('CPUUtilization', rise(30, 85), 'archive-web');
  const calm = gauge('CPUUtilization', (k) => 25 + (k % 3) * 0.3, 'archive-batch');
  it('in step with what the server is asked: they are named', () => {
    expect(judged({ series: [asked, busy, calm] }, 'connections climb')).toMatchObject({
      category: 'application_tier_load_spike',
      cause: { of: { id: 'archive-web' } },
    });
  });
  it('where all are busy, or none is, nobody is', () => {
    const also = gauge('CPUUtilization', rise(25, 80), 'archive-batch');
    expect(judged({ series: [asked, busy, also] }, 'connections climb').verdict).toBe('inconclusive');
    expect(judged({ series: [asked, calm] }, 'connections climb').verdict).toBe('inconclusive');
  });
});

describe('as much as a week before', () => {
  const peak = (top: number) => (k: number) => 200 + top * Math.exp(-(((k - 60) / 20) ** 2));
  const errors = gauge('error_ratio', (k) => (k < 60 ? 0.1 : 12));
  it('is the ordinary course of the day', () => {
    const series = [gauge('p95_ms', peak(600)), gauge('p95_ms_offset_7d', peak(580))];
    expect(judged({ series }, 'p95_ms above 750').verdict).toBe('healthy');
  });
  it.each([
    ['more than then', [gauge('p95_ms', peak(600)), gauge('p95_ms_offset_7d', peak(200))]],
    ['another series', [gauge('p95_ms', peak(600)), gauge('requests_offset_7d', peak(580))]],
    ['errors beside it', [gauge('p95_ms', peak(600)), gauge('p95_ms_offset_7d', peak(580)), errors]],
  ])('not with %s', (_, series) => {
    expect(judged({ series }, 'p95_ms above 750').cause?.of).not.toMatchObject({
      why: expect.stringContaining('as high as'),
    });
  });
});

describe('an alert that nothing stands behind', () => {
  const errors = gauge('error_ratio', (k) => 0.002 + 0.0002 * Math.sin(k * 3));
  const wait = gauge('p95_ms', (k) => 40 + Math.sin(k * 5));
  const usual = (k: number): number => 200 + 30 * Math.sin(k * 4);
  const says = (metric: string, text: string, facts: Partial<Facts>) =>
    judge({ ...none, ...facts }, { text, metric, service: 'archive', at: start + 60 * minute });

  it('what it measures is as it was all the time: healthy', () => {
    const series = [gauge('replica_lag', usual), errors, wait];
    expect(says('replica_lag', 'replica_lag is 196, over 30', { series }).verdict).toBe('healthy');
  });
  it('it was beyond a threshold all the time that the rule now names: healthy; not where it went beyond it', () => {
    const lag = (text: string, own = usual) =>
      says('replica_lag', text, { series: [gauge('replica_lag', own), errors, wait] }).verdict;
    expect(lag('replica_lag is longer than 30')).toBe('healthy');
    expect(lag('replica_lag below 900')).toBe('healthy');
    expect(lag('replica_lag above 900')).not.toBe('healthy');
    expect(lag('replica_lag above 30', (k) => (k < 55 ? 20 : 200) + 3 * Math.sin(k))).not.toBe('healthy');
  });
  it('but not where it is higher since, counts down to something, fails, or nothing else is measured', () => {
    const high = gauge('replica_lag', (k) => usual(k) * (k < 55 ? 1 : 3));
    const lag = 'replica_lag is 196, over 30';
    expect(says('replica_lag', lag, { series: [high, errors, wait] }).verdict).not.toBe('healthy');
    const days = gauge('days_left', (k) => 13.9 - k * 0.0007);
    expect(says('days_left', 'days_left is 13.86', { series: [days, errors, wait] }).verdict).not.toBe(
      'healthy',
    );
    const failed = [line('could not be written', 61, 'ERROR')];
    const all = [gauge('replica_lag', usual), errors, wait];
    expect(says('replica_lag', lag, { series: all, lines: failed }).verdict).not.toBe('healthy');
    expect(says('replica_lag', lag, { series: [gauge('replica_lag', usual)] }).verdict).not.toBe('healthy');
  });
  it('it was not measured for a while, and went on: healthy; not where it fell silent, too', () => {
    const whole = gauge('written_per_min', (k) => 400 + 9 * Math.sin(k));
    const gap = { ...whole, points: whole.points.filter((_, k) => k < 52 || k > 64) };
    const lines = (until: number) =>
      Array.from({ length: 90 }, (_, k) => line(`written ${k}`, k)).filter((_, k) => k < 52 || k > until);
    const judgedWith = (until: number) =>
      says('written_per_min', 'written_per_min is 0', { series: [gap], lines: lines(until) }).verdict;
    expect(judgedWith(52)).toBe('healthy');
    expect(judgedWith(64)).not.toBe('healthy');
  });
  it('pods were replaced, and as many are ready: healthy; not where those who wait wait longer', () => {
    const replaced = gauge('pods_recreated', (k) => (k < 52 ? 0 : 5));
    const ready = gauge('ready_replicas', (k) => (k > 52 && k < 57 ? 8 : 10));
    const slow = gauge('p95_ms', (k) => (k < 55 ? 40 : 900) + Math.sin(k * 5));
    const text = '5 pods were recreated';
    const verdict = (...series: Facts['series'][number][]) =>
      says('pods_recreated', text, { series }).verdict;
    expect(verdict(replaced, ready, errors, wait)).toBe('healthy');
    expect(verdict(replaced, ready, errors, slow)).not.toBe('healthy');
  });
});

describe('a peak of one scrape', () => {
  const depth = (usual: number, after: number): WithEvidence<Series> => ({
    name: 'queue_depth',
    labels: { service: 'archive' },
    points: Array.from({ length: 240 + after }, (_, k) => [
      start + k * 15_000,
      k === 239 ? 180 : usual + (k % 3),
    ]),
    evidence: 'ev-series',
  });
  const told = (after: number, lines: Facts['lines'] = []) =>
    judge(
      { ...none, series: [depth(4, after)], lines },
      {
        text: 'QueueDeep queue_depth above 100',
        metric: 'queue_depth',
        service: 'archive',
        at: start + 240 * 15_000,
      },
    ).verdict;
  it('is over two scrapes later', () => expect(told(2)).toBe('healthy'));
  it('is not known to be over at the next one', () => expect(told(1)).not.toBe('healthy'));
  it('is not over where something else fails since', () =>
    expect(told(2, [line('object not stored', 61, 'ERROR')])).not.toBe('healthy'));
});

describe('a trouble that ended by itself', () => {
  const sha = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0';
  const base = { author: null, title: 'queue: read depth', evidence: 'ev-change', commits: [sha] };
  const changes: Facts['changes'] = [
    {
      ...base,
      kind: 'commit',
      id: sha,
      at: start + 50 * minute,
      service: null,
      paths: ['archive/queue.py'],
      diff: '@@\n-  put(letter_backlog)\n+  hold(letter_backlog)',
    },
    { ...base, kind: 'deploy', id: 'r7', at: start + 58 * minute, service: 'archive', paths: [], diff: null },
  ];
  const peaks = (...at: readonly number[]) =>
    gauge('letter_backlog_depth', (k) => (at.some((from) => k >= from && k < from + 4) ? 300 : 4 + (k % 3)));
  const text = 'letter_backlog holds too many letters';
  const refused: Facts['patterns'][number] = {
    template: text,
    example: text,
    service: 'archive',
    level: 'ERROR',
    count: 40,
    baseline: 0,
    first: start + 60 * minute,
    last: start + 63 * minute,
    evidence: 'ev-log',
  };
  const told = (series: WithEvidence<Series>, more: Facts['changes'] = []) =>
    judged(
      { series: [series], changes: [...changes, ...more], patterns: [refused] },
      'letter_backlog_depth above 100',
    ).verdict;
  it('is not the work of a change that is still in effect', () => expect(told(peaks(60))).toBe('healthy'));
  it('may be, where it came again', () => expect(told(peaks(60, 75))).toBe('code_change'));
  it('may be, where something was taken back in between', () =>
    expect(told(peaks(60), [{ ...changes[1]!, id: 'r6', at: start + 63 * minute, commits: [] }])).toBe(
      'code_change',
    ));
  it('may be, where it lasts', () =>
    expect(told(gauge('letter_backlog_depth', (k) => (k < 60 ? 4 + (k % 3) : 300)))).toBe('code_change'));
});
