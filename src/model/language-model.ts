import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4Usage,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { type Clock, withoutSecrets } from '../core/index.ts';
import { failure, type Trouble } from './failure.ts';
import { interruptible } from './interruptible.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest, Usage } from './model.ts';
import { providerFailure } from './provider-error.ts';

import { withSchemaText } from './schema-text.ts';
import { estimateUsage } from './usage.ts';

/** What one provider needs beside the AI SDK's model. */
export interface ProviderModel {
  readonly name: string;
  readonly model: LanguageModelV4;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly local: boolean;
  readonly about: Pick<Trouble, 'provider' | 'secrets' | 'keySetting' | 'address'>;
  readonly clock: Clock;
  /** False once the server has refused a JSON schema: the schema then goes into the prompt. */
  readonly takesSchema: () => boolean;
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
    async generate(request: ModelRequest) {
      const result = await interruptible(request, trouble, async (signal) => {
        try {
          const options = callOptions(provider, request, signal);
          const raw = await (request.onText
            ? streamed(provider, options, request.onText)
            : whole(provider, options));
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

interface RawReply {
  readonly text: string;
  readonly usage: LanguageModelV4Usage;
  readonly finishReason: LanguageModelV4FinishReason;
  readonly model: string | undefined;
}

async function whole(provider: ProviderModel, options: LanguageModelV4CallOptions): Promise<RawReply> {
  const result = await provider.model.doGenerate(options);
  const parts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
  return {
    text: result.structuredOutputText ?? parts.join(''),
    usage: result.usage,
    finishReason: result.finishReason,
    model: result.response?.modelId,
  };
}

/** What a listener threw is the caller's bug and goes back to the caller as it is. */
class ListenerError extends Error {}

async function streamed(
  provider: ProviderModel,
  options: LanguageModelV4CallOptions,
  onText: (piece: string) => void,
): Promise<RawReply | ModelFailure> {
  const trouble = { ...provider.about, model: provider.name };
  const { stream } = await provider.model.doStream(options);
  let text = '';
  let model: string | undefined;
  let end: Pick<RawReply, 'usage' | 'finishReason'> | undefined;
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      text += part.delta;
      try {
        onText(withoutSecrets(part.delta, provider.about.secrets));
      } catch (thrown) {
        throw new ListenerError('the listener threw', { cause: thrown });
      }
    } else if (part.type === 'response-metadata') model = part.modelId ?? model;
    else if (part.type === 'finish') end = part;
    else if (part.type === 'error') return providerFailure(part.error, trouble, provider.clock.now(), true);
  }
  if (!end)
    return failure('bad_response', { ...trouble, said: 'the stream ended before the answer did' }, 'unknown');
  return { text, model, ...end };
}

function finish(
  provider: ProviderModel,
  trouble: Omit<Trouble, 'said'>,
  request: ModelRequest,
  raw: RawReply,
): ModelReply | ModelFailure {
  const usage = usageOf(raw.usage) ?? estimateUsage(request, raw.text);
  const reason = raw.finishReason.unified;
  if (reason === 'interrupted' || reason === 'error')
    return failure('bad_response', { ...trouble, said: 'the stream ended before the answer did' }, 'unknown');
  return Object.freeze({
    kind: 'reply',
    text: withoutSecrets(raw.text, provider.about.secrets),
    usage,
    stop: stops[reason],
    model: raw.model ?? provider.name,
  });
}

const stops = {
  stop: 'end',
  length: 'length',
  'content-filter': 'refusal',
  'tool-calls': 'other',
  other: 'other',
} as const satisfies Record<string, ModelReply['stop']>;

/** Undefined where nothing was reported. No request has an empty input, so a zero there is a missing report. */
function usageOf(usage: LanguageModelV4Usage): Usage | undefined {
  const input = usage.inputTokens.total;
  const output = usage.outputTokens.total;
  if (!input || output === undefined) return undefined;
  return Object.freeze({
    input,
    output,
    cacheRead: usage.inputTokens.cacheRead ?? 0,
    cacheWrite: usage.inputTokens.cacheWrite ?? 0,
    estimated: false,
  });
}
