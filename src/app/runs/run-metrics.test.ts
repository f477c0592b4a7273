import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../store/index.ts';
import { runTrial } from '../../tasks/incident/incident.contract.ts';
import { openMetrics } from '../server/metrics.ts';
import { openRunMeasures } from './run-metrics.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-run-metrics-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const alert = (status: string) =>
  JSON.stringify({ alertname: 'planted-name', service: 'planted-service', status });

it('tells runs by shape and state, verdicts and what was spent, each run once', async () => {
  const path = join(folder, 'sonde.db');
  const store = openStore(path);
  let opened = 0;
  const measures = openRunMeasures(async () => {
    opened += 1;
    return openStore(path);
  });
  const metrics = await openMetrics('1');
  measures.measure(metrics.meter);
  const lines = async (): Promise<readonly string[]> => {
    const text = await metrics.text();
    expect(text).not.toContain('planted');
    return text
      .split('\n')
      .filter((line) => line.startsWith('sonde_run'))
      .map((line) => line.replace(/otel_scope_\w+="[^"]*",?/g, '').replace(/,}/, '}'));
  };
  expect(await lines()).toEqual([]);
  await runTrial(store, { alert: alert('resolved') });
  await store.runs.create({ ...(await store.runs.list(1))[0]!, id: 'run-left', shape: 'research' });
  const first = await lines();
  expect(first).toContain('sonde_runs{shape="incident",state="finished"} 1');
  expect(first).toContain('sonde_runs{shape="incident",state="running"} 0');
  expect(first).toContain('sonde_runs{shape="research",state="unfinished"} 1');
  expect(first).toContain('sonde_run_verdicts_total{shape="incident",verdict="resolved"} 1');
  expect(first.filter((line) => line.startsWith('sonde_run_usd_total{shape="incident"}'))).toHaveLength(1);
  const lease = await store.runs.acquire('run-left');
  await runTrial(store, { alert: alert('resolved') });
  const second = await lines();
  expect(second).toContain('sonde_runs{shape="research",state="running"} 1');
  expect(second).toContain('sonde_run_verdicts_total{shape="incident",verdict="resolved"} 2');
  const seconds = (all: readonly string[]): number =>
    Number(all.find((line) => line.startsWith('sonde_run_seconds_total'))?.split(' ')[1]);
  expect(seconds(second)).toBeGreaterThanOrEqual(seconds(first));
  // What was counted stays counted when the run is removed.
  for (const { id, status } of await store.runs.list())
    if (status === 'finished') await store.runs.remove(id);
  expect(await lines()).toContain('sonde_run_verdicts_total{shape="incident",verdict="resolved"} 2');
  expect(opened).toBe(1);
  await lease.release();
  await measures.close();
  await store.close();
});
