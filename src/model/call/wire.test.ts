import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../core/index.ts';
import { type Behaviour, type Loopback, openLoopback, reportedUsage } from '../loopback.contract.ts';
import type { FailureCode, Model, ModelRequest } from '../model.ts';
import { anthropicModel } from '../providers/anthropic/anthropic.ts';
import { openaiModel } from '../providers/openai/openai.ts';
import { openaiCompatibleModel } from '../providers/openai-compatible/openai-compatible.ts';

const key = 'sk-live-abcdefghijklmnop0123456789';
let server: Loopback;
beforeAll(async () => {
  server = await openLoopback();
});
afterAll(() => server.close());

const request: ModelRequest = {
  messages: [
    { role: 'system', text: 'Be short.', cache: true },
    { role: 'user', text: 'What is in the box?' },
  ],
  maxOutputTokens: 700,
  timeoutMs: 20_000,
  temperature: 0,
};
const json = {
  type: 'object',
  properties: { animal: { type: 'string' } },
  required: ['animal'],
  additionalProperties: false,
};

const access = (secret = key) => ({
  apiKey: secret,
  baseUrl: `${server.origin}/v1`,
  fetch: globalThis.fetch,
  clock: systemClock,
  keySetting: 'THE_KEY',
});
const providers: Readonly<Record<string, () => Model>> = {
  anthropic: () => anthropicModel('claude-opus-4-6', access()),
  openai: () => openaiModel('gpt-4.1', access()),
  compatible: () => openaiCompatibleModel('openai-compatible', 'some-model', access()),
};
const ways = Object.entries(providers).flatMap(([name, make]) => [
  [name, 'whole', make, request] as const,
  [name, 'streamed', make, { ...request, onText: () => {} }] as const,
]);

/** What goes wrong, what it must be called, and what of it may have been billed. */
const troubles: readonly (readonly [
  what: string,
  Behaviour,
  FailureCode,
  billed: 'none' | 'unknown',
  retry: boolean,
])[] = [
  [
    'a wrong key',
    { kind: 'error', status: 401, type: 'authentication_error', message: `invalid x-api-key ${key}` },
    'auth',
    'none',
    false,
  ],
  [
    'no permission',
    { kind: 'error', status: 403, type: 'permission_error', message: 'not allowed' },
    'auth',
    'none',
    false,
  ],
  [
    'an unknown model',
    { kind: 'error', status: 404, type: 'not_found_error', message: 'model: nope-1' },
    'unknown_model',
    'none',
    false,
  ],
  [
    'a wrong address',
    {
      kind: 'raw',
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<html><title>Not Found</title><body>nginx</body></html>',
    },
    'bad_request',
    'none',
    false,
  ],
  [
    'too many requests',
    {
      kind: 'error',
      status: 429,
      type: 'rate_limit_error',
      message: 'slow down',
      headers: { 'retry-after': '7' },
    },
    'rate_limited',
    'none',
    true,
  ],
  [
    'no credit',
    { kind: 'error', status: 429, type: 'insufficient_quota', message: 'You exceeded your current quota' },
    'no_credit',
    'none',
    false,
  ],
  [
    'a context overflow',
    {
      kind: 'error',
      status: 400,
      type: 'invalid_request_error',
      message: 'prompt is too long: 250000 tokens > 200000 maximum',
    },
    'context_overflow',
    'none',
    false,
  ],
  [
    'another context overflow',
    {
      kind: 'error',
      status: 400,
      type: 'context_length_exceeded',
      message: "This model's maximum context length is 128000 tokens",
    },
    'context_overflow',
    'none',
    false,
  ],
  [
    'a bad request',
    { kind: 'error', status: 400, type: 'invalid_request_error', message: 'temperature: must be positive' },
    'bad_request',
    'none',
    false,
  ],
  [
    'a broken server',
    { kind: 'error', status: 500, type: 'api_error', message: 'internal' },
    'overloaded',
    'none',
    true,
  ],
  [
    'an overloaded server',
    { kind: 'error', status: 529, type: 'overloaded_error', message: 'Overloaded' },
    'overloaded',
    'none',
    true,
  ],
  [
    'a gateway that gave up',
    { kind: 'raw', status: 504, body: '<html><title>504 Gateway Time-out</title></html>' },
    'overloaded',
    'unknown',
    true,
  ],
  ['an error without a body', { kind: 'raw', status: 503, body: '' }, 'overloaded', 'none', true],
  [
    'an error that is JSON of another kind',
    { kind: 'raw', status: 500, body: '[1,2' },
    'overloaded',
    'none',
    true,
  ],
  [
    'a redirect',
    { kind: 'raw', status: 307, headers: { location: 'http://127.0.0.1:9/' }, body: '' },
    'bad_request',
    'none',
    false,
  ],
  [
    'a login page instead of an API',
    {
      kind: 'raw',
      headers: { 'content-type': 'text/html' },
      body: '<!doctype html><html><head><title>Sign in</title></head></html>',
    },
    'bad_response',
    'none',
    false,
  ],
  ['an empty body', { kind: 'raw', body: '' }, 'bad_response', 'unknown', true],
  ['JSON of another kind', { kind: 'raw', body: '{"hello":"world"}' }, 'bad_response', 'unknown', true],
  [
    'an answer that is cut off',
    { kind: 'cut', text: 'a long answer that never ends' },
    'bad_response',
    'unknown',
    true,
  ],
  [
    'a connection that breaks',
    { kind: 'reset', text: 'a long answer that never ends' },
    'unreachable',
    'unknown',
    true,
  ],
  ['an answer without end', { kind: 'flood' }, 'bad_response', 'unknown', false],
];

