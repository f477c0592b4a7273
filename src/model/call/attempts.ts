/**
 * Sends a request to a model as steps of a run: reserves each attempt, retries temporary failures, and records the
 * reply before it is used.
 */
import type { Amounts, BudgetEnd, Clock, Step, StepWork } from '../../core/index.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from '../model.ts';
import { type Cost, costOf, type Prices } from '../prices.ts';
import { createFailedEvent, createRepliedEvent } from './attempt-events.ts';
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
  /** The purpose of the call in one or two words, for the log. */
  readonly name: string;
  /** The pool that pays, below that of the run. */
  readonly pool?: StepWork<unknown>['pool'];
  /** May use the reserve for the final answer. */
  readonly final?: boolean;
  /** The owner of the requests, such as a run: keys are unique only within it. */
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
  /** The exhausted time budget, if that caused a timeout; null otherwise. */
  readonly timeRefusal?: () => BudgetEnd | null;
  /**
   * Whether a temporary failure ends only this process and is not recorded, so that a resumed run asks again. `always`:
   * any failure, for callers where a person resumes after fixing it.
   */
  readonly resumable?: boolean | 'always';
  /**
   * Retries only after failures that cost nothing, since a failure of unknown cost is charged its whole reservation.
   */
  readonly retryOnlyIfFree?: boolean;
  readonly timeoutMs: number;
  /** Ends the request. The signal of the run ends it, too. */
  readonly signal?: AbortSignal;
}

export type AttemptResult<Reply> =
  | { readonly kind: 'replied'; readonly reply: Reply; readonly recalled: boolean }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'cancelled' }
  | BudgetEnd;

