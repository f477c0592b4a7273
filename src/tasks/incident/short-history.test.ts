/** A system that has been measured for 90 seconds: what a report and its chart may say of a jump then. */
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { formatIncidentReport } from '../../core/incidents.ts';
import { manualClock, type Series } from '../../core/index.ts';
import { scriptedSignal } from '../../signals/scripted.ts';
import { createChart } from './chart.ts';
import { alertJson, bench, now, pool, runTrial } from './incident.contract.ts';
import type { IncidentParams } from './run.ts';

const { store, close } = bench();
afterAll(close);

const { service, metric } = pool.alert;
const begin = now - 6 * 60_000;
const seriesOf = (name: string, values: readonly number[]): Series => ({
  name,
  labels: { service },
  points: values.map((value, k) => [begin + k * 30_000, value]),
});
const jumped = (name: string, before: number, after: number): Series =>
  seriesOf(name, [before, before, before, ...Array.from({ length: 9 }, () => after)]);
const calm = seriesOf(
  'checkout_threads',
  Array.from({ length: 12 }, (_, k) => 8 + (k % 2)),
);

const run = (series: readonly Series[]) =>
  runTrial(store, {
    alert: alertJson(pool, { fired_at: new Date(begin + 120_000).toISOString() }),
    signals: [
      scriptedSignal(
        {
          range: {
            topic: 'metrics',
            parameters: z.object({ query: z.string() }),
            script: { rows: { kind: 'series', series: [...series] } },
          },
        },
        { system: 'made', clock: manualClock(now) },
      ),
    ],
  });

it('says that 90 s before a jump are too few, and not that nothing moved', async () => {
  const { incident, events } = await run([jumped(metric, 0, 1_040), jumped('queue_depth', 2, 140), calm]);
  expect(incident.verdict).toBe('inconclusive');
  expect(incident.root_cause).toContain('too short to tell what is usual');
  expect(incident.root_cause).toContain(`${metric} (90 s, then 0 to 1040)`);
  expect(incident.root_cause).toContain('queue_depth (90 s, then 2 to 140)');
  expect(incident.root_cause).not.toContain('checkout_threads');
  expect(incident.root_cause).not.toMatch(/no series/i);
  expect(formatIncidentReport(incident, [])).not.toContain('Claimed and not shown');
  expect(incident.non_validated_claims).toEqual([]);
  const { run_id: id } = incident;
  const { params } = await store.runs.get(id);
  const chart = createChart(
    {
      params: params as unknown as IncidentParams,
      log: await store.events(id),
      journal: await store.openRecorded(id),
    },
    { series: 24, points: 400, changes: 100 },
  );
  const course = chart.series.map(({ name, moved, too_short }) => [name, moved, too_short]);
  expect(course).toContainEqual([metric, null, 90_000]);
  expect(course).toContainEqual(['checkout_threads', null, null]);
  expect(events.length).toBeGreaterThan(0);
});

it('where nothing jumped, says so, and claims nothing that was not shown', async () => {
  const { incident } = await run([calm]);
  expect(incident.root_cause).toMatch(/^No series /);
  expect(incident.non_validated_claims).toEqual([]);
  expect(formatIncidentReport(incident, [])).not.toContain('Claimed and not shown');
});

it('where no series was seen, does not say that none moved', async () => {
  const { incident } = await runTrial(store, { signals: [] });
  expect(incident.root_cause).toMatch(/^No series of what is alerted was seen/);
  expect(incident.root_cause).not.toContain('course');
});

it('a question that was asked is not listed among those that were not', async () => {
  const { incident, signals } = await runTrial(store, {
    alert: JSON.stringify({
      service,
      monitor: 'm',
      labels: { service },
      summary: 'it fires',
      fired_at: new Date(begin).toISOString(),
    }),
    signals: [
      scriptedSignal(
        {
          range: {
            topic: 'metrics',
            parameters: z.object({ query: z.string() }),
            script: { rows: { kind: 'series', series: [calm] } },
          },
          sql: {
            topic: 'database',
            parameters: z.object({ statement: z.string() }),
            script: { rows: { kind: 'table', rows: [] } },
          },
        },
        { system: 'made', clock: manualClock(now) },
      ),
    ],
  });
  expect((signals[0] as ReturnType<typeof scriptedSignal>).asked.map(({ name }) => name)).toContain(
    'made_range',
  );
  const told = incident.coverage.left_out.join('\n');
  expect(told).not.toContain('made_range');
  expect(told).toContain('made_sql: it needs statement');
});