describe.each(ways)('%s, %s:', (name, way, make, asked) => {
  test.each(troubles)('%s', async (_what, behaviour, code, billed, retry) => {
    server.behave(behaviour);
    const failed = await make().generate(asked);
    expect(failed).toMatchObject({ kind: 'failure', code, usage: billed, retryable: retry });
    if (failed.kind !== 'failure') return;
    expect(failed.message).not.toContain('\n');
    expect(failed.message.length).toBeLessThan(500);
    expect(failed.remedy).toMatch(/\w.*\.$/);
    expect(JSON.stringify(failed)).not.toContain(key);
    if (code === 'rate_limited') expect(failed.retryAfterMs).toBe(7000);
    if (failed.message.includes('longer than'))
      expect(failed.remedy).toMatch(/does not keep to the output limit/);
    if (code === 'auth') expect(failed.remedy).toContain('THE_KEY');
  });

  test('a reply has the usage that was reported, cached parts included', async () => {
    server.behave({ kind: 'text', text: 'A cat.' });
    const reply = await make().generate(asked);
    const cacheWrite = name === 'anthropic' ? reportedUsage.cacheWrite : 0;
    expect(reply).toMatchObject({
      kind: 'reply',
      text: 'A cat.',
      stop: 'end',
      model: 'answering-model',
      usage: { ...reportedUsage, cacheWrite, estimated: false },
    });
  });

  test('a usage that was not reported is estimated and marked', async () => {
    server.behave({ kind: 'text', text: 'A cat.', usage: 'none' });
    const reply = await make().generate(asked);
    expect(reply).toMatchObject({ kind: 'reply', usage: { estimated: true } });
    if (reply.kind === 'reply') expect(reply.usage.input).toBeGreaterThan(0);
  });

  test.each(['length', 'refusal'] as const)('an answer that stops by %s says so', async (stop) => {
    server.behave({ kind: 'text', text: 'A c', stop });
    expect(await make().generate(asked)).toMatchObject({ kind: 'reply', stop });
  });

  test('a key in the answer itself is taken out', async () => {
    server.behave({ kind: 'text', text: `Your key is ${key}, isn't it?` });
    expect(await make().generate(asked)).toMatchObject({ text: "Your key is [secret], isn't it?" });
  });

  if (way === 'streamed')
    test.each([
      ['overloaded_error', 'Overloaded', 'overloaded'],
      ['invalid_request_error', 'something odd', 'bad_response'],
    ] as const)('an error in the middle of a stream: %s', async (type, message, code) => {
      server.behave({ kind: 'midstream', type, message: `${message} ${key}` });
      const failed = await make().generate(asked);
      expect(failed).toMatchObject({ kind: 'failure', code, usage: 'unknown' });
      expect(JSON.stringify(failed)).not.toContain(key);
    });
});

