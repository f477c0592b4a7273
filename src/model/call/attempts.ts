/** A request to a model as a step: reserved, tried again where a failure may pass, its reply recorded before it is used. */
import type { Amounts, BudgetEnd, Clock, Step, StepWork } from '../../core/index.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from '../model.ts';
import { type Cost, costOf, type Prices } from '../prices.ts';
import { failedEvent, repliedEvent } from './attempt-events.ts';
import { backoffMs, defaultRetry, type RetryPolicy } from './backoff.ts';
import {
  type AttemptCost,
  costOfReply,
  minUsefulOutput,
  payableOutput,
  reservationFor,
  wholeReservation,
} from './reserve-call.ts';
import { unknownPriceRemedy } from './unknown-price.ts';

/** The options of an attempt, which differ from run to run. */
export interface AttemptOptions {
  /** Number of the step of the run, for the log. */
  readonly number: number;
  /** Its purpose in one or two words, for the log. */
  readonly name: string;
  /** The pool that pays, below that of the run. */
  readonly pool?: StepWork<unknown>['pool'];
  /** May use the reserve for the final answer. */
  readonly final?: boolean;
  /** Whose requests these are, such as a run: keys are unique only within it. */
  readonly scope?: string;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly clock: Clock;
  /** 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds since the epoch: attempts end by then, and nothing is tried again. */
  readonly deadline?: number;
  /** The end of the run's time, where that caused a timeout. */
  readonly timeRefusal?: () => BudgetEnd | null;
  /**
   * Whether a temporary failure ends only this process and is not recorded, so that a resumed run asks again. `always`:
   * any failure, for callers where a person resumes after fixing it.
   */
  readonly resumable?: boolean | 'always';
  /** A failed attempt is followed by another only if it cost nothing: one of unknown cost books all that it reserved. */
  readonly retryOnlyIfFree?: boolean;
  readonly timeoutMs: number;
  /** The caller's wish to stop; the run's own ends the request, too. */
  readonly signal?: AbortSignal;
}

export type AttemptResult<Reply> =
  | { readonly kind: 'replied'; readonly reply: Reply; readonly recalled: boolean }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'cancelled' }
  | BudgetEnd;

/** Tokens that are asked for. */
export interface Wish {
  /** Estimated as if nothing were cached, since the cache may have expired. */
  readonly input: number;
  /** Thinking included. */
  readonly output: number;
  readonly thinking: number;
}

export type SendLimits = Pick<
  ModelRequest,
  'maxOutputTokens' | 'timeoutMs' | 'maxMs' | 'signal' | 'idempotencyKey'
>;

/** The fields of a reply that settling an attempt needs. */
type BillableReply = Pick<ModelReply, 'kind' | 'usage' | 'usd' | 'cursor' | 'overran'>;

export interface Sending<Reply extends BillableReply> {
  /** Counted anew each time: calls that ended meanwhile may have shown more about the tokenizer. */
  wish(): Wish;
  send(limits: SendLimits): Promise<Reply | ModelFailure>;
  /** The text for the log. */
  text(reply: Reply): string;
  /**
   * Called once where the pool can't pay: true if something was learned, so that a smaller request can be tried.
   */
  learn?(short: BudgetEnd): Promise<boolean>;
}

/** The outcome of a step. A failure that may pass is not recorded, except the last one. */
type AttemptOutcome<Reply> =
  | Reply
  | {
      readonly kind: 'failed';
      readonly failure: ModelFailure;
      /** Milliseconds until the next attempt, or null if there is none. */
      readonly retryInMs: number | null;
    }
  | { readonly kind: 'late'; readonly exhausted: BudgetEnd };

type AttemptFailure = Exclude<AttemptOutcome<never>, never>;

/** `key` is the same each time the run is replayed or resumed. */
export async function attempts<Reply extends BillableReply>(
  step: Step,
  key: string,
  model: Model,
  sending: Sending<Reply>,
  options: AttemptOptions,
): Promise<AttemptResult<Reply>> {
  for (let attempt = 1; ; attempt += 1) {
    const stepped = await step(key, attemptOf(key, attempt, model, sending, options));
    if (stepped.kind !== 'done') return stepped;
    const { value, recalled } = stepped;
    if (isReply(value)) {
      if (recalled) model.onRecall?.(value);
      return { kind: 'replied', reply: value, recalled };
    }
    if (value.kind === 'late') return value.exhausted;
    if (value.retryInMs === null) return { kind: 'failed', failure: value.failure };
    await options.sleep(value.retryInMs, options.signal);
  }
}

function isReply<Reply extends BillableReply>(came: Reply | AttemptFailure): came is Reply {
  return came.kind === 'reply';
}

