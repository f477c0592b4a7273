/** Evidence on demand: what the plan left out and findings ask for, without a model and with one. */
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { manualClock } from '../../../core/index.ts';
import { scriptedSignal } from '../../../signals/scripted.ts';
import { alertJson, answer, bench, now, pool, signalOf, tried } from '../incident.contract.ts';
import { toolBudget } from '../plan-actions.ts';

const { store, close } = bench();
afterAll(close);

const start = now - 30 * 60_000;
/** More questions than the plan takes up, all of them more worth asking than the state of a database. */
const many = Object.fromEntries(
  Array.from({ length: toolBudget }, (_, n) => [
    `alerts_${n}`,
    { topic: 'alerts' as const, script: { rows: { kind: 'alerts' as const, alerts: [] } } },
  ]),
);
const says = (text: string) =>
  signalOf(pool, {
    ...many,
    lines: {
      topic: 'logs',
      script: {
        rows: { kind: 'lines', lines: [{ at: start, service: 'orders', level: 'ERROR', text }] },
      },
    },
  });
const redis = () =>
  scriptedSignal(
    {
      state: {
        topic: 'database',
        script: { rows: { kind: 'table', rows: [{ name: 'sessions', used_memory: 99, maxmemory: 100 }] } },
      },
    },
    { system: 'redis', clock: manualClock(now) },
  );
const asked = async (text: string, monitor: string, script?: Parameters<typeof tried>[1]) => {
  const cache = redis();
  const { incident } = await tried(store, {
    alert: alertJson(undefined, { monitor }),
    signals: [says(text), cache],
    ...script,
  });
  return { incident, calls: cache.asked.length };
};

describe.each([
  ['without a model', {}],
  ['with one', { script: answer }],
] as const)('%s', (name, script) => {
  it('a system that messages name is asked, though the plan left it out', async () => {
    const { calls, incident } = await asked('redis: connection pool timeout', `named ${name}`, script);
    expect(incident.coverage.left_out.join('\n')).toContain('redis_state');
    expect(calls).toBe(1);
  });
  it('one that nothing names is not', async () => {
    expect((await asked('pool timeout', `silent ${name}`, script)).calls).toBe(0);
  });
});

it('kinds of objects that have to be named are asked one by one', async () => {
  const scripted = scriptedSignal(
    { objects: { topic: 'objects', script: { rows: { kind: 'table', rows: [] } } } },
    { system: 'cluster', clock: manualClock(now) },
  );
  const parameters = z.object({ kind: z.enum(['pods', 'deployments', 'nodes', 'secrets']) });
  const cluster = { ...scripted, questions: scripted.questions.map((one) => ({ ...one, parameters })) };
  await tried(store, {
    alert: alertJson(undefined, { monitor: 'kinds' }),
    signals: [signalOf(pool), cluster],
  });
  expect(scripted.asked.map(({ args }) => (args as { kind: string }).kind)).toEqual([
    'pods',
    'deployments',
    'nodes',
  ]);
});
