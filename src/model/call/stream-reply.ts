/** Reads a streamed reply, and stops it once it exceeds the requested length. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { removeKnownSecrets } from '../../core/index.ts';
import type { ModelFailure } from '../model.ts';
import { WholeAnswer } from './bounded-fetch.ts';
import { type FailureContext, failure } from './failure.ts';
import { outputGauge } from './output-gauge.ts';
import { causes, providerFailure } from './provider-error.ts';
import { contentReader } from './stream-content.ts';
import { noReport, type RawReply, wholeReply } from './whole-reply.ts';

/** Wraps an error thrown by a listener: a bug of the caller, which is rethrown unchanged. */
export class ListenerError extends Error {}

export interface Streaming {
  readonly open: (fetch: typeof globalThis.fetch) => LanguageModelV4;
  readonly fetch: typeof globalThis.fetch;
  readonly options: LanguageModelV4CallOptions;
  readonly maxOutputTokens: number;
  readonly trouble: Omit<FailureContext, 'said'>;
  readonly now: () => number;
  /** Called with each piece that was read, reasoning included. */
  readonly told: (piece: string) => void;
  /** Called for each piece of text. */
  readonly heard: () => void;
  readonly onText?: (piece: string) => void;
}

export async function readStreamedReply(streaming: Streaming): Promise<RawReply | ModelFailure> {
  const { open, fetch, options, trouble, now } = streaming;
  try {
    const { stream } = await open(fetch).doStream(options);
    return await read(stream, streaming);
  } catch (thrown) {
    const whole = causes(thrown).find((cause) => cause instanceof WholeAnswer);
    if (whole === undefined) throw thrown;
    // The request was answered: the answer is read in the other way, without asking again.
    const raw = await wholeReply(
      open(async () => whole.response),
      options,
    );
    tell(raw.text, streaming);
    return raw;
  }

  async function read(
    stream: ReadableStream<LanguageModelV4StreamPart>,
    { maxOutputTokens, heard, told }: Streaming,
  ): Promise<RawReply | ModelFailure> {
    const gauge = outputGauge(maxOutputTokens);
    const { content, take } = contentReader();
    let text = '';
    let model: string | undefined;
    let end: Pick<RawReply, 'usage' | 'finishReason'> | undefined;
    // Leaving the loop cancels the stream, and with it the connection.
    for await (const part of stream) {
      const piece = pieceOf(part);
      if (piece !== '') {
        heard();
        told(piece);
      }
      if (piece !== '' && gauge.add(piece))
        return {
          text,
          content,
          model,
          usage: noReport,
          finishReason: { unified: 'length', raw: undefined },
          overran: true,
        };
      take(part);
      if (part.type === 'text-delta') {
        text += part.delta;
        tell(part.delta, streaming);
      } else if (part.type === 'response-metadata') model = part.modelId ?? model;
      else if (part.type === 'finish') end = part;
      else if (part.type === 'error') return providerFailure(part.error, trouble, now(), true);
    }
    if (end) return { text, content, model, usage: end.usage, finishReason: end.finishReason };
    return failure('bad_response', { ...trouble, said: 'the stream ended before the answer did' }, 'unknown');
  }
}

/** All output is paid for, including what nobody is shown. */
function pieceOf(part: LanguageModelV4StreamPart): string {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-input-delta'
    ? part.delta
    : '';
}

function tell(text: string, { onText, trouble }: Streaming): void {
  try {
    onText?.(removeKnownSecrets(text, trouble.secrets));
  } catch (thrown) {
    throw new ListenerError('the listener threw', { cause: thrown });
  }
}
