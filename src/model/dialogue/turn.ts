/** Requests a reply of a model as a step. The journal holds exactly what is appended to the dialogue. */
import type { Amounts, Step } from '../../core/index.ts';
import {
  type AttemptOptions,
  type AttemptResult,
  type RequestedTokens,
  runAttempts,
} from '../call/attempts.ts';
import { outputRoom, reservationFor } from '../call/reserve-call.ts';
import type { Model } from '../model.ts';
import { costOf } from '../prices.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import type { Dialogue } from './dialogue.ts';
import { measure, measureSince } from './measure.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { formatParts } from './tags.ts';
import { replyAsText, toTextRequest } from './text-dialogue.ts';

export interface TurnOptions
  extends AttemptOptions,
    Pick<DialogueRequest, 'maxOutputTokens' | 'must' | 'onText'> {
  readonly scope: string;
  /**
   * The beginning of the dialogue that was sent before, unchanged, with its token count. Only the rest is estimated.
   */
  readonly sentBefore?: SentBefore;
}

/** A dialogue as it was sent, with the provider's token counts. */
export interface SentBefore {
  readonly entries: number;
  /** Tokens of input, those of system text and tools included. */
  readonly input: number;
}

export type TurnAttempt = AttemptResult<DialogueReply>;

/** Models that always think may use up the output limit. The second attempt gets at least this limit. Tokens. */
const minThinkingOutput = 8_000;

/**
 * Runs one turn. It is reserved at the price without a cache hit, settled at what the provider reported, and tried
 * again after a temporary failure. A reply that the output limit cut off before any call is requested once more with
 * more room, and the cut one is dropped. `key` is the same each time the run is resumed.
 */
export async function requestTurn(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
): Promise<TurnAttempt> {
  const first = await requestReply(step, key, model, dialogue, options);
  if (first.kind !== 'replied' || !isCutShort(first.reply)) return first;
  const maxOutputTokens = Math.max(options.maxOutputTokens * 2, minThinkingOutput);
  return requestReply(step, `${key}/more`, model, dialogue, { ...options, maxOutputTokens });
}

/** Whether the reply was stopped by its length before it called anything. */
function isCutShort({ stop, parts, overran }: DialogueReply): boolean {
  return stop === 'length' && overran !== true && !parts.some(({ kind }) => kind === 'call');
}

function requestReply(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
): Promise<TurnAttempt> {
  const { must, onText, scope } = options;
  const size = measureRequest(model, dialogue, options);
  return runAttempts<DialogueReply>(
    step,
    key,
    model,
    {
      requestedTokens: () =>
        requestTokens(model, size, computeMaxInput(model, dialogue, size, options.sentBefore), options),
      send(limits) {
        const request: DialogueRequest = {
          dialogue,
          ...limits,
          cacheKey: scope,
          ...(must !== undefined && { must }),
          ...(onText && { onText }),
        };
        return model.reply?.(request) ?? replyAsText(model, request);
      },
      text: ({ parts }) => formatParts(parts),
    },
    options,
  );
}

type Size = ReturnType<typeof measure>;

function measureRequest(
  model: Model,
  dialogue: Dialogue,
  { maxOutputTokens, timeoutMs }: Pick<TurnOptions, 'maxOutputTokens' | 'timeoutMs'>,
): Size {
  return model.reply ? measure(dialogue) : toTextRequest({ dialogue, maxOutputTokens, timeoutMs });
}

/** The amount reserved for a turn. */
export function turnCost(
  model: Model,
  dialogue: Dialogue,
  options: Pick<TurnOptions, 'maxOutputTokens' | 'timeoutMs' | 'prices' | 'sentBefore'>,
): Amounts {
  const size = measureRequest(model, dialogue, options);
  const maxInput = computeMaxInput(model, dialogue, size, options.sentBefore);
  const { input, output } = requestTokens(model, size, maxInput, options);
  return reservationFor(input, output, costOf(model, options.prices));
}

/** The provider's count covers what was sent before; only the rest has to be guessed for an unknown tokenizer. */
function computeMaxInput(
  model: Model,
  dialogue: Dialogue,
  size: Size,
  sentBefore: SentBefore | undefined,
): number {
  const ceilingOf = (request: Parameters<typeof byteCeiling>[0]) =>
    model.maxInput?.(request) ?? byteCeiling(request);
  const wholeCeiling = ceilingOf(size);
  if (sentBefore === undefined || !model.reply) return wholeCeiling;
  return Math.min(wholeCeiling, sentBefore.input + ceilingOf(measureSince(dialogue, sentBefore.entries)));
}

function requestTokens(
  model: Model,
  size: Size,
  input: number,
  { maxOutputTokens }: Pick<TurnOptions, 'maxOutputTokens'>,
): RequestedTokens {
  const { thinking = 0, contextWindow, maxOutput } = model;
  const output = outputRoom(
    { ...size, maxOutputTokens },
    { contextWindow: contextWindow - thinking, maxOutput },
    input,
  );
  return { input, output: output + thinking, thinking };
}
