import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isSondeError } from '../../core/index.ts';
import { type OpenAiEmbedderOptions, openAiEmbedder } from './openai-embedder.ts';

/** A server that speaks OpenAI's embeddings format, or what the script says instead. */
type Answer = (texts: readonly string[], response: ServerResponse) => void;

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: string[]; readonly dimensions?: number };
}

const key = 'sk-secret-0123456789';
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(...answers: Answer[]): Promise<{ baseUrl: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const part of request) text += part;
    const body = JSON.parse(text) as Asked['body'];
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    const answer = answers[Math.min(asked.length, answers.length) - 1]!;
    answer(body.input, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, asked };
}

const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (_texts, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** The length of each text and 1, last first: the place of a vector is told by its index. */
const lengths: Answer = (texts, response) => {
  const data = texts
    .map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 1] }))
    .reverse();
  response.end(JSON.stringify({ object: 'list', data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
};

const embedderAt = (baseUrl: string, options: Partial<OpenAiEmbedderOptions> = {}) =>
  openAiEmbedder({ baseUrl, model: 'test-embed', apiKey: key, backoffMs: 1, ...options });

async function failureOf(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!isSondeError(thrown)) throw new Error(`no failure of ours: ${thrown}`);
  const told = JSON.stringify([thrown.message, thrown.remedy, thrown.details, String(thrown.cause)]);
  expect(told).not.toContain(key);
  return thrown.message;
}

test('texts go in batches, vectors come back in their order', async () => {
  const { baseUrl, asked } = await serve(lengths);
  const vectors = await embedderAt(baseUrl, { batch: 2 }).embed(['a', 'bb', 'ccc'], 'passage');
  expect(vectors.map((vector) => [...vector])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
  expect(asked.map(({ body }) => body.input)).toEqual([['a', 'bb'], ['ccc']]);
  expect(asked[0]).toMatchObject({ path: '/v1/embeddings', authorization: `Bearer ${key}` });
  expect(asked[0]!.body).toMatchObject({ model: 'test-embed', encoding_format: 'float' });
});

test('no key, no header; dimensions are asked for and are part of the id', async () => {
  const { baseUrl, asked } = await serve(lengths);
  const { apiKey: _, ...options } = { baseUrl, model: 'm', apiKey: key };
  const plain = openAiEmbedder(options);
  const short = openAiEmbedder({ ...options, dimensions: 2 });
  await plain.embed(['a'], 'query');
  await short.embed(['a'], 'query');
  expect(asked.map(({ authorization, body }) => [authorization, body.dimensions])).toEqual([
    [undefined, undefined],
    [undefined, 2],
  ]);
  expect(short.id).not.toBe(plain.id);
  expect([plain.dimensions, short.dimensions]).toEqual([0, 2]);
});

describe('another attempt', () => {
  const busy = json({ error: { message: 'slow down' } }, 429, { 'retry-after': '0' });
  const broken = json({ error: { message: 'oops' } }, 503);
  const cut: Answer = (_texts, response) => response.destroy();

  test.each([
    ['429', busy],
    ['503', broken],
    ['a broken connection', cut],
  ])('after %s', async (_name, answer) => {
    const { baseUrl, asked } = await serve(answer, answer, lengths);
    expect(await embedderAt(baseUrl).embed(['abc'], 'query')).toHaveLength(1);
    expect(asked).toHaveLength(3);
  });

  test('not for ever', async () => {
    const { baseUrl, asked } = await serve(broken);
    expect(await failureOf(embedderAt(baseUrl, { retries: 2 }).embed(['abc'], 'query'))).toContain('503');
    expect(asked).toHaveLength(3);
  });

  test('not where the request itself is refused', async () => {
    const { baseUrl, asked } = await serve(json({ error: { message: `bad key ${key}` } }, 401));
    expect(await failureOf(embedderAt(baseUrl).embed(['abc'], 'query'))).toContain('401');
    expect(asked).toHaveLength(1);
  });
});

test.each([
  ['no JSON', (_texts: readonly string[], response: ServerResponse) => response.end('<html>')],
  ['no data', json({ object: 'list' })],
  ['too few vectors', json({ data: [{ index: 0, embedding: [1] }] })],
  ['the same vector twice', json({ data: [1, 2].map(() => ({ index: 0, embedding: [1] })) })],
  ['what is no number', json({ data: [0, 1].map((index) => ({ index, embedding: ['1'] })) })],
])('a reply with %s is refused', async (_name, answer) => {
  const { baseUrl } = await serve(answer as Answer);
  expect(await failureOf(embedderAt(baseUrl).embed(['a', 'b'], 'query'))).toContain(
    "OpenAI's embeddings format",
  );
});

test('a server that is not there', async () => {
  const { baseUrl } = await serve(lengths);
  for (const stop of stops.splice(0)) stop();
  expect(await failureOf(embedderAt(baseUrl, { retries: 1 }).embed(['a'], 'query'))).toContain(
    'ECONNREFUSED',
  );
});

test('a server that never answers', async () => {
  const { baseUrl } = await serve(() => {});
  const work = embedderAt(baseUrl, { retries: 0, timeoutMs: 30 }).embed(['a'], 'query');
  expect(await failureOf(work)).toContain('no answer within 30 ms');
});

test('cancelled while it waits', async () => {
  let failed = false;
  const failing = json({}, 500);
  const { baseUrl } = await serve((request, response) => {
    response.once('close', () => {
      failed = true;
    });
    return failing(request, response);
  });
  const stop = new AbortController();
  const work = embedderAt(baseUrl, { backoffMs: 600_000 }).embed(['a'], 'query', stop.signal);
  const ended = expect(work).rejects.toThrow('enough');
  await expect.poll(() => failed, { timeout: 300_000 }).toBe(true);
  stop.abort(new Error('enough'));
  await ended;
});

test('an address that is none is told without it', () => {
  for (const baseUrl of ['', 'ftp://host/v1', `not an address ${key}`]) {
    expect(() => openAiEmbedder({ baseUrl, model: 'm' })).toThrow(/not an http or https address\.$/);
  }
});