/** The tokens to reserve for an attempt. */
export interface RequestedTokens {
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

export interface AttemptRequest<Reply extends BillableReply> {
  /** Counted anew for each attempt, since other calls may have taught more about the tokenizer. */
  requestedTokens(): RequestedTokens;
  send(limits: SendLimits): Promise<Reply | ModelFailure>;
  /** The text for the log. */
  text(reply: Reply): string;
  /**
   * Called once if the pool can't pay. Returns true if it learned more about the tokenizer, so that a smaller
   * reservation can be tried.
   */
  learn?(shortage: BudgetEnd): Promise<boolean>;
}

/** The outcome of a step. A temporary failure is not recorded, except the last one. */
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
export async function runAttempts<Reply extends BillableReply>(
  step: Step,
  key: string,
  model: Model,
  attemptRequest: AttemptRequest<Reply>,
  options: AttemptOptions,
): Promise<AttemptResult<Reply>> {
  for (let attempt = 1; ; attempt += 1) {
    const stepResult = await step(key, createAttempt(key, attempt, model, attemptRequest, options));
    if (stepResult.kind !== 'done') return stepResult;
    const { value, recalled } = stepResult;
    if (isReply(value)) {
      if (recalled) model.onRecall?.(value);
      return { kind: 'replied', reply: value, recalled };
    }
    if (value.kind === 'late') return value.exhausted;
    if (value.retryInMs === null) return { kind: 'failed', failure: value.failure };
    await options.sleep(value.retryInMs, options.signal);
  }
}

function isReply<Reply extends BillableReply>(value: Reply | AttemptFailure): value is Reply {
  return value.kind === 'reply';
}

function createAttempt<Reply extends BillableReply>(
  key: string,
  attempt: number,
  model: Model,
  attemptRequest: AttemptRequest<Reply>,
  options: AttemptOptions,
): StepWork<Reply | AttemptFailure> {
  const { clock, final = false, pool, number } = options;
  const cost = costOf(model, options.prices);
  const call = `${key}/attempt-${attempt}`;
  let requested = attemptRequest.requestedTokens();
  let reserved: Amounts = {};
  let hasLearned = attemptRequest.learn === undefined;
  const estimateReservation = () => {
    requested = attemptRequest.requestedTokens();
    return reservationFor(requested.input, requested.output, cost);
  };
  return {
    cost: estimateReservation,
    async smallerRequest(refused) {
      const output = payableOutput(refused, requested.input, requested.output, cost);
      const minOutput = Math.min(requested.output, minUsefulOutput + requested.thinking);
      if (output !== undefined && output >= minOutput && output < requested.output) {
        requested = { ...requested, output };
        return reservationFor(requested.input, output, cost);
      }
      if (hasLearned) return null;
      hasLearned = true;
      return (await attemptRequest.learn?.(refused)) ? estimateReservation() : null;
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
      const startedAt = clock.now();
      const answer = await attemptRequest.send(toSendLimits(key, requested, options, signal));
      const wallMs = clock.now() - startedAt;
      if (answer.kind === 'reply') {
        const spent = costOfReply(answer, cost, reserved);
        const facts = { number, call, reserved, spent, wallMs, text: attemptRequest.text(answer) };
        // The reply is paid for, so it is kept even if the run was cancelled meanwhile.
        return {
          value: answer,
          spent: amountsToSettle(spent),
          events: [[`${call}/replied`, createRepliedEvent(answer, facts)]],
          keepIfCancelled: true,
        };
      }
      const attemptFailure = toFailedOutcome(answer, attempt, options);
      const spent = failureCost(answer, cost, reserved);
      return {
        value: attemptFailure,
        spent: amountsToSettle(spent),
        events: [[`${call}/failed`, createFailedEvent(answer, { number, call, reserved, spent })]],
        record:
          attemptFailure.kind === 'late' ||
          (attemptFailure.retryInMs === null && !isUnrecorded(answer, options)),
      };
    },
  };
}

function toSendLimits(
  key: string,
  { output, thinking }: RequestedTokens,
  { timeoutMs, deadline, clock, scope, signal: callerSignal }: AttemptOptions,
  signal: AbortSignal,
): SendLimits {
  const remainingMs = deadline === undefined ? Infinity : Math.max(1, deadline - clock.now());
  return {
    maxOutputTokens: output - thinking,
    timeoutMs: Math.max(1, Math.min(timeoutMs, remainingMs)),
    ...(Number.isFinite(remainingMs) && { maxMs: remainingMs }),
    signal: callerSignal === undefined ? signal : AbortSignal.any([signal, callerSignal]),
    idempotencyKey: scope === undefined ? key : `${scope}/${key}`,
  };
}

/** Whether the failure is left unrecorded, so that a resumed run asks again. */
function isUnrecorded(
  { retryable, code }: ModelFailure,
  { resumable = false }: Pick<AttemptOptions, 'resumable'>,
): boolean {
  if (code === 'cancelled' || resumable === 'always') return true;
  return resumable && (retryable || code === 'timeout');
}

function toFailedOutcome(failure: ModelFailure, attempt: number, options: AttemptOptions): AttemptFailure {
  // A step that ends with its pool's time counts as cancelled.
  const wasStopped = failure.code === 'timeout' || (failure.code === 'cancelled' && !options.signal?.aborted);
  const exhausted = wasStopped ? (options.timeRefusal?.() ?? null) : null;
  if (exhausted !== null) return { kind: 'late', exhausted };
  return { kind: 'failed', failure, retryInMs: retryDelayMs(failure, attempt, options) };
}

function retryDelayMs(
  failure: ModelFailure,
  attempt: number,
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
  // A request that timed out is sent once more if there is time for an answer.
  if (failure.code === 'timeout' && attempt === 1)
    return Number.isFinite(deadline) && deadline - clock.now() >= timeoutMs / 4 ? 0 : null;
  if (!failure.retryable || attempt >= retry.attempts) return null;
  const waitMs = backoffMs(retry, attempt, random, failure.retryAfterMs);
  return waitMs === null || clock.now() + waitMs >= deadline ? null : waitMs;
}

function failureCost({ usage }: ModelFailure, cost: Cost, reserved: Amounts): AttemptCost {
  if (usage === 'none') return { amounts: {}, unknown: [] };
  return usage === 'unknown' ? wholeReservation(reserved) : costOfReply({ usage }, cost, reserved);
}

function amountsToSettle({ amounts, unknown }: AttemptCost): Amounts | 'unknown' {
  return unknown.includes('tokens') && unknown.includes('usd') ? 'unknown' : amounts;
}
