import { afterAll, expect, it } from 'vitest';
import { memoryLedger, openPool } from '../../core/pools.ts';
import { extractive } from '../../model/index.ts';
import type { TaskRequest } from '../shape.ts';
import { createShapeRegistry } from '../task.ts';
import { alertJson, bench, guiltyCommit, pool as made, signalOf } from './incident.contract.ts';
import { incidentRun } from './run.ts';

const { store, close } = bench();
afterAll(close);

const request = (call: string): TaskRequest => ({
  thread: 'thread-1',
  namespace: '',
  call,
  // The shape uses the planner alone.
  clients: { planner: extractive } as TaskRequest['clients'],
  pool: openPool(memoryLedger(), {
    account: `a-${call}`,
    run: 'r',
    fence: 1,
    limits: { tokens: 1e6, wall_ms: 60_000, steps: 100 },
  }),
  capabilities: new Set(['SignalsRead']),
});

// incident.md: Pipeline 4.
it('a planner hands an alert on, and gets back what was found', async () => {
  const registry = createShapeRegistry();
  const signal = signalOf(made);
  registry.register(await incidentRun.task({ signals: [signal], root: '/systems' }, { store }));
  const tasks = registry.close();
  const done = await tasks.task('incident', { alert: alertJson() }, request('call-1'));
  expect(done).toMatchObject({
    kind: 'done',
    output: { verdict: 'code_change', suspects: [{ id: guiltyCommit }, {}, {}] },
  });
  const asked = signal.asked.length;
  // The same call again goes on with its run, and that is finished.
  expect(await tasks.task('incident', { alert: alertJson() }, request('call-1'))).toMatchObject({
    kind: 'done',
  });
  expect(signal.asked).toHaveLength(asked);
  expect(await tasks.task('incident', {}, request('call-2'))).toMatchObject({
    kind: 'failed',
    error: { code: 'bad_params' },
  });
});
