import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Usage,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { type Clock, withoutSecrets } from '../core/index.ts';
import { boundedFetch, largestResponse } from './bounded-fetch.ts';
import { failure, type Trouble } from './failure.ts';
import type { InputCeiling } from './input-ceiling.ts';
import { interruptible } from './interruptible.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest, Usage } from './model.ts';
import { providerFailure } from './provider-error.ts';
import { withSchemaText } from './schema-text.ts';
import { ListenerError, streamedReply } from './stream-reply.ts';
import { estimateUsage } from './usage.ts';
import { type RawReply, wholeReply } from './whole-reply.ts';
import { wireGauge } from './wire-gauge.ts';

/** What one provider needs beside the AI SDK's model. */
export interface ProviderModel {
  readonly name: string;
  /** The library's model over a fetch, which differs from call to call. */
  readonly open: (fetch: typeof globalThis.fetch) => LanguageModelV4;
  readonly fetch: typeof globalThis.fetch;
  readonly ceiling: InputCeiling;
  /** Its events repeat the schema, and at the end what was written. */
  readonly echoes: boolean;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly local: boolean;
  readonly about: Pick<Trouble, 'provider' | 'secrets' | 'keySetting' | 'address'>;
  readonly clock: Clock;
  /** False once the server has refused a JSON schema: the schema then goes into the prompt. */
  readonly takesSchema: () => boolean;
  /** False once the server has refused to stream: a reply then can't be stopped on its way. */
  readonly streams?: () => boolean;
  /** Options for the provider's own features. */
  readonly providerOptions?: (request: ModelRequest) => SharedV4ProviderOptions;
  /** Options that mark a message as the end of a cached part. At most four may carry them. */
  readonly cacheOptions?: SharedV4ProviderOptions;
  /** Sees each failure before the caller does, e.g. to learn what the server refuses. */
  readonly learn?: (problem: ModelFailure) => ModelFailure;
}

/** Anthropic's limit; the last ones reach furthest. */
const cacheMarks = 4;

/** A `Model` over the AI SDK's provider interface. */
export function languageModel(provider: ProviderModel): Model {
  const trouble = { ...provider.about, model: provider.name };
  const learn = provider.learn ?? ((problem: ModelFailure) => problem);
  return Object.freeze({
    name: provider.name,
    real: true,
    local: provider.local,
    maxOutput: provider.maxOutput,
    contextWindow: provider.contextWindow,
    maxInput: provider.ceiling.of,
    async generate(request: ModelRequest) {
      const result = await interruptible(request, trouble, async (signal, heard) => {
        try {
          const raw = await sent(provider, trouble, request, { signal, heard });
          return 'kind' in raw ? raw : finish(provider, trouble, request, raw);
        } catch (thrown) {
          if (thrown instanceof ListenerError) throw thrown.cause;
          return providerFailure(thrown, trouble, provider.clock.now());
        }
      });
      return result.kind === 'failure' ? learn(result) : result;
    },
  });
}

/** Between the last event of a stream and its end. Milliseconds. */
const afterEnd = 1_000;
/** Of an answer that comes as a whole: what was asked for, and what stands around it. Bytes. */
const bytesOf = { token: 8, beside: 49_152 };
/** The schema stands in the first two events and in the last one; what was written, in the last four. */
const repeated = { schema: 3, text: 4 };

