/** A reply of a model as a step: what is appended to the dialogue is what the journal holds. */
import type { Amounts, Clock, Exhausted, Step } from '../../core/index.ts';
import { backoffMs, defaultRetry, type RetryPolicy } from '../backoff.ts';
import { byteCeiling } from '../input-ceiling.ts';
import { overspent } from '../log-call.ts';
import type { Spent } from '../meter.ts';
import type { Model, ModelFailure } from '../model.ts';
import { type Cost, costOf, type Prices } from '../prices.ts';
import {
  outputRoom,
  payableOutput,
  reservationFor,
  smallestUsefulOutput,
  spentOn,
  wholeReservation,
} from '../reserve-call.ts';
import type { Dialogue } from './dialogue.ts';
import { asTextRequest, replyInText } from './in-text.ts';
import { measured, measuredSince } from './measure.ts';
import type { DialogueReply, DialogueRequest } from './reply.ts';
import { failedEvent, repliedEvent } from './turn-events.ts';

export interface TurnOptions
  extends Pick<DialogueRequest, 'maxOutputTokens' | 'timeoutMs' | 'must' | 'onText' | 'signal'> {
  /** Of the run, for the log. */
  readonly number: number;
  /** What the turn is for, in a word or two, for the log. */
  readonly name: string;
  /** May use what is kept back for the end. */
  readonly final?: boolean;
  /** Of whose turns this is one, such as a run: keys are unique within it alone. */
  readonly scope: string;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly clock: Clock;
  /** 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds since the epoch: attempts end by then, and nothing is tried again. */
  readonly deadline?: number;
  /** The end of the run's time, where that is what a timeout came of. */
  readonly timeOver?: () => Exhausted | null;
  /** The dialogue begins with what was sent before, unchanged: no more than its tokens and those of the rest. */
  readonly before?: SentBefore;
  /** A failure that may pass ends this life alone, and is not recorded: the next one asks again. */
  readonly resumable?: boolean;
}

/** A dialogue that was sent, and what the provider counted of it. */
export interface SentBefore {
  readonly entries: number;
  /** Tokens of input, those of system text and tools included. */
  readonly input: number;
}

export type Turned =
  | { readonly kind: 'replied'; readonly reply: DialogueReply; readonly recalled: boolean }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'cancelled' }
  | Exhausted;

/** What a step of a turn came to. A failure that may pass is not recorded, but for the last one. */
type Came =
  | DialogueReply
  | {
      readonly kind: 'failed';
      readonly failure: ModelFailure;
      /** Milliseconds until the next attempt, or null where there is none. */
      readonly retryInMs: number | null;
    }
  | { readonly kind: 'late'; readonly exhausted: Exhausted };

/** Models that always think spend the output limit on it; one that was met is raised to this at least. Tokens. */
const roomToThink = 8_000;

/**
 * Reserved at the price without a hit of the cache, settled at what was reported; tried again where a failure may pass. A
 * reply that the output limit cut before it called anything is asked for once more with more room, and the cut one is
 * not part of the dialogue. `key` is the same each time the run is gone through.
 */
export async function turn(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
): Promise<Turned> {
  const first = await asked(step, key, model, dialogue, options);
  if (first.kind !== 'replied' || !isCutShort(first.reply)) return first;
  const maxOutputTokens = Math.max(options.maxOutputTokens * 2, roomToThink);
  return asked(step, `${key}/more`, model, dialogue, { ...options, maxOutputTokens });
}

/** It was stopped before it called anything. */
function isCutShort({ stop, parts, overran }: DialogueReply): boolean {
  return stop === 'length' && overran !== true && !parts.some(({ kind }) => kind === 'call');
}

async function asked(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
): Promise<Turned> {
  for (let attempt = 1; ; attempt += 1) {
    const stepped = await attemptOnce(step, key, attempt, model, dialogue, options);
    if (stepped.kind !== 'done') return stepped;
    const { value: came, recalled } = stepped;
    if (came.kind === 'late') return came.exhausted;
    if (came.kind === 'reply') {
      if (recalled) model.recalled?.(came);
      return { kind: 'replied', reply: came, recalled };
    }
    if (came.retryInMs === null) return { kind: 'failed', failure: came.failure };
    await options.sleep(came.retryInMs, options.signal);
  }
}

