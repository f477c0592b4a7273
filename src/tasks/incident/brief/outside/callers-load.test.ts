/** One tenant that asks far more, and a growth of all, which is something else. */
import { expect, it } from 'vitest';
import type { Series } from '../../../../core/index.ts';
import { collectFacts } from '../facts.ts';
import { buildCallGraph } from './call-graph.ts';
import { findLoadSender, findSingleClient } from './callers-load.ts';

const start = Date.parse('2026-03-02T10:00:00Z');
const minute = 60_000;
const series = (name: string, after: number, labels: Readonly<Record<string, string>> = {}): Series => ({
  name,
  labels: { service: 'api', ...labels },
  points: Array.from({ length: 90 }, (_, k) => [
    start + k * minute,
    (k < 60 ? 20 : after) * (1 + 0.03 * Math.sin(k * 7)),
  ]),
});
const found = (...all: readonly Series[]) =>
  findSingleClient(
    collectFacts([{ rows: { kind: 'series', series: all }, text: '', evidenceOf: (row) => `ev-${row}` }]),
    start + 61 * minute,
  ).map(({ kind, id, service }) => ({ kind, id, service }));

it('one of several rises, by its name or by its label', () => {
  const asker = [{ kind: 'traffic', service: 'api' }];
  expect(
    found(series('requests_per_sec_tenant_7', 900), series('requests_per_sec_tenant_other', 20)),
  ).toMatchObject(asker.map((one) => ({ ...one, id: 'tenant 7' })));
  expect(
    found(
      series('requests_per_sec', 900, { client: 'loop' }),
      series('requests_per_sec', 20, { client: 'shop' }),
    ),
  ).toMatchObject(asker.map((one) => ({ ...one, id: 'client loop' })));
});
it('all rise, the only one rises, one rises that asks little, or what rises is no demand: none', () => {
  expect(found(series('requests_per_sec_tenant_7', 900), series('requests_per_sec_tenant_8', 800))).toEqual(
    [],
  );
  expect(found(series('requests_per_sec_tenant_7', 900))).toEqual([]);
  const many = Array.from({ length: 30 }, (_, n) => series(`requests_per_sec_tenant_${n + 8}`, 20));
  expect(found(series('requests_per_sec_tenant_7', 90), ...many)).toEqual([]);
  expect(found(series('error_ratio_tenant_7', 900), series('error_ratio_tenant_8', 20))).toEqual([]);
});

it('who is slow in step with what it waits for sends no load; who is busy in step with what is asked does', () => {
  const climbs = (name: string, service: string): Series & { readonly evidence: string } => ({
    name,
    labels: { service },
    points: Array.from({ length: 60 }, (_, k) => [start + k * minute, 20 + k] as const),
    evidence: `ev-${service}`,
  });
  const senders = (asked: string, busy: string) =>
    findLoadSender([climbs(asked, 'api'), climbs(busy, 'web')], new Set(['api']), buildCallGraph([])).map(
      ({ id }) => id,
    );
  expect(senders('requests_per_sec', 'requests_per_sec')).toEqual(['web']);
  expect(senders('requests_per_sec', 'cpu_pct')).toEqual(['web']);
  expect(senders('http_request_duration_p95_ms', 'http_request_duration_p95_ms')).toEqual([]);
  expect(senders('requests_per_sec', 'http_request_duration_p95_ms')).toEqual([]);
});
