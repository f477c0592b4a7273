import { expect, test } from 'vitest';
import { guardModel } from './guard-model.ts';
import type { Model, ModelReply, ModelRequest } from './model.ts';
import { scriptedModel } from './scripted.ts';

const request: ModelRequest = {
  messages: [{ role: 'user', text: '?' }],
  maxOutputTokens: 10,
  timeoutMs: 1_000,
};
const own = (generate: () => unknown): Model =>
  guardModel({ ...scriptedModel([]), name: 'own:one', generate } as unknown as Model);

test.each<[string, () => unknown, RegExp]>([
  ['throws', () => Promise.reject(new Error('boom')), /own:one: boom/],
  [
    'throws at once',
    () => {
      throw new Error('boom');
    },
    /own:one: boom/,
  ],
  ['gives no object', async () => 7, /no reply/],
  ['gives no text', async () => ({ kind: 'reply', usage: {} }), /no reply/],
  ['gives no usage', async () => ({ kind: 'reply', text: 'x', stop: 'end', model: 'x' }), /no reply/],
  [
    'gives a count that is none',
    async () => ({ kind: 'reply', text: 'x', usage: { input: Number.NaN } }),
    /no reply/,
  ],
])('a model that %s has failed, at an unknown cost, and is not tried again', async (_, generate, said) => {
  expect(await own(generate).generate(request)).toMatchObject({
    ...{ kind: 'failure', code: 'bad_response', retryable: false, usage: 'unknown' },
    message: expect.stringMatching(said),
  });
});

test('what it throws after a cancel is a cancel', async () => {
  const model = own(() => Promise.reject(new Error('aborted')));
  expect(await model.generate({ ...request, signal: AbortSignal.abort() })).toMatchObject({
    code: 'cancelled',
  });
});

test('a good reply and a failure pass as they are', async () => {
  const model = guardModel(scriptedModel(['fine', { failure: 'overloaded' }] as never));
  expect(await model.generate(request)).toMatchObject({ kind: 'reply', text: 'fine' });
  expect(await model.generate(request)).toMatchObject({ kind: 'failure', code: 'overloaded' });
});

test('a model that is an object of a class keeps its methods and getters', async () => {
  class Own implements Model {
    readonly #text = 'fine';
    readonly real = true;
    readonly maxOutput = 10;
    readonly contextWindow = 100;
    readonly local = true;
    readonly recalled: unknown[] = [];
    get name() {
      return 'own:class';
    }
    maxInput() {
      return this.#text.length;
    }
    onRecall(reply: unknown) {
      this.recalled.push(reply);
    }
    async generate(): Promise<ModelReply> {
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, estimated: false };
      return { kind: 'reply', text: this.#text, usage, stop: 'end', model: this.name };
    }
  }
  const own = new Own();
  const model = guardModel(own);
  model.onRecall?.({});
  expect(model).toMatchObject({ name: 'own:class', contextWindow: 100 });
  expect(model.maxInput?.(request)).toBe(4);
  expect(own.recalled).toEqual([{}]);
  expect(await model.generate(request)).toMatchObject({ text: 'fine', model: 'own:class' });
});

test.each(['name', 'contextWindow', 'maxOutput', 'generate'])('a model without %s is refused', (member) => {
  const model = { ...scriptedModel(['fine']), [member]: undefined } as unknown as Model;
  expect(() => guardModel(model)).toThrow(`has no ${member}`);
});