function attemptOnce(
  step: Step,
  key: string,
  attempt: number,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions,
) {
  const { clock, final = false, number } = options;
  const cost = costOf(model, options.prices);
  const size = sizeOf(model, dialogue, options);
  const call = `${key}/attempt-${attempt}`;
  const wish = () => wholeWish(model, size, mostInput(model, dialogue, size, options.before), options);
  let granted = wish();
  let reserved: Amounts = {};
  return step<Came>(key, {
    cost() {
      // Counted anew each time: the calls that ended may have told more of the tokenizer.
      granted = wish();
      return reservationFor(granted.input, granted.output, cost);
    },
    less(refused) {
      const output = payableOutput(refused, granted.input, granted.output, cost);
      const least = Math.min(granted.output, smallestUsefulOutput + granted.thinking);
      if (output === undefined || output < least || output >= granted.output) return null;
      granted = { ...granted, output };
      return reservationFor(granted.input, output, cost);
    },
    final,
    begun(amounts) {
      reserved = amounts;
      return {
        kind: 'model_called',
        step: number,
        call,
        model: model.name,
        signature: options.name,
        reserved,
      };
    },
    async run(signal) {
      const started = clock.now();
      const request = requestFor(key, dialogue, granted.output - granted.thinking, options, signal);
      const answer = await (model.reply?.(request) ?? replyInText(model, request));
      const wallMs = clock.now() - started;
      if (answer.kind === 'reply') {
        const spent = spentOn(answer, cost, reserved);
        const event = repliedEvent(answer, { number, call, reserved, spent, wallMs });
        // It is paid for: kept also where somebody cancelled meanwhile.
        return { value: answer, spent: settled(spent), events: [[`${call}/replied`, event]], keep: true };
      }
      const came = cameOf(answer, attempt, options);
      const failed = spentOnFailure(answer, cost, reserved);
      return {
        value: came,
        spent: settled(failed),
        events: [
          [
            `${call}/failed`,
            { ...failedEvent(answer, number, call), ...overspent(reserved, failed.amounts) },
          ],
        ],
        record: came.kind === 'late' || (came.retryInMs === null && !isLeftOpen(answer, options)),
      };
    },
  });
}

/** A run that can be taken up again asks again then, where the failure may have passed. */
function isLeftOpen({ retryable, code }: ModelFailure, { resumable = false }: TurnOptions): boolean {
  return resumable && (retryable || code === 'timeout');
}

function requestFor(
  key: string,
  dialogue: Dialogue,
  maxOutputTokens: number,
  { timeoutMs, deadline, clock, must, onText, scope }: TurnOptions,
  signal: AbortSignal,
): DialogueRequest {
  const left = deadline === undefined ? Infinity : Math.max(1, deadline - clock.now());
  return {
    dialogue,
    maxOutputTokens,
    timeoutMs: Math.max(1, Math.min(timeoutMs, left)),
    ...(Number.isFinite(left) && { longestMs: left }),
    signal,
    cacheKey: scope,
    idempotencyKey: `${scope}/${key}`,
    ...(must !== undefined && { must }),
    ...(onText && { onText }),
  };
}

type Size = ReturnType<typeof measured>;

function sizeOf(
  model: Model,
  dialogue: Dialogue,
  { maxOutputTokens, timeoutMs }: Pick<TurnOptions, 'maxOutputTokens' | 'timeoutMs'>,
): Size {
  return model.reply ? measured(dialogue) : asTextRequest({ dialogue, maxOutputTokens, timeoutMs });
}

/** What a turn is reserved at. */
export function turnCost(
  model: Model,
  dialogue: Dialogue,
  options: Pick<TurnOptions, 'maxOutputTokens' | 'timeoutMs' | 'prices' | 'before'>,
): Amounts {
  const size = sizeOf(model, dialogue, options);
  const most = mostInput(model, dialogue, size, options.before);
  const { input, output } = wholeWish(model, size, most, options);
  return reservationFor(input, output, costOf(model, options.prices));
}

/** What the provider counted holds for what was sent; a tokenizer that is not known has to be guessed for the rest alone. */
function mostInput(model: Model, dialogue: Dialogue, size: Size, before: SentBefore | undefined): number {
  const ceiling = (request: Parameters<typeof byteCeiling>[0]) =>
    model.maxInput?.(request) ?? byteCeiling(request);
  const whole = ceiling(size);
  if (before === undefined || !model.reply) return whole;
  return Math.min(whole, before.input + ceiling(measuredSince(dialogue, before.entries)));
}

interface Wish {
  /** As if nothing of it were cached: what was sent before may have left the cache. Tokens, as all here. */
  readonly input: number;
  /** What is thought is part of it. */
  readonly output: number;
  readonly thinking: number;
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

function cameOf(failure: ModelFailure, attempt: number, options: TurnOptions): Exclude<Came, DialogueReply> {
  // A step that ends with its pool's time is stopped like one that somebody stopped.
  const stopped = failure.code === 'timeout' || (failure.code === 'cancelled' && !options.signal?.aborted);
  const late = stopped ? (options.timeOver?.() ?? null) : null;
  if (late !== null) return { kind: 'late', exhausted: late };
  return { kind: 'failed', failure, retryInMs: waitAfter(failure, attempt, options) };
}

function waitAfter(
  failure: ModelFailure,
  tries: number,
  { retry = defaultRetry, signal, clock, deadline = Infinity, random, timeoutMs }: TurnOptions,
): number | null {
  if (signal?.aborted) return null;
  // One that hung is asked once more, where there is time for an answer.
  if (failure.code === 'timeout' && tries === 1)
    return Number.isFinite(deadline) && deadline - clock.now() >= timeoutMs / 4 ? 0 : null;
  if (!failure.retryable || tries >= retry.attempts) return null;
  const wait = backoffMs(retry, tries, random, failure.retryAfterMs);
  return wait === null || clock.now() + wait >= deadline ? null : wait;
}

function spentOnFailure({ usage }: ModelFailure, cost: Cost, reserved: Amounts): Spent {
  if (usage === 'none') return { amounts: {}, unknown: [] };
  return usage === 'unknown' ? wholeReservation(reserved) : spentOn({ usage }, cost, reserved);
}

function settled({ amounts, unknown }: Spent): Amounts | 'unknown' {
  return unknown.includes('tokens') && unknown.includes('usd') ? 'unknown' : amounts;
}