describe('what is sent:', () => {
  const sent = async (make: () => Model, asked: ModelRequest = request) => {
    server.behave({ kind: 'text', text: '{"animal":"cat"}' });
    const reply = await make().generate(asked);
    expect(reply.kind).toBe('reply');
    const last = server.requests.at(-1);
    if (!last) throw new Error('nothing was sent');
    return last;
  };

  test('Anthropic: the output limit, a cached prefix, the schema, the key', async () => {
    const { body, headers, path } = await sent(() => anthropicModel('claude-unknown-9', access()), {
      ...request,
      schema: { name: 'box', json },
      idempotencyKey: 'run-1/step-1',
    });
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': key, 'idempotency-key': 'run-1/step-1' });
    expect(body).toMatchObject({
      model: 'claude-unknown-9',
      max_tokens: 700,
      system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is in the box?' }] }],
    });
    expect(JSON.stringify(body)).toContain('"animal"');
  });

  test('Anthropic: no more than four cache marks, the last ones', async () => {
    const messages = [1, 2, 3, 4, 5, 6].map((n) => ({
      role: 'system' as const,
      text: `part ${n}`,
      cache: true,
    }));
    const { body } = await sent(providers['anthropic']!, {
      ...request,
      messages: [...messages, { role: 'user', text: 'go' }],
    });
    const marked = body.system.map((part: { cache_control?: unknown }) => part.cache_control !== undefined);
    expect(marked).toEqual([false, false, true, true, true, true]);
  });

  test('OpenAI: the output limit, a strict schema, nothing stored', async () => {
    const { body, headers, path } = await sent(providers['openai']!, {
      ...request,
      schema: { name: 'box', json },
    });
    expect(path).toBe('/v1/responses');
    expect(headers['authorization']).toBe(`Bearer ${key}`);
    expect(body).toMatchObject({
      max_output_tokens: 700,
      store: false,
      text: { format: { type: 'json_schema', name: 'box', strict: true, schema: json } },
    });
  });

  test('OpenAI: a schema that strict mode refuses is sent as not strict', async () => {
    const open = {
      ...json,
      properties: { map: { type: 'object', additionalProperties: { type: 'number' } } },
    };
    const { body } = await sent(providers['openai']!, { ...request, schema: { name: 'box', json: open } });
    expect(body.text.format).toMatchObject({ strict: false });
  });

  test('compatible: the output limit, the schema, usage asked for in a stream', async () => {
    const { body } = await sent(providers['compatible']!, {
      ...request,
      schema: { name: 'box', json },
      onText: () => {},
    });
    expect(body).toMatchObject({
      max_tokens: 700,
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'box', strict: true, schema: json } },
    });
  });

  test('compatible: a server that refuses schemas is asked in the prompt from then on', async () => {
    const model = providers['compatible']!();
    const asked = { ...request, schema: { name: 'box', json } };
    server.behave({
      kind: 'error',
      status: 400,
      type: 'bad',
      message: "'response_format.type' must be 'json_object'",
    });
    expect(await model.generate(asked)).toMatchObject({
      kind: 'failure',
      retryable: true,
      retryAfterMs: 0,
      usage: 'none',
    });
    const { body } = await sent(() => model, asked);
    expect(body.response_format).toBeUndefined();
    expect(body.messages.at(-1).content).toContain(JSON.stringify(json));
  });

  test('compatible: a server that wants max_completion_tokens gets it', async () => {
    const model = providers['compatible']!();
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    server.behave({ kind: 'error', status: 400, type: 'bad', message });
    expect(await model.generate(request)).toMatchObject({ retryable: true, retryAfterMs: 0 });
    const { body } = await sent(() => model);
    expect(body).toMatchObject({ max_completion_tokens: 700 });
    expect(body.max_tokens).toBeUndefined();
  });
});

