/** A reply of a model as a step: the journal holds exactly what is appended to the dialogue. */
import type { Amounts, Step } from '../../core/index.ts';
import { type AttemptOptions, type AttemptResult, attempts, type Wish } from '../call/attempts.ts';
import { outputRoom, reservationFor } from '../call/reserve-call.ts';
import type { Model } from '../model.ts';
import { costOf } from '../prices.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import type { Dialogue } from './dialogue.ts';
import { asTextRequest, replyInText } from './in-text.ts';
import { measure, measureSince } from './measure.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { partsAsText } from './tags.ts';

export interface TurnOptions
  extends AttemptOptions,
    Pick<DialogueRequest, 'maxOutputTokens' | 'must' | 'onText'> {
  readonly scope: string;
  /** The dialogue begins with what was sent before, unchanged: at most its tokens and those of the rest. */
  readonly before?: SentBefore;
}

/** A dialogue as it was sent, with the provider's token counts. */
export interface SentBefore {
  readonly entries: number;
  /** Tokens of input, those of system text and tools included. */
  readonly input: number;
}

export type TurnAttempt = AttemptResult<DialogueReply>;

/**
 * Models that always think spend the output limit on it: a limit that was reached is raised to this at least. Tokens.
 */
const roomToThink = 8_000;

/**
 * Runs one turn. It is reserved at the price without a cache hit, settled at what the provider reported, and tried
 * again after a temporary failure. A reply that the output limit cut off before any call is requested once more with
 * more room, and the cut one is dropped. `key` is the same each time the run is resumed.
 */
export async function turn(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
): Promise<TurnAttempt> {
  const first = await ask(step, key, model, dialogue, options);
  if (first.kind !== 'replied' || !isCutShort(first.reply)) return first;
  const maxOutputTokens = Math.max(options.maxOutputTokens * 2, roomToThink);
  return ask(step, `${key}/more`, model, dialogue, { ...options, maxOutputTokens });
}

/** Whether the reply was stopped by its length before it called anything. */
function isCutShort({ stop, parts, overran }: DialogueReply): boolean {
  return stop === 'length' && overran !== true && !parts.some(({ kind }) => kind === 'call');
}

function ask(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
): Promise<TurnAttempt> {
  const { must, onText, scope } = options;
  const size = sizeOf(model, dialogue, options);
  return attempts<DialogueReply>(
    step,
    key,
    model,
    {
      wish: () => wholeWish(model, size, maxInput(model, dialogue, size, options.before), options),
      send(limits) {
        const request: DialogueRequest = {
          dialogue,
          ...limits,
          cacheKey: scope,
          ...(must !== undefined && { must }),
          ...(onText && { onText }),
        };
        return model.reply?.(request) ?? replyInText(model, request);
      },
      text: ({ parts }) => partsAsText(parts),
    },
    options,
  );
}

type Size = ReturnType<typeof measure>;

function sizeOf(
  model: Model,
  dialogue: Dialogue,
  { maxOutputTokens, timeoutMs }: Pick<TurnOptions, 'maxOutputTokens' | 'timeoutMs'>,
): Size {
  return model.reply ? measure(dialogue) : asTextRequest({ dialogue, maxOutputTokens, timeoutMs });
}

/** The amount reserved for a turn. */
export function turnCost(
  model: Model,
  dialogue: Dialogue,
  options: Pick<TurnOptions, 'maxOutputTokens' | 'timeoutMs' | 'prices' | 'before'>,
): Amounts {
  const size = sizeOf(model, dialogue, options);
  const max = maxInput(model, dialogue, size, options.before);
  const { input, output } = wholeWish(model, size, max, options);
  return reservationFor(input, output, costOf(model, options.prices));
}

/** The provider's count covers what was sent before; only the rest has to be guessed for an unknown tokenizer. */
function maxInput(model: Model, dialogue: Dialogue, size: Size, before: SentBefore | undefined): number {
  const ceiling = (request: Parameters<typeof byteCeiling>[0]) =>
    model.maxInput?.(request) ?? byteCeiling(request);
  const whole = ceiling(size);
  if (before === undefined || !model.reply) return whole;
  return Math.min(whole, before.input + ceiling(measureSince(dialogue, before.entries)));
}

function wholeWish(
  model: Model,
  size: Size,
  input: number,
  { maxOutputTokens }: Pick<TurnOptions, 'maxOutputTokens'>,
): Wish {
  const { thinking = 0, contextWindow, maxOutput } = model;
  const output = outputRoom(
    { ...size, maxOutputTokens },
    { contextWindow: contextWindow - thinking, maxOutput },
    input,
  );
  return { input, output: output + thinking, thinking };
}
