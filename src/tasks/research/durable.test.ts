import { afterAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../core/index.ts';
import { extractive, type Model, type ModelRequest, scriptedModel } from '../../model/index.ts';
import type { Material } from './material/material.ts';
import {
  act,
  answer,
  answerFromPage,
  files,
  open,
  openTestStore,
  question,
  runTrial,
  search,
  withoutWaiting,
} from './research.contract.ts';
import { researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const page = (request: ModelRequest) => request.messages.map(({ text }) => text).join('\n');
const story = [
  search('expire session'),
  open('src/session.py', 8, 12),
  act('summarize_evidence', { goal: 'the ttl' }),
  { memo: 'the ttl decides' },
  act('grep', { pattern: 'ttl' }),
];
const script = (request: ModelRequest, call: number) =>
  (call < story.length ? story[call] : answer(answerFromPage(page(request)))) as never;

/** A model that counts what it is asked, over all the lives of a run: each question by its own key. */
function counted(die: (request: number) => boolean): {
  readonly model: Model;
  readonly asked: Map<string, number>;
} {
  const asked = new Map<string, number>();
  let requests = 0;
  const model: Model = {
    ...scriptedModel('unused'),
    async generate(request) {
      requests += 1;
      const key = request.idempotencyKey ?? '';
      if (die(requests)) throw new Error('the process died');
      asked.set(key, (asked.get(key) ?? 0) + 1);
      // What is answered depends on the question alone, as far as a real model allows.
      return scriptedModel(script(request, [...asked.keys()].indexOf(key))).generate(request);
    },
  };
  return { model, asked };
}

const request = { question, root: '/material' };
const setting = (model: Model, material: Material = scriptedMaterial({ files })) => ({
  store,
  models: { planner: model, analyst: model },
  material,
  ...withoutWaiting,
});

it('no two runs share the key of a call', async () => {
  const keys: string[][] = [];
  for (let n = 0; n < 2; n += 1) {
    const { model, asked } = counted(() => false);
    await researchRun.start(request, setting(model));
    keys.push([...asked.keys()]);
  }
  expect(keys[0]?.length).toBeGreaterThan(0);
  expect(keys[0]?.filter((key) => keys[1]?.includes(key))).toEqual([]);
  for (const key of keys.flat()) expect(key).toMatch(/^run-\w+\//);
});

describe('a run that dies at any call of a model', () => {
  const whole = runTrial(store, { script });
  for (let at = 1; at <= 6; at += 1)
    it(`is taken up after dying at call ${at}: same answer, nothing asked twice`, async () => {
      const { result: expected } = await whole;
      let id = '';
      const first = counted((n) => n === at);
      await expect(
        researchRun.start(request, { ...setting(first.model), onRun: (run) => (id = run) }),
      ).rejects.toThrow('the process died');
      expect((await store.runs.get(id)).status).toBe('running');

      const rest = counted(() => false);
      for (const key of first.asked.keys()) rest.asked.set(key, 0);
      const { result } = await researchRun.resume(id, setting(rest.model));
      expect(result.answer).toBe(expected.answer);
      expect(result.citations).toEqual(expected.citations);
      // A key that was answered in the first life is not asked in the second.
      for (const key of first.asked.keys()) expect(rest.asked.get(key)).toBe(0);
      expect([...rest.asked.keys()]).toHaveLength(6);
      expect((await researchRun.replay(id, store)).result).toEqual(result);

      const events = (await store.events(id)).map(({ event }) => event);
      const started = events.flatMap((event) => (event.kind === 'step_started' ? [event.step] : []));
      expect(started).toEqual([1, 2, 3, 4, 5]);
      expect(events.filter(({ kind }) => kind === 'run_resumed')).toHaveLength(1);
      // The call that died may have been billed: it counts as spent, and once.
      expect(result.spent.calls).toBe(7);
      expect(result.spent.steps).toBe(5);
    });
});

it('evidence that was found before a crash is not looked for again', async () => {
  let id = '';
  const first = counted((n) => n === 3);
  await expect(
    researchRun.start(request, { ...setting(first.model), onRun: (run) => (id = run) }),
  ).rejects.toThrow();
  const material = scriptedMaterial({ files });
  await researchRun.resume(id, setting(counted(() => false).model, material));
  expect(material.calls.filter((call) => call.startsWith('search '))).toEqual([]);
});

describe('cancelled', () => {
  for (const at of [1, 2, 4])
    it(`at call ${at}: a partial report, and the run can be resumed`, async () => {
      const { result: expected } = await runTrial(store, { script });
      const stop = new AbortController();
      let id = '';
      let calls = 0;
      const model: Model = {
        ...scriptedModel('unused'),
        async generate(asked) {
          calls += 1;
          if (calls === at) {
            stop.abort();
            return {
              kind: 'failure',
              code: 'cancelled',
              message: 'cancelled',
              remedy: '',
              retryable: false,
              usage: 'none',
            };
          }
          return scriptedModel(script(asked, calls - 1)).generate(asked);
        },
      };
      const { result: partial } = await researchRun.start(request, {
        ...setting(model),
        signal: stop.signal,
        onRun: (run) => (id = run),
      });
      expect(partial.stop_reason).toBe('cancelled');
      expect(partial.answer).toMatch(/cancelled/);
      if (at > 1) expect(partial.answer).toContain('src/session.py');
      expect((await store.runs.get(id)).status).toBe('running');
      expect(await store.runs.isHeld(id)).toBe(false);
      await expect(researchRun.replay(id, store)).rejects.toThrow(/not finished/);

      let again = at - 1;
      const rest: Model = {
        ...scriptedModel('unused'),
        generate: (asked) => scriptedModel(script(asked, again++)).generate(asked),
      };
      const { result } = await researchRun.resume(id, setting(rest));
      expect(result.answer).toBe(expected.answer);
      expect(result.stop_reason).toBe('finalized');
      expect((await researchRun.replay(id, store)).result).toEqual(result);
    });

  it('before it began', async () => {
    const { result } = await runTrial(store, { script, setting: { signal: AbortSignal.abort() } });
    expect(result.stop_reason).toBe('cancelled');
    expect(result.spent.calls).toBe(0);
  });

  it('while an action hangs', async () => {
    const stop = new AbortController();
    const material = scriptedMaterial({
      files,
      search: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    const { result } = await runTrial(store, { script, material, setting: { signal: stop.signal } });
    expect(result.stop_reason).toBe('cancelled');
  });
});

it('a finished run that is resumed gives its result and asks nobody', async () => {
  const { result } = await runTrial(store, { script });
  const silent = scriptedModel([]);
  expect((await researchRun.resume(result.run_id, setting(silent))).result).toEqual(result);
  expect(silent.calls).toEqual([]);
});

it('a run that somebody works on is not taken', async () => {
  let id = '';
  const model: Model = {
    ...scriptedModel('unused'),
    generate: async (asked) => {
      await expect(researchRun.resume(id, setting(extractive))).rejects.toMatchObject({ code: 'run_state' });
      return scriptedModel(answer('x')).generate(asked);
    },
  };
  await researchRun.start(request, { ...setting(model), onRun: (run) => (id = run) });
});

// research.md: Entry and output 5.
it('without artifacts only the question and the result are kept', async () => {
  const { result } = await runTrial(store, { script, storeArtifacts: false });
  expect((await store.events(result.run_id)).map(({ event }) => event.kind)).toEqual([
    'run_started',
    'run_finished',
  ]);
  await expect(researchRun.replay(result.run_id, store)).rejects.toMatchObject({ code: 'run_state' });
});

it('a file that changes under the run loses its citation', async () => {
  const changing: Record<string, string> = { ...files };
  const material = scriptedMaterial({ files: changing });
  const { result } = await runTrial(store, {
    material,
    script: (asked: ModelRequest, call: number) => {
      if (call === 0) return open('src/session.py', 8, 12) as never;
      changing['src/session.py'] = 'gone';
      return answer(answerFromPage(page(asked))) as never;
    },
  });
  expect(result.status).toBe('unverified');
  expect(result.citations.filter(({ status }) => status === 'valid')).toEqual([]);
  expect(result.confidence).toBeLessThanOrEqual(0.1);
  // A replay tells what was found then.
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

it('the log is told in order, each event once', async () => {
  const { events, result } = await runTrial(store, { script });
  expect(events).toEqual(await store.events(result.run_id));
  const kinds = events.map(({ event }) => event.kind);
  expect(kinds[0]).toBe('run_started');
  expect(kinds.at(-1)).toBe('run_finished');
  const open = new Map<string, number>();
  for (const { event } of events) pair(event, open);
  expect([...open.values()].every((count) => count === 0)).toBe(true);
});

/** Every call and action that begins ends. */
function pair(event: RunEvent, open: Map<string, number>): void {
  const change = (key: string, by: number) => open.set(key, (open.get(key) ?? 0) + by);
  if (event.kind === 'model_called') change(event.call, 1);
  if (event.kind === 'model_replied' || event.kind === 'model_failed') change(event.call, -1);
  if (event.kind === 'action_started') change(event.call ?? event.action, 1);
  if (event.kind === 'action_finished') change(event.call ?? event.action, -1);
}

for (const [name, bad] of [
  ['no question', { ...request, question: '  ' }],
  ['21 steps', { ...request, limits: { steps: 21 } }],
  ['no steps', { ...request, limits: { steps: 0 } }],
  ['half a step', { ...request, limits: { steps: 1.5 } }],
  ['negative money', { ...request, limits: { usd: -1 } }],
  ['a scope that leads out', { ...request, scope: '../other' }],
] as const)
  it(`refuses ${name} before anything is written`, async () => {
    const before = (await store.runs.list(1000)).length;
    await expect(researchRun.start(bad, setting(extractive))).rejects.toMatchObject({
      code: expect.stringMatching(/^bad_/),
    });
    expect(await store.runs.list(1000)).toHaveLength(before);
  });
