/** Killed in every stage, at every call that leaves the process: taken up again, same result, nothing asked twice. */
import { afterAll, describe, expect, it } from 'vitest';
import type { IncidentResult, Signal } from '../../core/index.ts';
import { extractive, type Model, scriptedModel } from '../../model/index.ts';
import type { Drive } from '../drive.ts';
import type { Sink } from './deliver/sink.ts';
import {
  alertJson,
  answer,
  bench,
  conclude,
  noWait,
  now,
  page,
  pool,
  requestKind,
  signalOf,
  verdictOn,
} from './incident.contract.ts';
import { type IncidentSetting, incidentRun } from './run.ts';

const { store, close } = bench();
afterAll(close);

/** Everything that leaves the process, counted; the process dies at the n-th of them. */
function world(dieAt: number) {
  const left: string[] = [];
  const leave = (what: string): void => {
    left.push(what);
    if (left.length === dieAt) throw Object.assign(new Error('the process died'), { died: true });
  };
  const model: Model = {
    ...scriptedModel('unused'),
    async generate(request) {
      leave(`model ${request.idempotencyKey}`);
      return scriptedModel(answer(request) as never).generate(request);
    },
  };
  const whole = signalOf(pool);
  const signal: Signal = {
    ...whole,
    async health() {
      leave('health');
      return whole.health();
    },
    questions: whole.questions.map((question) => ({
      ...question,
      async ask(args, request) {
        // A question that throws costs an answer, so death comes through the clock of the store instead.
        left.push(`ask ${question.name} ${JSON.stringify(args)}`);
        return question.ask(args, request);
      },
    })),
  };
  const sink: Sink = {
    name: 'somewhere',
    idempotent: true,
    async deliver() {
      left.push('deliver');
      return { kind: 'delivered', where: 'there' };
    },
  };
  const setting: IncidentSetting = {
    store,
    models: { planner: model },
    signals: [signal],
    sinks: () => [sink],
    ...noWait,
  };
  return { left, setting };
}

/** A log that dies once it has taken so many events: anywhere between two of them. */
function mortal(setting: IncidentSetting, events: number): IncidentSetting {
  let seen = 0;
  return {
    ...setting,
    onEvent() {
      seen += 1;
      if (seen === events) throw new Error('the process died');
    },
  };
}

const request = { alert: alertJson(), root: '/systems', now };

async function wholeRun() {
  const { left, setting } = world(Number.POSITIVE_INFINITY);
  const done = await incidentRun.start(request, setting);
  return { left, done, events: (await store.events(done.result.run_id)).length };
}

describe('a run that dies', async () => {
  const whole = await wholeRun();
  const bare = (incident: object) => ({ ...incident, run_id: '', spent: null });

  it('has something to die at', () => {
    expect(whole.left.length).toBeGreaterThan(6);
    expect(whole.events).toBeGreaterThan(30);
    expect(whole.done.incident.verdict).toBe('code_change');
  });

  // Every other event: no stage, and no call, has fewer than three.
  for (let at = 1; at < whole.events; at += 2)
    it(`after event ${at}: same result, nothing paid twice`, async () => {
      let id = '';
      const first = world(Number.POSITIVE_INFINITY);
      await expect(
        incidentRun.start(request, { ...mortal(first.setting, at), onRun: (run) => (id = run) }),
      ).rejects.toThrow('the process died');
      const second = world(Number.POSITIVE_INFINITY);
      const done = await incidentRun.resume(id, second.setting);
      expect(bare(done.incident)).toEqual(bare(whole.done.incident));
      const models = [...first.left, ...second.left].filter((what) => what.startsWith('model '));
      const recorded = (await store.events(id)).flatMap(({ event }) =>
        event.kind === 'model_replied' ? [event.call] : [],
      );
      expect(new Set(recorded).size).toBe(recorded.length);
      // A reply that was recorded is asked for in one life only.
      const twice = models.filter((what, n) => models.indexOf(what) !== n);
      expect(twice).toEqual([]);
      expect(await incidentRun.replay(id, store, second.setting.signals)).toMatchObject({
        incident: { ...bare(done.incident), run_id: id, spent: expect.anything() },
      });
    });

  for (const at of [1, 2, 6, 7])
    it(`at call ${at} out of the process`, async () => {
      let id = '';
      const first = world(at);
      await incidentRun.start(request, { ...first.setting, onRun: (run) => (id = run) }).catch(() => {});
      const done = await incidentRun.resume(id, world(Number.POSITIVE_INFINITY).setting);
      expect(done.incident.run_id).toBe(id);
    });
});