function attemptOf<Reply extends BillableReply>(
  key: string,
  attempt: number,
  model: Model,
  sending: Sending<Reply>,
  options: AttemptOptions,
): StepWork<Reply | AttemptFailure> {
  const { clock, final = false, pool, number } = options;
  const cost = costOf(model, options.prices);
  const call = `${key}/attempt-${attempt}`;
  let granted = sending.wish();
  let reserved: Amounts = {};
  let learned = sending.learn === undefined;
  const wishFor = () => {
    granted = sending.wish();
    return reservationFor(granted.input, granted.output, cost);
  };
  return {
    cost: wishFor,
    async smallerRequest(refused) {
      const output = payableOutput(refused, granted.input, granted.output, cost);
      const min = Math.min(granted.output, minUsefulOutput + granted.thinking);
      if (output !== undefined && output >= min && output < granted.output) {
        granted = { ...granted, output };
        return reservationFor(granted.input, output, cost);
      }
      if (learned) return null;
      learned = true;
      return (await sending.learn?.(refused)) ? wishFor() : null;
    },
    remedy: (refused) => unknownPriceRemedy(refused, model, cost),
    final,
    ...(pool && { pool }),
    startEvent(amounts) {
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
      const answer = await sending.send(limitsOf(key, granted, options, signal));
      const wallMs = clock.now() - started;
      if (answer.kind === 'reply') {
        const spent = costOfReply(answer, cost, reserved);
        const told = { number, call, reserved, spent, wallMs, text: sending.text(answer) };
        // The reply is paid for, so it is kept even if the run was cancelled meanwhile.
        return {
          value: answer,
          spent: amountsToSettle(spent),
          events: [[`${call}/replied`, repliedEvent(answer, told)]],
          keepIfCancelled: true,
        };
      }
      const attemptFailure = toFailed(answer, attempt, options);
      const spent = failureCost(answer, cost, reserved);
      return {
        value: attemptFailure,
        spent: amountsToSettle(spent),
        events: [[`${call}/failed`, failedEvent(answer, { number, call, reserved, spent })]],
        record:
          attemptFailure.kind === 'late' ||
          (attemptFailure.retryInMs === null && !isLeftOpen(answer, options)),
      };
    },
  };
}

function limitsOf(
  key: string,
  { output, thinking }: Wish,
  { timeoutMs, deadline, clock, scope, signal: asked }: AttemptOptions,
  signal: AbortSignal,
): SendLimits {
  const left = deadline === undefined ? Infinity : Math.max(1, deadline - clock.now());
  return {
    maxOutputTokens: output - thinking,
    timeoutMs: Math.max(1, Math.min(timeoutMs, left)),
    ...(Number.isFinite(left) && { maxMs: left }),
    signal: asked === undefined ? signal : AbortSignal.any([signal, asked]),
    idempotencyKey: scope === undefined ? key : `${scope}/${key}`,
  };
}

/** Not recorded, so that a resumed run asks again: the failure may have passed. */
function isLeftOpen(
  { retryable, code }: ModelFailure,
  { resumable = false }: Pick<AttemptOptions, 'resumable'>,
): boolean {
  if (code === 'cancelled' || resumable === 'always') return true;
  return resumable && (retryable || code === 'timeout');
}

function toFailed(failure: ModelFailure, attempt: number, options: AttemptOptions): AttemptFailure {
  // A step that ends with its pool's time counts as cancelled.
  const stopped = failure.code === 'timeout' || (failure.code === 'cancelled' && !options.signal?.aborted);
  const late = stopped ? (options.timeRefusal?.() ?? null) : null;
  if (late !== null) return { kind: 'late', exhausted: late };
  return { kind: 'failed', failure, retryInMs: waitAfter(failure, attempt, options) };
}

function waitAfter(
  failure: ModelFailure,
  tries: number,
  {
    retry = defaultRetry,
    signal,
    clock,
    deadline = Infinity,
    random,
    timeoutMs,
    retryOnlyIfFree = false,
  }: AttemptOptions,
): number | null {
  if (signal?.aborted || (retryOnlyIfFree && failure.usage !== 'none')) return null;
  // A request that hung is sent once more, where there is time for an answer.
  if (failure.code === 'timeout' && tries === 1)
    return Number.isFinite(deadline) && deadline - clock.now() >= timeoutMs / 4 ? 0 : null;
  if (!failure.retryable || tries >= retry.attempts) return null;
  const wait = backoffMs(retry, tries, random, failure.retryAfterMs);
  return wait === null || clock.now() + wait >= deadline ? null : wait;
}

function failureCost({ usage }: ModelFailure, cost: Cost, reserved: Amounts): AttemptCost {
  if (usage === 'none') return { amounts: {}, unknown: [] };
  return usage === 'unknown' ? wholeReservation(reserved) : costOfReply({ usage }, cost, reserved);
}

function amountsToSettle({ amounts, unknown }: AttemptCost): Amounts | 'unknown' {
  return unknown.includes('tokens') && unknown.includes('usd') ? 'unknown' : amounts;
}
