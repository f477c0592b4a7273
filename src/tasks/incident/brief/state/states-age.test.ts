/** A state that began after the trouble did not cause it; one whose age nobody knows may have. */
import { describe, expect, it } from 'vitest';
import type { Series } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import { judge } from '../judge.ts';

const start = Date.parse('2026-03-02T10:00:00Z');
const minute = 60_000;
const onset = 60;
const series = (name: string, value: (k: number) => number, service = 'mail'): WithEvidence<Series> => ({
  name,
  labels: { service },
  points: Array.from({ length: 80 }, (_, k) => [start + k * minute, value(k)] as const),
  evidence: `ev-${name}`,
});
const queue = series('queue_depth', (k) => (k < onset ? 4 + (k % 3) : 180 + (k % 5)));
const lines = (text: string, from: number, service = 'mail') =>
  [0, 1, 2, 3, 4, 5].map((k) => ({
    at: start + (from + k) * minute,
    service,
    level: 'ERROR',
    text,
    evidence: 'ev-lines',
  }));
const judged = (facts: Partial<Facts>) =>
  judge(
    {
      series: [queue],
      lines: [],
      patterns: [],
      changes: [],
      spans: [],
      alerts: [],
      texts: [],
      tables: [],
      ...facts,
    },
    {
      text: 'MailQueue queue_depth above 100',
      service: 'mail',
      metric: 'queue_depth',
      at: start + (onset + 1) * minute,
    },
  );

describe.each([
  ['a certificate', 'bill not paid: CERT_HAS_EXPIRED certificate has expired'],
  ['a disk', 'write failed: No space left on device'],
  ['a failover', 'ERROR: cannot execute INSERT in a read-only transaction'],
])('%s', (_, text) => {
  it('since before the trouble: the cause', () => {
    expect(judged({ lines: lines(text, onset - 1) }).verdict).toBe('state');
  });
  it('since after the trouble: not the cause', () => {
    expect(judged({ lines: lines(text, onset + 4) })).toMatchObject({ cause: null });
  });
});

describe('a state without a time', () => {
  const rows = [{ name: 'mail', kind: 'server', status: 'impaired', service: 'mail' }];
  const tables = [{ rows, evidence: 'ev-rows' }];
  it('may be the cause, with less confidence than one that was seen to begin before', () => {
    const unknown = judged({ tables });
    const known = judged({ tables, lines: lines('bill not paid: CERT_HAS_EXPIRED', onset - 1) });
    expect(unknown.verdict).toBe('state');
    expect(unknown.confidence!).toBeLessThan(0.5);
    expect(known.confidence!).toBeGreaterThan(unknown.confidence!);
  });
  it('has the age of the series that tells it', () => {
    const free = (from: number) => series('disk_used_percent', (k) => (k < from ? 40 + (k % 2) : 99));
    expect(judged({ series: [queue, free(onset - 4)] }).cause).toMatchObject({ kind: 'state' });
    expect(judged({ series: [queue, free(onset + 8)] }).cause).toBeNull();
  });
});
