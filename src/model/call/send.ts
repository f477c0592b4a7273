/** One request over the AI SDK's provider interface, within the bounds of what was reserved for it. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { removeKnownSecrets } from '../../core/index.ts';
import type { ModelFailure } from '../model.ts';
import { boundFetch, maxResponse } from './bounded-fetch.ts';
import type { FailureContext } from './failure.ts';
import { readStreamedReply } from './stream-reply.ts';
import { type RawReply, wholeReply } from './whole-reply.ts';
import { wireGauge } from './wire-gauge.ts';

/** Sends requests to a provider. */
export interface Sender {
  /** The library's model over a fetch, which differs from call to call. */
  readonly open: (fetch: typeof globalThis.fetch) => LanguageModelV4;
  readonly fetch: typeof globalThis.fetch;
  /** The stream's events repeat schema and tools, and at the end the whole reply. */
  readonly echoesSchema: boolean;
  /** False once the server has refused to stream: a reply then can't be stopped on its way. */
  readonly streams?: () => boolean;
}

export interface Sending {
  readonly options: LanguageModelV4CallOptions;
  /** The output limit, thinking included. */
  readonly maxOutputTokens: number;
  /** Bytes of the request that the events of the reply repeat. */
  readonly echoedBytes: number;
  readonly onText?: ((piece: string) => void) | undefined;
}

export interface Listening {
  readonly signal: AbortSignal;
  /** Called for each piece of text. */
  readonly heard: () => void;
  readonly now: () => number;
}

/** Between the last event of a stream and its end. Milliseconds. */
const afterEnd = 1_000;
/** Bytes of an answer that comes whole: what was asked for, and its envelope. */
const bytesOf = { token: 8, envelope: 49_152 };
/** The first two events and the last one repeat parts of the request; the last four repeat the reply. */
const repeated = { request: 3, text: 4 };

/** Every reply is streamed, so that it can be stopped where it exceeds its reservation. */
export async function send(
  { open, fetch, echoesSchema, streams }: Sender,
  { options, maxOutputTokens, echoedBytes, onText }: Sending,
  trouble: Omit<FailureContext, 'said'>,
  { signal, heard, now }: Listening,
): Promise<RawReply | ModelFailure> {
  const echo = echoesSchema ? echoedBytes : 0;
  const whole = bytesOf.envelope + bytesOf.token * maxOutputTokens + echo;
  const wire = wireGauge({
    maxTokens: maxOutputTokens,
    echo: repeated.request * echo,
    repeats: echoesSchema ? repeated.text : 0,
  });
  const bounds = { whole, wire, afterEnd };
  const given = { ...options, abortSignal: signal };
  if (streams?.() === false) {
    const answer = Math.min(whole, maxResponse);
    const raw = await wholeReply(open(boundFetch(fetch, { ...bounds, answer })), given);
    onText?.(removeKnownSecrets(raw.text, trouble.secrets));
    return raw;
  }
  return readStreamedReply({
    open,
    fetch: boundFetch(fetch, { ...bounds, answer: maxResponse }),
    options: given,
    told: wire.addPiece,
    maxOutputTokens,
    trouble,
    now,
    heard,
    ...(onText && { onText }),
  });
}
