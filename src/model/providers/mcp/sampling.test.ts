import { expect, test } from 'vitest';
import type { FailureCode, ModelRequest } from '../../model.ts';
import { type Sample, type SamplingRequest, samplingModel } from './sampling.ts';

const request: ModelRequest = {
  messages: [
    { role: 'system', text: 'Be short.' },
    { role: 'user', text: 'What?' },
    { role: 'assistant', text: 'A cat?' },
    { role: 'user', text: 'Again.' },
  ],
  schema: { name: 's', json: { type: 'object' } },
  maxOutputTokens: 50,
  temperature: 0.2,
  timeoutMs: 5000,
};
const text = (value: string) => ({ type: 'text', text: value });

test('the request is as the protocol wants it, the schema in the prompt', async () => {
  const asked: SamplingRequest[] = [];
  const sample: Sample = async (one) => {
    asked.push(one);
    return {
      model: 'client-model',
      content: [text('a '), { type: 'image' }, text('cat')],
      stopReason: 'maxTokens',
    };
  };
  expect(await samplingModel(sample).generate(request)).toMatchObject({
    kind: 'reply',
    text: 'a cat',
    stop: 'length',
    model: 'client-model',
    usage: { estimated: true },
  });
  expect(asked[0]).toMatchObject({ systemPrompt: 'Be short.', maxTokens: 50, temperature: 0.2 });
  expect(asked[0]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  expect(asked[0]?.messages.at(-1)?.content.text).toContain('{"type":"object"}');
});

const answers: readonly (readonly [what: string, Sample, code: FailureCode, usage: string])[] = [
  [
    'declined',
    () => Promise.reject(Object.assign(new Error('User rejected sampling request'), { code: -1 })),
    'bad_request',
    'none',
  ],
  ['an error', () => Promise.reject(new Error('socket closed')), 'bad_response', 'unknown'],
  ['overload', () => Promise.reject(new Error('model overloaded')), 'overloaded', 'unknown'],
  ['no text', async () => ({ content: { type: 'image' } }), 'bad_response', 'unknown'],
  ['nothing', async () => null, 'bad_response', 'unknown'],
];

test.each(answers)('%s', async (_what, sample, code, usage) => {
  expect(await samplingModel(sample).generate(request)).toMatchObject({ kind: 'failure', code, usage });
});
