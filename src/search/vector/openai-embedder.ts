import { messageOf, SondeError } from '../../core/index.ts';
import type { Embedder } from '../search.ts';

export interface OpenAiEmbedderOptions {
  /** The address of the API with its version, such as `https://api.openai.com/v1` or `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token; local servers need none. Never part of an error. */
  readonly apiKey?: string;
  /** The length of the vectors, for models that can shorten them. Default: the model's full length. */
  readonly dimensions?: number;
  /** Number of texts per request. Default 64. */
  readonly batch?: number;
  /** Number of retries after status 429 or 5xx, or a broken connection. Default 3. */
  readonly retries?: number;
  /** Timeout of one request. Default 60 s. */
  readonly timeoutMs?: number;
  /** Wait before the first retry, doubled for each further one. Default 500 ms. */
  readonly backoffMs?: number;
}

const maxWaitMs = 30_000;
const maxDetailLength = 200;

/** An embedder for any server with OpenAI's embeddings format. */
export function openAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const url = parseEndpoint(options.baseUrl);
  const batch = options.batch ?? 64;
  const dimensionsSuffix = options.dimensions === undefined ? '' : `@${options.dimensions}`;
  return Object.freeze({
    id: `${url.host}:${options.model}${dimensionsSuffix}`,
    dimensions: options.dimensions ?? 0,
    async embed(texts: readonly string[], _kind: 'passage' | 'query', signal?: AbortSignal) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batch) {
        vectors.push(...(await requestWithRetries(url, options, texts.slice(from, from + batch), signal)));
      }
      return vectors;
    },
  });
}

function parseEndpoint(baseUrl: string): URL {
  try {
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}/embeddings`);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  } catch {
    // The error below leaves out the address, which may contain a key.
  }
  throw new SondeError('bad_config', {
    message: 'The base URL of the embeddings endpoint is not an http or https address.',
    remedy: 'Give one such as https://api.openai.com/v1.',
  });
}

/** A failure after which a retry may succeed. `waitMs`: the wait that the server asked for; null if it did not. */
interface RetryableFailure {
  readonly error: SondeError;
  readonly waitMs: number | null;
}

async function requestWithRetries(
  url: URL,
  options: OpenAiEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const retries = options.retries ?? 3;
  for (let attempt = 0; ; attempt++) {
    const outcome = await request(url, options, texts, signal);
    if (Array.isArray(outcome)) return outcome;
    if (attempt >= retries) throw outcome.error;
    const waitMs = outcome.waitMs ?? (options.backoffMs ?? 500) * 2 ** attempt;
    await wait(Math.min(waitMs, maxWaitMs), signal);
  }
}

async function request(
  url: URL,
  options: OpenAiEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[] | RetryableFailure> {
  const { apiKey, model, dimensions, timeoutMs = 60_000 } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(dimensions !== undefined && { dimensions }),
      }),
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    body = await response.text();
  } catch (thrown) {
    signal?.throwIfAborted();
    const why = timeout.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(thrown);
    return { error: createError(url, options, why), waitMs: null };
  }
  if (response.ok) return parseReply(url, options, body, texts.length);
  const error = createError(url, options, `status ${response.status}: ${body}`);
  if (response.status !== 429 && response.status < 500) throw error;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return { error, waitMs: Number.isFinite(seconds) ? seconds * 1000 : null };
}

function parseReply(url: URL, options: OpenAiEmbedderOptions, body: string, count: number): Float32Array[] {
  try {
    const { data } = JSON.parse(body) as { data: { index?: number; embedding: number[] }[] };
    const vectors: (Float32Array | undefined)[] = new Array(count).fill(undefined);
    data.forEach(({ index, embedding }, position) => {
      if (!Array.isArray(embedding) || !embedding.every(Number.isFinite))
        throw new Error('no list of numbers');
      vectors[index ?? position] = Float32Array.from(embedding);
    });
    if (data.length === count && vectors.every((vector) => vector !== undefined)) return vectors;
    throw new Error(`${data.length} vectors for ${count} texts`);
  } catch (thrown) {
    throw createError(
      url,
      options,
      `a reply that is not in OpenAI's embeddings format: ${messageOf(thrown)}`,
    );
  }
}

function createError(url: URL, { apiKey, model }: OpenAiEmbedderOptions, problem: string): SondeError {
  const withoutKey = apiKey === undefined || apiKey === '' ? problem : problem.replaceAll(apiKey, '***');
  return new SondeError('model_config', {
    message: `The embeddings of ${model} at ${url.host} failed: ${withoutKey.replace(/\s+/g, ' ').slice(0, maxDetailLength)}.`,
    remedy: 'Check the address, the key and the model, or search without an embedding model.',
  });
}

/** The message of the cause, since `fetch failed` itself says nothing. */
function describeFailure(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(thrown);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