/** Every reply is streamed, so that it can be stopped where it is beyond what was reserved for it. */
async function sent(
  provider: ProviderModel,
  trouble: Omit<Trouble, 'said'>,
  request: ModelRequest,
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): Promise<RawReply | ModelFailure> {
  const { open, echoes } = provider;
  const options = callOptions(provider, request, signal);
  const maxOutputTokens = Math.min(request.maxOutputTokens, provider.maxOutput);
  const schema = echoes ? Buffer.byteLength(JSON.stringify(request.schema?.json ?? null)) : 0;
  const whole = bytesOf.beside + bytesOf.token * maxOutputTokens + schema;
  const wire = wireGauge({
    maxTokens: maxOutputTokens,
    echo: repeated.schema * schema,
    repeats: echoes ? repeated.text : 0,
  });
  const bounds = { whole, wire, afterEnd };
  if (provider.streams?.() === false) {
    const answer = Math.min(whole, largestResponse);
    const raw = await wholeReply(open(boundedFetch(provider.fetch, { ...bounds, answer })), options);
    request.onText?.(withoutSecrets(raw.text, provider.about.secrets));
    return raw;
  }
  return streamedReply({
    open,
    fetch: boundedFetch(provider.fetch, { ...bounds, answer: largestResponse }),
    options,
    told: wire.told,
    maxOutputTokens,
    trouble,
    now: provider.clock.now,
    heard,
    ...(request.onText && { onText: request.onText }),
  });
}

function callOptions(
  provider: ProviderModel,
  request: ModelRequest,
  signal: AbortSignal,
): LanguageModelV4CallOptions {
  const native = request.schema !== undefined && provider.takesSchema();
  const shown = native ? request : withSchemaText(request);
  const marked = shown.messages.filter((message) => message.cache).slice(-cacheMarks);
  const providerOptions = provider.providerOptions?.(request);
  return {
    prompt: shown.messages.map((message) =>
      toMessage(message, marked.includes(message) ? provider.cacheOptions : undefined),
    ),
    maxOutputTokens: Math.min(request.maxOutputTokens, provider.maxOutput),
    abortSignal: signal,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(native &&
      request.schema && {
        responseFormat: { type: 'json', name: request.schema.name, schema: request.schema.json },
      }),
    ...(request.idempotencyKey !== undefined && { headers: { 'idempotency-key': request.idempotencyKey } }),
    ...(providerOptions && { providerOptions }),
  };
}

function toMessage(
  message: ModelRequest['messages'][number],
  cached: SharedV4ProviderOptions | undefined,
): LanguageModelV4Message {
  const options = cached && { providerOptions: cached };
  return message.role === 'system'
    ? { role: 'system', content: message.text, ...options }
    : { role: message.role, content: [{ type: 'text', text: message.text, ...options }] };
}

function finish(
  provider: ProviderModel,
  trouble: Omit<Trouble, 'said'>,
  request: ModelRequest,
  raw: RawReply,
): ModelReply | ModelFailure {
  const reported = usageOf(raw.usage);
  if (reported) provider.ceiling.learn(request, reported.input);
  const reason = raw.finishReason.unified;
  if (reason === 'interrupted' || reason === 'error')
    return failure('bad_response', { ...trouble, said: 'the stream ended before the answer did' }, 'unknown');
  return Object.freeze({
    kind: 'reply',
    text: withoutSecrets(raw.text, provider.about.secrets),
    usage: reported ?? estimateUsage(request, raw.text),
    stop: stops[reason],
    model: raw.model ?? provider.name,
    ...(raw.overran && { overran: true as const }),
  });
}

const stops = {
  stop: 'end',
  length: 'length',
  'content-filter': 'refusal',
  'tool-calls': 'other',
  other: 'other',
} as const satisfies Record<string, ModelReply['stop']>;

/** Undefined where nothing was reported, or nothing that can be: no request has an empty input. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const count = (tokens: number | undefined): number => (isCount(tokens) ? Math.ceil(tokens) : 0);
  const input = count(inputTokens.total);
  if (input === 0 || !isCount(outputTokens.total)) return undefined;
  return Object.freeze({
    input,
    output: count(outputTokens.total),
    cacheRead: count(inputTokens.cacheRead),
    cacheWrite: count(inputTokens.cacheWrite),
    estimated: false,
  });
}

/** Beyond a billion it is no count of tokens. */
function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && tokens >= 0 && tokens <= 1e9;
}
