import { expect, test } from 'vitest';
import { memoryLedger, openPool } from '../core/index.ts';
import { defaultRetry } from './backoff.ts';
import { type CallEvent, callModel } from './call.ts';
import { extractive } from './extractive.ts';
import { memoryJournal, memoryMeter, memorySetting } from './memory-meter.contract.ts';
import type { Model, ModelRequest } from './model.ts';
import { withinPool } from './pool-meter.ts';
import { scriptedModel } from './scripted.ts';

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

test('an attempt is reserved, recorded, settled, in that order', async () => {
  const setting = memorySetting(priced(scriptedModel([{ text: 'a cat', usage }])));
  const called = await callModel(request, 'step-1/model', setting);
  expect(called).toMatchObject({
    kind: 'replied',
    recalled: false,
    bill: { usd: 0.003, calls: 1, unknown: false },
  });
  expect(setting.meter.log).toEqual([
    'reserve step-1/model/attempt-1',
    'record step-1/model',
    'settle step-1/model/attempt-1',
  ]);
  expect(setting.meter.spent('tokens')).toBe(1100);
});

/** Transactions, and what is told, beside what journal and meter note. */
const noted = (log: string[]) => ({
  atomic: <Value>(work: () => Value): Value => {
    log.push('begin');
    const value = work();
    log.push('end');
    return value;
  },
  observe: ({ kind }: CallEvent) => log.push(kind),
});

test('a reply is recorded, paid for and told of in one transaction', async () => {
  const setting = memorySetting(priced(scriptedModel([{ text: 'a cat', usage }])));
  await callModel(request, 'k', { ...setting, ...noted(setting.meter.log) });
  expect(setting.meter.log.slice(1)).toEqual([
    'called',
    'begin',
    'record k',
    'settle k/attempt-1',
    'replied',
    'end',
  ]);
});

test('a failure is paid for and told of in one transaction', async () => {
  const setting = memorySetting(
    priced(scriptedModel({ failure: { code: 'unreachable', usage: 'unknown' } })),
  );
  await callModel(request, 'k', {
    ...setting,
    ...noted(setting.meter.log),
    retry: { ...defaultRetry, attempts: 1 },
  });
  expect(setting.meter.log.slice(1)).toEqual([
    'called',
    'begin',
    'settle k/attempt-1 unknown tokens+usd',
    'failed',
    'end',
  ]);
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
      bill: { calls: 0 },
    });
  expect(again.calls).toEqual([]);
  expect(setting.meter.log).toEqual([]);
  // The script goes on where the recorded replies left it.
  expect(await callModel(request, 'three', setting)).toMatchObject({
    recalled: false,
    reply: { text: 'third' },
  });
});

