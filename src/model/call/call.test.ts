import { expect, test } from 'vitest';
import { memoryLedger, openPool } from '../../core/pools.ts';
import { openSteps } from '../../store/index.ts';
import { extractive } from '../extractive.ts';
import type { Model, ModelRequest } from '../model.ts';
import { scriptedModel } from '../scripted.ts';
import { defaultRetry } from './backoff.ts';
import { callModel } from './call.ts';
import { memoryJournal, memorySetting } from './call-setting.contract.ts';
import { limitToPool } from './pool-bounds.ts';

const request: ModelRequest = {
  messages: [{ role: 'user', text: 'What is in the box?' }],
  maxOutputTokens: 1000,
  timeoutMs: 5000,
};
const priced = (model: Model, name = 'anthropic:claude-sonnet-5-5'): Model => ({
  ...model,
  name,
  local: false,
});
const usage = { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0 };

test('an attempt is reserved and told before it is sent, and recorded, settled and told in one transaction', async () => {
  const setting = memorySetting(priced(scriptedModel([{ text: 'a cat', usage }])));
  const called = await callModel(request, 'step-1/model', setting);
  expect(called).toMatchObject({ kind: 'replied', recalled: false });
  expect(setting.lines).toEqual([
    'reserve step-1/model',
    'model_called',
    'commit',
    'begin',
    'record step-1/model',
    'settle step-1/model',
    'model_replied',
    'end',
    'commit',
  ]);
  expect(setting.spent('tokens')).toBe(1100);
  expect(setting.spent('usd')).toBe(0.003);
  expect(setting.spent('calls')).toBe(1);
});

test('a failure is paid for and told of in one transaction', async () => {
  const setting = memorySetting(
    priced(scriptedModel({ failure: { code: 'unreachable', usage: 'unknown' } })),
    { retry: { ...defaultRetry, attempts: 1 } },
  );
  await callModel(request, 'k', setting);
  expect(setting.lines.slice(2)).toEqual([
    'commit',
    'begin',
    'record k',
    'settle k unknown',
    'model_failed',
    'end',
    'commit',
  ]);
});

test.each([
  ['that may pass is met again', 'overloaded', false, 'failed'],
  ['that may pass is asked again, where the run can be taken up', 'overloaded', true, 'replied'],
  ['that stays is met again', 'auth', true, 'failed'],
  ['that a person mends is asked again', 'auth', 'always', 'replied'],
] as const)('a failure %s', async (_what, code, resumable, later) => {
  const journal = memoryJournal();
  const failed = memorySetting(scriptedModel({ failure: code }), { journal, resumable });
  expect(await callModel(request, 'k', failed)).toMatchObject({ kind: 'failed', failure: { code } });
  const next = await callModel(request, 'k', memorySetting(scriptedModel('here'), { journal, resumable }));
  expect(next.kind).toBe(later);
});

test('the end of the time is the end of the budget, and is met again', async () => {
  const over = {
    kind: 'exhausted',
    resource: 'wall_ms',
    account: 'a',
    limit: 1,
    spent: 1,
    held: 0,
    requested: 1,
  } as const;
  const journal = memoryJournal();
  const late = memorySetting(scriptedModel({ failure: 'timeout' }), { journal, timeRefusal: () => over });
  expect(await callModel(request, 'k', late)).toEqual(over);
  expect(await callModel(request, 'k', memorySetting(scriptedModel('x'), { journal }))).toEqual(over);
});

test('a recorded reply is returned with no call and no charge', async () => {
  const model = scriptedModel(['first', 'second', 'third']);
  const journal = memoryJournal();
  await callModel(request, 'one', memorySetting(model, { journal }));
  await callModel(request, 'two', memorySetting(model, { journal }));
  const again = scriptedModel(['first', 'second', 'third']);
  const setting = memorySetting(again, { journal });
  for (const [key, text] of [
    ['one', 'first'],
    ['two', 'second'],
  ] as const)
    expect(await callModel(request, key, setting)).toMatchObject({
      recalled: true,
      reply: { text },
    });
  expect(again.calls).toEqual([]);
  expect(setting.lines).toEqual([]);
  // The script goes on where the recorded replies left it.
  expect(await callModel(request, 'three', setting)).toMatchObject({
    recalled: false,
    reply: { text: 'third' },
  });
});

test('what may pass is tried again, each attempt with a reservation of its own', async () => {
  const model = priced(
    scriptedModel([
      { failure: { code: 'rate_limited', retry_after_ms: 7000 } },
      { failure: 'overloaded' },
      { failure: { code: 'unreachable', usage: 'unknown' } },
      { text: 'at last', usage },
    ]),
  );
  const setting = memorySetting(model);
  const called = await callModel(request, 'k', setting);
  expect(called).toMatchObject({ kind: 'replied', reply: { text: 'at last' } });
  expect(setting.spent('calls')).toBe(2);
  expect(setting.lines.filter((line) => line.includes(' '))).toEqual([
    'reserve k',
    'settle k',
    'reserve k/again-2',
    'settle k/again-2',
    'reserve k/again-3',
    'settle k/again-3 unknown',
    'reserve k/again-4',
    'record k',
    'settle k/again-4',
  ]);
  expect(setting.slept).toEqual([7250, 1000, 2000]);
  expect(setting.events.map((event) => event.kind)).toEqual([
    'model_called',
    'model_failed',
    'model_called',
    'model_failed',
    'model_called',
    'model_failed',
    'model_called',
    'model_replied',
  ]);
});

