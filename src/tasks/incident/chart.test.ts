/** What a chart shows of an incident that was investigated: from its record, and nothing that was not in it. */
import { afterAll, describe, expect, it } from 'vitest';
import { hour } from './brief/made/made-facts.contract.ts';
import { createChart, thinPoints } from './chart.ts';
import { bench, guiltyCommit, pool, runTrial, signalOf } from './incident.contract.ts';
import { findUnit } from './metric-unit.ts';
import type { IncidentParams } from './run.ts';

const { store, close } = bench();
afterAll(close);

const limits = { series: 24, points: 400, changes: 100 };

async function charted(id: string, wanted = limits, upTo = Infinity) {
  const { params } = await store.runs.get(id);
  const log = await store.events(id);
  const journal = await store.openRecorded(id);
  return createChart(
    { params: params as unknown as IncidentParams, log: log.slice(0, upTo), journal },
    wanted,
  );
}

describe('the chart of an incident', () => {
  it('has its series, its onset, its first failure and the blamed change on one axis', async () => {
    const signals = [signalOf(pool)];
    const { incident, result } = await runTrial(store, { signals });
    const asked = signals[0]!.asked.length;
    const chart = await charted(result.run_id);
    expect(signals[0]!.asked.length).toBe(asked);
    const { axis, window, onset, first_failure, series, changes } = chart;
    expect(window).toEqual(incident.window);
    expect(axis).toEqual({ from: window!.baseline_from, to: window!.to });
    expect(first_failure).toMatchObject({ service: incident.first_failing_service, at: expect.any(Number) });
    expect(onset!.at).toBeGreaterThan(hour);
    // The commit, and the deploy that brought it.
    const blamed = changes.filter((one) => one.blamed);
    expect(blamed.map(({ kind }) => kind)).toEqual(['commit', 'deploy']);
    expect(blamed[0]).toMatchObject({ id: guiltyCommit, score: incident.suspects[0]!.score });
    const metric = series.find(({ name }) => name === pool.alert.metric)!;
    expect(metric).toMatchObject({ service: pool.alert.service, moved: { direction: 'up' } });
    const known = new Set(
      (await store.events(result.run_id)).flatMap(({ event }) =>
        event.kind === 'evidence_registered' ? [event.evidence.id] : [],
      ),
    );
    for (const { evidence } of [...series, ...changes]) expect(known).toContain(evidence);
    for (const { points } of series)
      for (const [at] of points) expect(at >= axis!.from && at <= axis!.to).toBe(true);
    expect(chart.left_out).toEqual({ series: 0, changes: 0 });
  });

  it('shows what was found so far of one that goes on', async () => {
    const { result } = await runTrial(store);
    const log = await store.events(result.run_id);
    const first = log.findIndex(({ event }) => event.kind === 'action_finished');
    const none = await charted(result.run_id, limits, first);
    expect(none).toMatchObject({ axis: null, onset: null, series: [], changes: [] });
    const some = await charted(result.run_id, limits, log.length - 1);
    expect(some.axis).not.toBeNull();
    expect(some.series.length).toBeGreaterThan(0);
    expect(some.changes.every(({ blamed, score }) => !blamed && score === null)).toBe(true);
  });

  it('is bounded, and says what it left out', async () => {
    const { result } = await runTrial(store);
    const whole = await charted(result.run_id);
    const small = await charted(result.run_id, { series: 1, points: 10, changes: 1 });
    expect(small.series).toHaveLength(1);
    expect(small.series[0]!.points.length).toBeLessThanOrEqual(10);
    expect(small.series[0]!.count).toBe(whole.series[0]!.count);
    expect(small.changes).toMatchObject([{ blamed: true }]);
    expect(small.left_out).toEqual({
      series: whole.series.length - 1,
      changes: whole.changes.length - 1,
    });
  });
});

it('fewer points keep the lowest and the highest', () => {
  const points = Array.from({ length: 1_000 }, (_, n): [number, number] => [
    n,
    n === 517 ? 900 : n === 80 ? -5 : n % 7,
  ]);
  const few = thinPoints(points, 50);
  expect(few.length).toBeLessThanOrEqual(50);
  expect(few).toContainEqual([517, 900]);
  expect(few).toContainEqual([80, -5]);
  expect(few.map(([at]) => at)).toEqual(few.map(([at]) => at).toSorted((a, b) => a - b));
  expect(thinPoints(points, 1_000)).toBe(points);
  expect(thinPoints(points, 2)).toHaveLength(2);
});

it.each<[string, string | null]>([
  ['http_request_duration_seconds', 'seconds'],
  ['p95_ms', 'milliseconds'],
  ['process_resident_memory_bytes', 'bytes'],
  ['system.mem.pct_usable', 'percent'],
  ['error_ratio', 'ratio'],
  ['requests_per_sec', 'per second'],
  ['RequestCount', 'count'],
  ['queue_depth', null],
  ['errors', null],
])('the unit of %s: %s', (metric, unit) => {
  expect(findUnit(metric)).toBe(unit);
});
