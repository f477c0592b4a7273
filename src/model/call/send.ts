/** Sends one request over the AI SDK's provider interface, within the bounds of its reservation. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { removeKnownSecrets } from '../../core/index.ts';
import type { ModelFailure } from '../model.ts';
import { limitFetch, maxResponse } from './bounded-fetch.ts';
import type { FailureContext } from './failure.ts';
import { readStreamedReply } from './stream-reply.ts';
import { type RawReply, readWholeReply } from './whole-reply.ts';
import { wireGauge } from './wire-gauge.ts';

/** Sends requests to a provider. */
export interface Sender {
  /** The library's model over a fetch, which differs from call to call. */
  readonly open: (fetch: typeof globalThis.fetch) => LanguageModelV4;
  readonly fetch: typeof globalThis.fetch;
  /** Whether the events of the stream repeat schema and tools, and at the end the whole reply. */
  readonly echoesSchema: boolean;
  /** False once the server has refused to stream: a reply then can't be stopped on its way. */
  readonly streams?: () => boolean;
}

export interface SendRequest {
  readonly options: LanguageModelV4CallOptions;
  /** The output limit, thinking included. */
  readonly maxOutputTokens: number;
  /** Bytes of the request that the events of the reply repeat. */
  readonly echoedBytes: number;
  readonly onText?: ((piece: string) => void) | undefined;
}

export interface StreamListener {
  readonly signal: AbortSignal;
  /** Called for each piece of output, reasoning included. */
  readonly onProgress: () => void;
  readonly now: () => number;
}

/** How long a stream may stay open after its last event. Milliseconds. */
const afterEndMs = 1_000;
/** Maximum bytes of an answer that is not streamed: for each output token, and for its envelope. */
const wholeReplyBytes = { token: 8, envelope: 49_152 };
/** How often the events repeat the request (the first two and the last) and the reply (the last four). */
const eventRepeats = { request: 3, text: 4 };

/** Streams every reply, so that it can be stopped when it exceeds its reservation. */
export async function send(
  { open, fetch, echoesSchema, streams }: Sender,
  { options, maxOutputTokens, echoedBytes, onText }: SendRequest,
  context: Omit<FailureContext, 'detail'>,
  { signal, onProgress, now }: StreamListener,
): Promise<RawReply | ModelFailure> {
  const echoBytes = echoesSchema ? echoedBytes : 0;
  const maxWholeBytes = wholeReplyBytes.envelope + wholeReplyBytes.token * maxOutputTokens + echoBytes;
  const gauge = wireGauge({
    maxTokens: maxOutputTokens,
    echo: eventRepeats.request * echoBytes,
    repeats: echoesSchema ? eventRepeats.text : 0,
  });
  const bounds = { whole: maxWholeBytes, wire: gauge, afterEnd: afterEndMs };
  const callOptions = { ...options, abortSignal: signal };
  if (streams?.() === false) {
    const answer = Math.min(maxWholeBytes, maxResponse);
    const raw = await readWholeReply(open(limitFetch(fetch, { ...bounds, answer })), callOptions);
    onText?.(removeKnownSecrets(raw.text, context.secrets));
    return raw;
  }
  return readStreamedReply({
    open,
    fetch: limitFetch(fetch, { ...bounds, answer: maxResponse }),
    options: callOptions,
    onPiece: gauge.addPiece,
    maxOutputTokens,
    context,
    now,
    onProgress,
    ...(onText && { onText }),
  });
}