test.each([
  ['auth', 1],
  ['unknown_model', 1],
  ['context_overflow', 1],
  ['no_credit', 1],
  ['bad_request', 1],
  ['script_ended', 1],
  ['overloaded', 4],
  ['bad_response', 4],
] as const)('%s is tried %i times', async (code, attempts) => {
  const model = scriptedModel({ failure: code });
  const setting = memorySetting(model);
  expect(await callModel(request, 'k', setting)).toMatchObject({ kind: 'failed', failure: { code } });
  expect([setting.spent('calls'), setting.spent('usd')]).toEqual([0, 0]);
  expect(model.calls.length).toBe(attempts);
});

test.each([
  ['none', 4],
  ['unknown', 1],
] as const)('with retryOnlyIfFree a failure of the cost %s is tried %i times', async (usage, attempts) => {
  const model = scriptedModel({ failure: { code: 'unreachable', usage } } as never);
  const setting = { ...memorySetting(model), retryOnlyIfFree: true };
  expect(await callModel(request, 'k', setting)).toMatchObject({ kind: 'failed' });
  expect(model.calls.length).toBe(attempts);
});

test('nobody waits longer than they have patience or time', async () => {
  const long = scriptedModel({ failure: { code: 'rate_limited', retry_after_ms: 3_600_000 } });
  const patient = memorySetting(long);
  expect(await callModel(request, 'k', patient)).toMatchObject({ kind: 'failed' });
  expect(patient.slept).toEqual([]);
  const late = memorySetting(scriptedModel({ failure: 'overloaded' }), { deadline: 600 });
  expect(await callModel(request, 'k', late)).toMatchObject({ kind: 'failed' });
  expect(late.slept).toEqual([500]);
});

test('an attempt gets no more time than is left', async () => {
  const model = scriptedModel([{ failure: 'overloaded' }, 'fine']);
  await callModel(request, 'k', memorySetting(model, { deadline: 3000 }));
  expect(model.calls.map((asked) => asked.timeoutMs)).toEqual([3000, 2500]);
});

test('the output limit is lowered to what the pool can pay, and no further than is of use', async () => {
  const model = scriptedModel('fine');
  // 15 tokens of input: 19 characters at three bytes a token, and the frame of a message.
  const enough = memorySetting(model, { limits: { tokens: 415 } });
  expect(await callModel(request, 'k', enough)).toMatchObject({ kind: 'replied' });
  expect(model.calls[0]?.maxOutputTokens).toBe(400);
  const poor = memorySetting(model, { limits: { tokens: 200 } });
  const ended = await callModel(request, 'k', poor);
  expect(ended).toMatchObject({ kind: 'exhausted', resource: 'tokens', limit: 200 });
  expect(poor.open.size).toBe(0);
});

test('money bounds the output too', async () => {
  const model = priced(scriptedModel('fine'));
  const calls: number[] = [];
  const watched: Model = {
    ...model,
    generate: (asked) => {
      calls.push(asked.maxOutputTokens);
      return model.generate(asked);
    },
  };
  const enough = memorySetting(watched, { limits: { usd: 0.005 } });
  expect(await callModel(request, 'k', enough)).toMatchObject({ kind: 'replied' });
  // 0.005 dollars less 15 tokens of cache writes at 2.5 and what a pool rounds, at 10 dollars a million.
  expect(calls).toEqual([496]);
  const broke = memorySetting(watched, { limits: { usd: 0.0001 } });
  expect(await callModel(request, 'k', broke)).toMatchObject({ kind: 'exhausted', resource: 'usd' });
});

test('a pool without calls left ends the call whatever its size', async () => {
  const model = scriptedModel('never');
  const setting = memorySetting(model, { limits: { calls: 0 } });
  expect(await callModel(request, 'k', setting)).toMatchObject({ kind: 'exhausted' });
  expect(model.calls).toEqual([]);
});

test('an unknown price is charged at the dearest and marked, a local server is free', async () => {
  const unknown = memorySetting(priced(scriptedModel({ text: 'x', usage }), 'openai-compatible:mystery'));
  await callModel(request, 'k', unknown);
  expect(unknown.spent('usd')).toBe(0.015);
  expect(unknown.events.at(-1)).toMatchObject({ kind: 'model_replied', unknown: true });
  const local = memorySetting({ ...scriptedModel({ text: 'x', usage }), name: 'ollama:llama', local: true });
  await callModel(request, 'k', local);
  expect(local.spent('usd')).toBe(0);
  expect(local.events.at(-1)).toMatchObject({ kind: 'model_replied', unknown: false });
});

