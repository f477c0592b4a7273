import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Usage,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { type Clock, removeKnownSecrets } from '../core/index.ts';
import { type FailureContext, failure } from './call/failure.ts';
import { providerFailure } from './call/provider-error.ts';
import { runInterruptibly } from './call/run-interruptibly.ts';
import { type Sender, type SendRequest, send } from './call/send.ts';
import { ListenerError } from './call/stream-reply.ts';
import { estimateUsage } from './call/usage.ts';
import type { RawReply } from './call/whole-reply.ts';
import { type DialogueWire, dialogueSendRequest, toDialogueReply } from './dialogue/native-dialogue.ts';
import type { DialogueRequest } from './dialogue/reply.ts';
import { replyAsText } from './dialogue/text-dialogue.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest, Usage } from './model.ts';
import type { InputCeiling } from './tokens/input-ceiling.ts';
import { withSchemaText } from './typed/schema-text.ts';

/** A model of the AI SDK with the properties of its provider. */
export interface ProviderModel extends Sender {
  readonly name: string;
  readonly ceiling: InputCeiling;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly local: boolean;
  readonly errorContext: Pick<
    FailureContext,
    'provider' | 'secrets' | 'keySetting' | 'howToList' | 'address'
  >;
  readonly clock: Clock;
  /** False once the server has refused a JSON schema: the schema then goes into the prompt. */
  readonly takesSchema: () => boolean;
  /** Options for the provider's own features. */
  readonly providerOptions?: (request: ModelRequest) => SharedV4ProviderOptions;
  /** Options that mark a message as the end of a cached part. At most four may carry them. */
  readonly cacheOptions?: SharedV4ProviderOptions;
  /** Sees each failure before the caller does, e.g. to learn what the server refuses. */
  readonly learn?: (problem: ModelFailure) => ModelFailure;
  /** How dialogues are sent to this provider, and its replies read. */
  readonly dialogue: DialogueWire;
}

/** Anthropic allows at most four. The last marks are used, since each caches everything before it. */
const maxCacheMarks = 4;

/** A `Model` over the AI SDK's provider interface. */
export function languageModel(provider: ProviderModel): Model {
  const failureContext = { ...provider.errorContext, model: provider.name };
  const learn = provider.learn ?? ((problem: ModelFailure) => problem);

  /** Sends a request within its limits and reads the reply. `learn` sees a failure before the caller does. */
  async function ask<Read extends { readonly kind: 'reply' }>(
    request: Pick<ModelRequest, 'timeoutMs' | 'maxMs' | 'signal'>,
    toSendRequest: () => SendRequest,
    read: (raw: RawReply, usage: Usage | undefined) => Read,
  ): Promise<Read | ModelFailure> {
    const result = await runInterruptibly<Read>(request, failureContext, async (signal, onProgress) => {
      try {
        const raw = await send(provider, toSendRequest(), failureContext, {
          signal,
          onProgress,
          now: provider.clock.now,
        });
        if ('kind' in raw) return raw;
        const reason = raw.finishReason.unified;
        if (reason !== 'interrupted' && reason !== 'error') return read(raw, toUsage(raw.usage));
        const detail = 'the stream ended before the answer did';
        return failure('bad_response', { ...failureContext, detail }, 'unknown');
      } catch (thrown) {
        if (thrown instanceof ListenerError) throw thrown.cause;
        return providerFailure(thrown, failureContext, provider.clock.now());
      }
    });
    return result.kind === 'failure' ? learn(result) : result;
  }

  function generate(request: ModelRequest): Promise<ModelReply | ModelFailure> {
    return ask(
      request,
      () => textSendRequest(provider, request),
      (raw, usage) => toTextReply(provider, request, raw, usage),
    );
  }

  return Object.freeze({
    name: provider.name,
    real: true,
    local: provider.local,
    maxOutput: provider.maxOutput,
    contextWindow: provider.contextWindow,
    maxInput: provider.ceiling.maxTokens,
    ...(provider.dialogue.thinking !== undefined && { thinking: provider.dialogue.thinking }),
    generate,
    async reply(request: DialogueRequest) {
      if (provider.dialogue.takesTools?.() === false)
        return replyAsText({ name: provider.name, generate }, request);
      return ask(
        request,
        () => dialogueSendRequest(provider, request),
        (raw, usage) => toDialogueReply(provider, request, raw, usage),
      );
    },
  });
}

function textSendRequest(provider: ProviderModel, request: ModelRequest): SendRequest {
  return {
    options: callOptions(provider, request),
    maxOutputTokens: Math.min(request.maxOutputTokens, provider.maxOutput),
    echoedBytes: Buffer.byteLength(JSON.stringify(request.schema?.json ?? null)),
    onText: request.onText,
  };
}

function callOptions(provider: ProviderModel, request: ModelRequest): LanguageModelV4CallOptions {
  const hasNativeSchema = request.schema !== undefined && provider.takesSchema();
  const requestWithSchema = hasNativeSchema ? request : withSchemaText(request);
  const cachedMessages = requestWithSchema.messages.filter((message) => message.cache).slice(-maxCacheMarks);
  const providerOptions = provider.providerOptions?.(request);
  return {
    prompt: requestWithSchema.messages.map((message) =>
      toMessage(message, cachedMessages.includes(message) ? provider.cacheOptions : undefined),
    ),
    maxOutputTokens: Math.min(request.maxOutputTokens, provider.maxOutput),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(hasNativeSchema &&
      request.schema && {
        responseFormat: { type: 'json', name: request.schema.name, schema: request.schema.json },
      }),
    ...(request.idempotencyKey !== undefined && { headers: { 'idempotency-key': request.idempotencyKey } }),
    ...(providerOptions && { providerOptions }),
  };
}

function toMessage(
  message: ModelRequest['messages'][number],
  cacheOptions: SharedV4ProviderOptions | undefined,
): LanguageModelV4Message {
  const options = cacheOptions && { providerOptions: cacheOptions };
  return message.role === 'system'
    ? { role: 'system', content: message.text, ...options }
    : { role: message.role, content: [{ type: 'text', text: message.text, ...options }] };
}

function toTextReply(
  provider: ProviderModel,
  request: ModelRequest,
  raw: RawReply,
  reported: Usage | undefined,
): ModelReply {
  if (reported) provider.ceiling.learn(request, reported.input);
  return Object.freeze({
    kind: 'reply',
    text: removeKnownSecrets(raw.text, provider.errorContext.secrets),
    usage: reported ?? estimateUsage(request, raw.text),
    stop: stopReasons[raw.finishReason.unified] ?? 'other',
    model: raw.model ?? provider.name,
    ...(raw.overran && { overran: true as const }),
  });
}

const stopReasons: Readonly<Record<string, ModelReply['stop']>> = {
  stop: 'end',
  length: 'length',
  'content-filter': 'refusal',
};

/** Undefined if no usage, or an impossible one, was reported: no request has an empty input. */
function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const toCount = (tokens: number | undefined): number => (isCount(tokens) ? Math.ceil(tokens) : 0);
  const input = toCount(inputTokens.total);
  if (input === 0 || !isCount(outputTokens.total)) return undefined;
  return Object.freeze({
    input,
    output: toCount(outputTokens.total),
    cacheRead: toCount(inputTokens.cacheRead),
    cacheWrite: toCount(inputTokens.cacheWrite),
    estimated: false,
  });
}

/** More than a billion is not a count of tokens. */
function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && tokens >= 0 && tokens <= 1e9;
}
