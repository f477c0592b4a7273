import { expect, test } from 'vitest';
import type { ModelRequest } from './model.ts';
import { parseScript, scriptedModel } from './scripted.ts';

const request: ModelRequest = {
  messages: [{ role: 'user', text: 'go' }],
  maxOutputTokens: 10,
  timeoutMs: 5000,
};

test.each([
  ['a text', 'hi', { kind: 'reply', text: 'hi', stop: 'end', usage: { estimated: false } }],
  ['an object as JSON', { answer: 'hi' }, { kind: 'reply', text: '{"answer":"hi"}' }],
  [
    'a text with usage',
    { text: 'hi', usage: { input: 5, output: 2 } },
    { usage: { input: 5, output: 2, cacheRead: 0, estimated: false } },
  ],
  ['JSON whose fields look like directives', { json: { text: 'hi' } }, { text: '{"text":"hi"}' }],
  [
    'an object that only resembles a directive',
    { text: 'hi', animal: 'cat' },
    { text: '{"text":"hi","animal":"cat"}' },
  ],
  ['a stop', { text: 'hi', stop: 'length' }, { stop: 'length' }],
  [
    'a failure',
    { failure: 'overloaded' },
    { kind: 'failure', code: 'overloaded', retryable: true, usage: 'none' },
  ],
  [
    'a failure with its particulars',
    { failure: { code: 'auth', message: 'no', usage: 'unknown' } },
    { code: 'auth', message: 'scripted:memory: no', usage: 'unknown' },
  ],
  ['a delay', { delay_ms: 5, text: 'hi' }, { text: 'hi' }],
])('%s', async (_name, line, expected) => {
  expect(await scriptedModel([line]).generate(request)).toMatchObject(expected);
});

test('a list is one answer a call, then a clear failure', async () => {
  const model = scriptedModel(['one', { delay_ms: 5 }, 'two']);
  expect(await model.generate(request)).toMatchObject({ text: 'one', cursor: 1 });
  expect(await model.generate(request)).toMatchObject({ text: 'two', cursor: 3 });
  expect(await model.generate(request)).toMatchObject({
    kind: 'failure',
    code: 'script_ended',
    message: 'scripted:memory: call 3 finds the script at its end after 3 lines',
  });
  expect(model.calls.length).toBe(3);
});

test.each([
  [undefined, 'A script is a text, an object, a list of these, or a function'],
  [[1], 'A script is a text, an object, a list of these, or a function'],
  [{ script: ['one'] }, 'scriptedModel takes the script itself, not an object that holds it'],
])('what is no script is refused: %j', (script, message) => {
  expect(() => scriptedModel(script as never)).toThrow(
    expect.objectContaining({ code: 'bad_argument', message }),
  );
});

test('a name that is no text is refused', () => {
  expect(() => scriptedModel([], { name: 'x' } as never)).toThrow('The name of a scripted model is no text');
});

test('a function sees the request and the number of the call', async () => {
  const model = scriptedModel((asked, call) => `${asked.messages[0]?.text} ${call}`);
  expect(await model.generate(request)).toMatchObject({ text: 'go 0' });
  expect(await model.generate(request)).toMatchObject({ text: 'go 1' });
});

test('a file is JSON lines', () => {
  const lines = parseScript('"one"\n\n// a remark\n{"animal":"cat"}\r\n{"failure":"auth"}\n', 'x.jsonl');
  expect(lines).toEqual(['one', { animal: 'cat' }, { failure: 'auth' }]);
});

test.each([
  ['"one"\n{broken', /Line 2 of the script x.jsonl is not JSON/],
  ['7', /Line 1 of the script x.jsonl is neither/],
  ['[1]', /Line 1/],
  ['{"failure":"explosion"}', /unknown failure.*explosion/],
])('a bad line is an error that names it: %s', (text, message) => {
  expect(() => parseScript(text, 'x.jsonl')).toThrow(message);
});