test('a price that the provider reports stands', async () => {
  const setting = memorySetting(priced(scriptedModel({ text: 'x', usage, usd: 0.42 }), 'claude-cli:x'));
  await callModel(request, 'k', setting);
  expect(setting.spent('usd')).toBe(0.42);
  expect(setting.events.at(-1)).toMatchObject({ kind: 'model_replied', unknown: false });
});

test('a bug in a model leaves no reservation open', async () => {
  const broken: Model = { ...scriptedModel(''), generate: () => Promise.reject(new RangeError('bug')) };
  const setting = memorySetting(broken);
  await expect(callModel(request, 'k', setting)).rejects.toThrow('bug');
  expect(setting.lines).toEqual(['reserve k', 'model_called', 'commit', 'settle k unknown', 'commit']);
});

test('a cancelled call is not tried again', async () => {
  const stop = new AbortController();
  const model = scriptedModel([{ delay_ms: 10_000, text: 'late' }, 'never']);
  const call = callModel({ ...request, signal: stop.signal }, 'k', memorySetting(model));
  await expect.poll(() => model.calls.length, { timeout: 300_000 }).toBe(1);
  stop.abort();
  const called = await call;
  expect(called).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
  expect(model.calls.length).toBe(1);
});

test('the extractive model is a failure that costs nothing', async () => {
  const setting = memorySetting(extractive);
  expect(await callModel(request, 'k', setting)).toMatchObject({
    kind: 'failed',
    failure: { code: 'no_model' },
  });
  expect([setting.spent('tokens'), setting.open.size]).toEqual([0, 0]);
});

test('a call that hung is tried once more where there is time, and each is paid for', async () => {
  const hung = { failure: { code: 'timeout', usage: 'unknown' } };
  const deadline = 10_000;
  const setting = memorySetting(priced(scriptedModel([hung, { text: 'late', usage }])), { deadline });
  expect(await callModel(request, 'k', setting)).toMatchObject({ kind: 'replied', reply: { text: 'late' } });
  const twice = memorySetting(priced(scriptedModel([hung, hung, { text: 'never' }])), { deadline });
  expect(await callModel(request, 'k', twice)).toMatchObject({
    kind: 'failed',
    failure: { code: 'timeout' },
  });
  expect(twice.lines.filter((line) => line.startsWith('settle'))).toHaveLength(2);
  const late = memorySetting(priced(scriptedModel([hung, { text: 'never' }])), { deadline: 1_000 });
  expect(await callModel(request, 'k', late)).toMatchObject({ kind: 'failed', failure: { code: 'timeout' } });
});

test('what the pool cannot pay yet waits for the calls under way', async () => {
  const pool = openPool(memoryLedger(), { account: 'run', run: 'run', fence: 1, limits: { tokens: 3_000 } });
  const gate = Promise.withResolvers<void>();
  const stop = new AbortController();
  const model: Model = {
    ...priced(scriptedModel({ text: 'ok', usage: { ...usage, input: 20, output: 10 } })),
    maxInput: () => 500,
  };
  const slow: Model = {
    ...model,
    generate: async (asked) => {
      await gate.promise;
      return model.generate(asked);
    },
  };
  const step = openSteps({
    journal: memoryJournal(),
    log: { append: () => true },
    pool,
    atomic: (work) => work(),
    commit: async () => {},
    signal: stop.signal,
  });
  const base = { ...memorySetting(slow), step };
  const within = () => limitToPool(pool, { final: false, maxSilenceMs: 5_000 });
  const asked = { ...request, maxOutputTokens: 2_000 };
  const first = callModel(asked, 'a', { ...base, ...within() });
  const second = callModel(asked, 'b', { ...base, ...within(), model });
  await new Promise((done) => setImmediate(done));
  expect(pool.spent().tokens).toBe(0);
  gate.resolve();
  expect(await first).toMatchObject({ kind: 'replied' });
  expect(await second).toMatchObject({ kind: 'replied' });
  expect(pool.spent().tokens).toBe(60);
  // And whoever is stopped while he waits has asked for nothing.
  const third = Promise.withResolvers<void>();
  const busy: Model = {
    ...model,
    generate: async ({ signal: _stopped, ...one }) => {
      await third.promise;
      return model.generate(one);
    },
  };
  const holds = callModel(asked, 'c', { ...base, ...within(), model: busy });
  const waits = callModel(asked, 'd', { ...base, ...within(), model });
  await new Promise((done) => setImmediate(done));
  stop.abort();
  expect(await waits).toMatchObject({ kind: 'failed', failure: { code: 'cancelled', usage: 'none' } });
  third.resolve();
  expect(await holds).toMatchObject({ kind: 'replied' });
  expect(pool.spent().tokens).toBe(90);
});
