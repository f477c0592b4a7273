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
import { listCauses, providerFailure } from './provider-error.ts';
import { contentReader } from './stream-content.ts';
import { noReportedUsage, type RawReply, readWholeReply } from './whole-reply.ts';

/** Wraps an error thrown by a listener: a bug of the caller, which is rethrown unchanged. */
export class ListenerError extends Error {}

export interface StreamRequest {
  readonly open: (fetch: typeof globalThis.fetch) => LanguageModelV4;
  readonly fetch: typeof globalThis.fetch;
  readonly options: LanguageModelV4CallOptions;
  readonly maxOutputTokens: number;
  readonly context: Omit<FailureContext, 'detail'>;
  readonly now: () => number;
  /** Called with each piece that was read, reasoning included. */
  readonly onPiece: (piece: string) => void;
  /** Called for each piece of output, reasoning included. */
  readonly onProgress: () => void;
  readonly onText?: (piece: string) => void;
}

export async function readStreamedReply(request: StreamRequest): Promise<RawReply | ModelFailure> {
  const { open, fetch, options, context, now } = request;
  try {
    const { stream } = await open(fetch).doStream(options);
    return await read(stream, request);
  } catch (thrown) {
    const wholeAnswer = listCauses(thrown).find((cause) => cause instanceof WholeAnswer);
    if (wholeAnswer === undefined) throw thrown;
    // The request was answered: the answer is read in the other way, without asking again.
    const raw = await readWholeReply(
      open(async () => wholeAnswer.response),
      options,
    );
    passOnText(raw.text, request);
    return raw;
  }

  async function read(
    stream: ReadableStream<LanguageModelV4StreamPart>,
    { maxOutputTokens, onProgress, onPiece }: StreamRequest,
  ): Promise<RawReply | ModelFailure> {
    const gauge = outputGauge(maxOutputTokens);
    const { content, take } = contentReader();
    let text = '';
    let model: string | undefined;
    let finishPart: Pick<RawReply, 'usage' | 'finishReason'> | undefined;
    // Leaving the loop cancels the stream, and with it the connection.
    for await (const part of stream) {
      const piece = outputOf(part);
      if (piece !== '') {
        onProgress();
        onPiece(piece);
      }
      if (piece !== '' && gauge.add(piece))
        return {
          text,
          content,
          model,
          usage: noReportedUsage,
          finishReason: { unified: 'length', raw: undefined },
          overran: true,
        };
      take(part);
      if (part.type === 'text-delta') {
        text += part.delta;
        passOnText(part.delta, request);
      } else if (part.type === 'response-metadata') model = part.modelId ?? model;
      else if (part.type === 'finish') finishPart = part;
      else if (part.type === 'error') return providerFailure(part.error, context, now(), true);
    }
    if (finishPart)
      return { text, content, model, usage: finishPart.usage, finishReason: finishPart.finishReason };
    return failure(
      'bad_response',
      { ...context, detail: 'the stream ended before the answer did' },
      'unknown',
    );
  }
}

/** The output in a part of the stream. All output is paid for, including what nobody is shown. */
function outputOf(part: LanguageModelV4StreamPart): string {
  return part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-input-delta'
    ? part.delta
    : '';
}

function passOnText(text: string, { onText, context }: StreamRequest): void {
  try {
    onText?.(removeKnownSecrets(text, context.secrets));
  } catch (thrown) {
    throw new ListenerError('the listener threw', { cause: thrown });
  }
}