test.each([
  [{ error: { message: 'Rate limit exceeded', code: 429 } }, 'rate_limited'],
  [{ error: { message: 'Provider overloaded' } }, 'overloaded'],
  [{ error: { message: 'odd' } }, 'bad_response'],
] as const)('an error that a gateway sends with status 200: %j', async (body, code) => {
  server.behave({ kind: 'raw', body: JSON.stringify(body) });
  const failed = await providers['compatible']!().generate(request);
  expect(failed).toMatchObject({
    kind: 'failure',
    code,
    message: expect.stringContaining(body.error.message),
  });
});

test('a port where nobody listens is unreachable, and nothing was billed', async () => {
  const gone = await openLoopback();
  const model = openaiCompatibleModel('ollama', 'llama', { ...access(), baseUrl: `${gone.origin}/v1` });
  await gone.close();
  const failed = await model.generate(request);
  expect(failed).toMatchObject({ kind: 'failure', code: 'unreachable', usage: 'none', retryable: true });
  if (failed.kind === 'failure') {
    expect(failed.message).toContain('ECONNREFUSED');
    expect(failed.remedy).toContain(gone.origin);
  }
});

describe('with the keys of the environment set to something else', () => {
  afterEach(() => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'])
      delete process.env[name];
  });
  test.each(Object.entries(providers))('%s uses what it was given', async (_name, make) => {
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) process.env[name] = 'sk-from-the-environment';
    for (const name of ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL']) process.env[name] = 'http://127.0.0.1:9/v1';
    server.behave({ kind: 'text', text: 'ok' });
    expect(await make().generate(request)).toMatchObject({ kind: 'reply' });
    expect(JSON.stringify(server.requests.at(-1)?.headers)).not.toContain('sk-from-the-environment');
  });
});

test('what a listener throws reaches the caller', async () => {
  server.behave({ kind: 'text', text: 'ok ok' });
  const broken = () => {
    throw new RangeError('a bug of the caller');
  };
  await expect(providers['compatible']!().generate({ ...request, onText: broken })).rejects.toThrow(
    'a bug of the caller',
  );
});

test.each([
  [404, '{"detail":"Not Found"}'],
  [404, '404 page not found'],
  [404, '{"error":{"message":"Unknown endpoint /v1/responses for model x","type":"invalid_request_error"}}'],
  [405, 'Method Not Allowed'],
  [501, 'Not Implemented'],
])('openai: a server without /v1/responses is pointed to openai-compatible: %i %s', async (status, body) => {
  server.behave({ kind: 'raw', status, body });
  const failed = await openaiModel('llama-3', access()).generate(request);
  expect(failed).toMatchObject({
    kind: 'failure',
    remedy: expect.stringContaining('name the model openai-compatible:llama-3'),
  });
});

test.each([
  [
    'a field for usage in the stream',
    'Unrecognized request argument supplied: stream_options',
    'stream_options',
  ],
  ['streams', 'streaming is not supported by this server', 'stream'],
])('compatible: a server that refuses %s is asked without from then on', async (_what, message, field) => {
  const model = providers['compatible']!();
  server.behave({ kind: 'error', status: 400, type: 'bad', message });
  expect(await model.generate(request)).toMatchObject({ kind: 'failure', retryable: true, retryAfterMs: 0 });
  server.behave({ kind: 'text', text: 'A cat.' });
  expect(await model.generate(request)).toMatchObject({ kind: 'reply', text: 'A cat.' });
  expect(server.requests.at(-1)?.body[field]).toBeUndefined();
});

test.each(Object.entries(providers))(
  '%s sends the output limit that was reserved, in a stream, and no more tools',
  async (_name, make) => {
    server.behave({ kind: 'text', text: '{"animal":"cat"}' });
    await make().generate({ ...request, schema: { name: 'box', json } });
    const { body } = server.requests.at(-1)!;
    expect(body.stream).toBe(true);
    expect(body.max_tokens ?? body.max_output_tokens).toBe(700);
    expect(JSON.stringify(body)).not.toContain('eager_input_streaming');
  },
);
