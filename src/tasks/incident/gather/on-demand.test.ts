/** Evidence on demand: what the plan left out and findings ask for, without a model and with one. */
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { manualClock } from '../../../core/index.ts';
import { scriptedSignal } from '../../../signals/scripted.ts';
import { alertJson, answer, bench, now, pool, runTrial, signalOf } from '../incident.contract.ts';
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
const asked = async (text: string, monitor: string, script?: Parameters<typeof runTrial>[1]) => {
  const cache = redis();
  const { incident } = await runTrial(store, {
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
  await runTrial(store, {
    alert: alertJson(undefined, { monitor: 'kinds' }),
    signals: [signalOf(pool), cluster],
  });
  expect(scripted.asked.map(({ args }) => (args as { kind: string }).kind)).toEqual([
    'pods',
    'deployments',
    'nodes',
  ]);
});

describe('a commit from before the window that a deploy within it brings', () => {
  const old = 'd'.repeat(40);
  const week = 7 * 24 * 60 * 60_000;
  const made = { service: 'orders', author: null, paths: ['orders/pool.ts'] };
  const deploy = {
    ...made,
    kind: 'deploy' as const,
    id: 'r9',
    title: 'r9',
    diff: null,
    at: start,
    commits: [old],
  };
  const commit = {
    ...made,
    ...{ kind: 'commit' as const, id: old, title: 'a smaller pool', at: start - week, commits: [old] },
    diff: '@@\n-  max: 40\n+  max: 2',
  };
  const forge = (deploys: readonly (typeof deploy)[]) =>
    scriptedSignal(
      {
        deploys: { topic: 'changes', script: { rows: { kind: 'changes', changes: deploys } } },
        commit: {
          topic: 'changes',
          reach: 'past',
          parameters: z.object({ commit: z.string().min(7) }),
          script: { rows: { kind: 'changes', changes: [commit] } },
        },
      },
      { system: 'forge', clock: manualClock(now) },
    );
  it.each([
    ['without a model', {}],
    ['with one', { script: answer }],
  ] as const)('%s: it is asked for, once', async (name, script) => {
    const system = forge([deploy]);
    await runTrial(store, {
      alert: alertJson(undefined, { monitor: `old ${name}` }),
      signals: [system],
      ...script,
    });
    const asked = system.asked.filter(({ name: question }) => question === 'forge_commit');
    expect(asked.map(({ args }) => args)).toEqual([{ commit: old }]);
  });
  it('not where no deploy names it', async () => {
    const system = forge([{ ...deploy, commits: [] }]);
    await runTrial(store, { alert: alertJson(undefined, { monitor: 'none' }), signals: [system] });
    expect(system.asked.map(({ name }) => name)).not.toContain('forge_commit');
  });
});

it('changes are asked for over a day, and all else over the calm before the window', async () => {
  const asked: Record<string, number> = {};
  const hours = (name: string) => ({
    answer: (_: unknown, { window }: { window: { from: number; baseline_from: number } }) => {
      asked[name] = (window.from - window.baseline_from) / 3_600_000;
      return { kind: 'table' as const, rows: [] };
    },
  });
  const system = scriptedSignal(
    {
      changes: { topic: 'changes', script: hours('changes') },
      lines: { topic: 'logs', script: hours('logs') },
    },
    { system: 'both', clock: manualClock(now) },
  );
  await runTrial(store, { alert: alertJson(undefined, { monitor: 'a day' }), signals: [system] });
  expect(asked).toEqual({ changes: 24, logs: 3 });
});

describe('the lines of what the alert depends on', () => {
  const line = (service: string, level: string, text: string) => ({ at: start, service, level, text });
  const asked = async (monitor: string, behind: string) => {
    const all = [
      line('orders', 'ERROR', 'no reply: call to stock timed out'),
      line(behind, 'ERROR', 'cannot read the shelf'),
    ];
    const logs = scriptedSignal(
      {
        lines: {
          topic: 'logs',
          parameters: z.object({ service: z.string().optional() }),
          script: {
            answer: (args: unknown) => ({
              kind: 'lines' as const,
              lines: all.filter(
                ({ service }) => service === ((args as { service?: string }).service ?? service),
              ),
            }),
          },
        },
        patterns: {
          topic: 'logs',
          script: {
            rows: {
              kind: 'patterns' as const,
              lines: 2,
              patterns: all.map(({ service, level, text }) => ({
                ...{ service, level, template: text, example: text, count: 40, baseline: 0 },
                ...{ first: start, last: now },
              })),
            },
          },
        },
      },
      { system: 'logs', clock: manualClock(now) },
    );
    await runTrial(store, { alert: alertJson(undefined, { monitor }), signals: [logs] });
    return logs.asked
      .filter(({ name }) => name === 'logs_lines')
      .map(({ args }) => (args as { service?: string }).service);
  };
  it('are read where something went wrong there', async () => {
    expect(await asked('behind', 'stock')).toContain('stock');
  });
  it('of one that nothing leads to are not', async () => {
    expect(await asked('beside', 'mailer')).not.toContain('mailer');
  });
});