test('what may pass is tried again, each attempt with a reservation of its own', async () => {
  const events: CallEvent[] = [];
  const model = priced(
    scriptedModel([
      { failure: { code: 'rate_limited', retry_after_ms: 7000 } },
      { failure: 'overloaded' },
      { failure: { code: 'unreachable', usage: 'unknown' } },
      { text: 'at last', usage },
    ]),
  );
  const setting = memorySetting(model, { observe: (event) => events.push(event) });
  const called = await callModel(request, 'k', setting);
  expect(called).toMatchObject({
    kind: 'replied',
    reply: { text: 'at last' },
    bill: { calls: 2, unknown: true },
  });
  expect(setting.meter.log).toEqual([
    'reserve k/attempt-1',
    'release k/attempt-1',
    'reserve k/attempt-2',
    'release k/attempt-2',
    'reserve k/attempt-3',
    'settle k/attempt-3 unknown tokens+usd',
    'reserve k/attempt-4',
    'record k',
    'settle k/attempt-4',
  ]);
  expect(setting.slept).toEqual([7250, 1000, 2000]);
  expect(events.map((event) => event.kind)).toEqual([
    'called',
    'failed',
    'called',
    'failed',
    'called',
    'failed',
    'called',
    'replied',
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
  const called = await callModel(request, 'k', memorySetting(model));
  expect(called).toMatchObject({ kind: 'failed', failure: { code }, bill: { calls: 0, usd: 0 } });
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
  const meter = memoryMeter({ tokens: 415 });
  expect(await callModel(request, 'k', memorySetting(model, { meter }))).toMatchObject({ kind: 'replied' });
  expect(model.calls[0]?.maxOutputTokens).toBe(400);
  const poor = memoryMeter({ tokens: 200 });
  const ended = await callModel(request, 'k', memorySetting(model, { meter: poor }));
  expect(ended).toMatchObject({ kind: 'exhausted', exhausted: { resource: 'tokens', limit: 200 } });
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
  const meter = memoryMeter({ usd: 0.005 });
  expect(await callModel(request, 'k', memorySetting(watched, { meter }))).toMatchObject({ kind: 'replied' });
  // 0.005 dollars less 15 tokens of cache writes at 2.5 and what a pool rounds, at 10 dollars a million.
  expect(calls).toEqual([496]);
  const broke = memoryMeter({ usd: 0.0001 });
  expect(await callModel(request, 'k', memorySetting(watched, { meter: broke }))).toMatchObject({
    kind: 'exhausted',
    exhausted: { resource: 'usd' },
  });
});

test('a pool without calls left ends the call whatever its size', async () => {
  const meter = memoryMeter({ calls: 0 });
  const model = scriptedModel('never');
  expect(await callModel(request, 'k', memorySetting(model, { meter }))).toMatchObject({ kind: 'exhausted' });
  expect(model.calls).toEqual([]);
});

test('an unknown price is charged at the dearest and marked, a local server is free', async () => {
  const unknown = memorySetting(priced(scriptedModel({ text: 'x', usage }), 'openai-compatible:mystery'));
  const called = await callModel(request, 'k', unknown);
  expect(called.bill).toMatchObject({ usd: 0.015, unknown: true });
  expect(unknown.meter.log.at(-1)).toBe('settle k/attempt-1 unknown usd');
  const local = memorySetting({ ...scriptedModel({ text: 'x', usage }), name: 'ollama:llama', local: true });
  expect((await callModel(request, 'k', local)).bill).toMatchObject({ usd: 0, unknown: false });
});

test('a price that the provider reports stands', async () => {
  const model = priced(scriptedModel({ text: 'x', usage, usd: 0.42 }), 'claude-cli:x');
  expect((await callModel(request, 'k', memorySetting(model))).bill).toMatchObject({
    usd: 0.42,
    unknown: false,
  });
});

test('a bug in a model leaves no reservation open', async () => {
  const broken: Model = { ...scriptedModel(''), generate: () => Promise.reject(new RangeError('bug')) };
  const setting = memorySetting(broken);
  await expect(callModel(request, 'k', setting)).rejects.toThrow('bug');
  expect(setting.meter.log).toEqual(['reserve k/attempt-1', 'settle k/attempt-1 unknown tokens+usd']);
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
  expect(setting.meter.log.at(-1)).toBe('release k/attempt-1');
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
  expect(twice.meter.log.filter((line) => line.startsWith('settle'))).toHaveLength(2);
  const late = memorySetting(priced(scriptedModel([hung, { text: 'never' }])), { deadline: 1_000 });
  expect(await callModel(request, 'k', late)).toMatchObject({ kind: 'failed', failure: { code: 'timeout' } });
});

test('what the pool cannot pay yet waits for the calls under way', async () => {
  const pool = openPool(memoryLedger(), { account: 'run', run: 'run', fence: 1, limits: { tokens: 3_000 } });
  const gate = Promise.withResolvers<void>();
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
  const within = () => withinPool(pool, { final: false, longest: 5_000 });
  const { meter: _own, ...base } = memorySetting(slow);
  const asked = { ...request, maxOutputTokens: 2_000 };
  const first = callModel(asked, 'a', { ...base, ...within() });
  const second = callModel(asked, 'b', { ...base, ...within(), model });
  const stop = new AbortController();
  const third = callModel({ ...asked, signal: stop.signal }, 'c', { ...base, ...within(), model });
  await new Promise((done) => setImmediate(done));
  expect(pool.spent().tokens).toBe(0);
  stop.abort();
  expect(await third).toMatchObject({ kind: 'failed', failure: { code: 'cancelled', usage: 'none' } });
  gate.resolve();
  expect(await first).toMatchObject({ kind: 'replied' });
  expect(await second).toMatchObject({ kind: 'replied' });
  expect(pool.spent().tokens).toBe(60);
});