// incident.md: Pipeline 3.
describe('a stage that throws', () => {
  it('is told, delivered in part, and thrown on', async () => {
    const told: unknown[] = [];
    const reports: string[] = [];
    const planner: Model = {
      ...scriptedModel('unused'),
      generate: (asked) => {
        if (requestKind(asked) === 'mend') throw new Error('a bug in the diagnosis');
        const wrong = { ...verdictOn(page(asked)), culprit: 'deadbeef0123' };
        return scriptedModel(conclude(wrong)).generate(asked);
      },
    };
    const sink: Sink = {
      name: 'report',
      idempotent: true,
      async deliver({ markdown }) {
        reports.push(markdown);
        return { kind: 'delivered', where: 'there' };
      },
    };
    let id = '';
    await expect(
      incidentRun.start(request, {
        store,
        models: { planner },
        signals: [signalOf(pool)],
        sinks: () => [sink],
        errors: { report: (error, about) => told.push([String(error), about]) },
        onRun: (run) => (id = run),
        ...noWait,
      }),
    ).rejects.toThrow('a bug in the diagnosis');
    expect(told).toEqual([['Error: a bug in the diagnosis', { run: id, stage: 'diagnose' }]]);
    expect(reports[0]).toMatch(/^PARTIAL/);
    expect(reports[0]).toMatch(/pieces of evidence/);
    expect((await store.runs.get(id)).status).toBe('running');
  });
});

it('cancelled and resumed', async () => {
  const stop = new AbortController();
  let id = '';
  const { setting } = world(Number.POSITIVE_INFINITY);
  const first = await incidentRun.start(request, {
    ...setting,
    signal: stop.signal,
    onRun: (run) => (id = run),
    onEvent: ({ event }) => {
      if (event.kind === 'action_finished') stop.abort();
    },
  });
  expect(first.result.stop_reason).toBe('cancelled');
  const done = await incidentRun.resume(id, setting);
  expect(done.incident.verdict).toBe('code_change');
});

it('two runs of one alert at a time: the second says so', async () => {
  let inner: Promise<string> | undefined;
  const signals = [signalOf(pool)];
  await incidentRun.start(request, {
    store,
    models: { planner: extractive },
    signals,
    ...noWait,
    onEvent: ({ event }) => {
      if (event.kind !== 'action_finished') return;
      inner ??= incidentRun
        .start(request, {
          store,
          models: { planner: extractive },
          signals: [signalOf(pool)],
          ...noWait,
        })
        .then(({ incident }) => incident.verdict);
    },
  });
  expect(await inner).toBe('duplicate');
});

it('of three runs of one alert at a time, the third names the first, and not the second', async () => {
  const started: string[] = [];
  const run = (more: Partial<IncidentSetting> = {}): Promise<IncidentResult> =>
    incidentRun
      .start(request, {
        ...{ store, models: { planner: extractive }, signals: [signalOf(pool)], ...noWait },
        onRun: (id) => started.push(id),
        ...more,
      })
      .then(({ incident }) => incident);
  // The second is held before its first stage, so that the third sees both of them at work.
  const second = async (): Promise<readonly IncidentResult[]> => {
    const all: IncidentResult[] = [];
    const drive: Drive = async (start, { next, run: step }) => {
      all.push(await run());
      let state = start;
      while (next(state) !== null) state = await step(state);
      return state;
    };
    all.push(await run({ drive }));
    return all;
  };
  let others: Promise<readonly IncidentResult[]> | undefined;
  await run({
    onEvent: ({ event }) => {
      if (event.kind === 'action_finished') others ??= second();
    },
  });
  const first = expect.stringContaining(started[0]!);
  expect(await others).toMatchObject([
    { verdict: 'duplicate', root_cause: first },
    { verdict: 'duplicate', root_cause: first },
  ]);
});
