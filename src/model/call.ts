import type { Amounts, Clock, Exhausted, Journal } from '../core/index.ts';
import { backoffMs, defaultRetry, type RetryPolicy } from './backoff.ts';
import { type Bill, billOf, freeBill, plus } from './bill.ts';
import { failure } from './failure.ts';
import type { Meter, Spent } from './meter.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest } from './model.ts';
import { costOf, type Prices } from './prices.ts';
import { reserveCall, spentOn, wholeReservation } from './reserve-call.ts';
import { tokenizerSample } from './tokenizer-sample.ts';

/** What a metered call works with. Everything that makes it differ from run to run is an argument. */
export interface CallSetting {
  readonly model: Model;
  readonly meter: Meter;
  /** Replies are recorded here before they are used, and a recorded one is returned with no call and no charge. */
  readonly journal: Journal;
  /** Everything that journal and meter write within `work` is kept together, or not at all. */
  readonly atomic: <Value>(work: () => Value) => Value;
  /** Resolves once what they wrote is durable: before a request is sent, and before its reply is used. */
  readonly commit: () => Promise<void>;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly clock: Clock;
  /** 0 to 1, for the jitter. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Of whose calls this is one, such as a run: their keys are unique within it alone. */
  readonly scope?: string;
  /** Milliseconds since the epoch: attempts end by then, and nothing is tried again. */
  readonly deadline?: number;
  /** A reply or failure is told within the transaction that settles it, so that a log kept there misses none. */
  readonly observe?: (event: CallEvent) => void;
}

/** What the run log wants to know, in pairs: each `called` is followed by one `replied` or `failed`. */
export type CallEvent =
  | {
      readonly kind: 'called';
      readonly attempt: string;
      readonly model: string;
      readonly reserved: Amounts;
      readonly maxOutputTokens: number;
    }
  | {
      readonly kind: 'replied';
      readonly attempt: string;
      readonly reply: ModelReply;
      readonly reserved: Amounts;
      readonly spent: Spent;
      readonly wallMs: number;
    }
  | {
      readonly kind: 'failed';
      readonly attempt: string;
      readonly failure: ModelFailure;
      readonly reserved: Amounts;
      readonly spent: Spent;
      readonly wallMs: number;
      /** Milliseconds until the next attempt, or null where there is none. */
      readonly retryInMs: number | null;
    };

export type Called =
  | { readonly kind: 'replied'; readonly reply: ModelReply; readonly bill: Bill; readonly recalled: boolean }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly bill: Bill }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted; readonly bill: Bill };

/**
 * Calls a model: every attempt is reserved before it is sent and settled after, the output limit is lowered to
 * what the pool can pay, and failures that may pass are tried again. `key` names the call within the run and
 * is the same on every replay; its reply is returned from the journal when it is there.
 */
export async function callModel(request: ModelRequest, key: string, setting: CallSetting): Promise<Called> {
  const recorded = setting.journal.recall(key);
  if (isReply(recorded)) {
    setting.model.recalled?.(recorded);
    return { kind: 'replied', reply: recorded, bill: freeBill, recalled: true };
  }
  const retry = setting.retry ?? defaultRetry;
  let bill = freeBill;
  for (let attempt = 1; ; attempt += 1) {
    const waitAfter = (failure: ModelFailure): number | null => {
      if (failure.code === 'timeout' && attempt === 1) return secondTry(request, setting);
      if (!failure.retryable || attempt >= retry.attempts || request.signal?.aborted) return null;
      const wait = backoffMs(retry, attempt, setting.random, failure.retryAfterMs);
      if (wait === null) return null;
      const late = setting.deadline !== undefined && setting.clock.now() + wait >= setting.deadline;
      return late ? null : wait;
    };
    const tried = await attemptOnce(request, key, `${key}/attempt-${attempt}`, waitAfter, setting);
    bill = plus(bill, tried.bill);
    if (tried.kind === 'exhausted') return { ...tried, bill };
    if (tried.kind === 'replied') return { kind: 'replied', reply: tried.reply, bill, recalled: false };
    if (tried.retryInMs === null) return { kind: 'failed', failure: tried.failure, bill };
    await setting.sleep(tried.retryInMs, request.signal);
  }
}

/** One that hung is asked once more, where there is time for an answer. */
function secondTry({ timeoutMs, signal }: ModelRequest, { clock, deadline }: CallSetting): 0 | null {
  if (signal?.aborted || deadline === undefined) return null;
  return deadline - clock.now() >= timeoutMs / 4 ? 0 : null;
}

type Tried =
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted; readonly bill: Bill }
  | { readonly kind: 'replied'; readonly reply: ModelReply; readonly bill: Bill }
  | {
      readonly kind: 'failed';
      readonly failure: ModelFailure;
      readonly bill: Bill;
      /** Milliseconds until the next attempt, or null where there is none. */
      readonly retryInMs: number | null;
    };

async function attemptOnce(
  request: ModelRequest,
  key: string,
  attempt: string,
  waitAfter: (failure: ModelFailure) => number | null,
  setting: CallSetting,
): Promise<Tried> {
  const { model, meter } = setting;
  const cost = costOf(model, setting.prices);
  let granted = await reserveCall(request, attempt, cost, setting);
  let sampled = freeBill;
  const sample = granted.kind === 'exhausted' ? tokenizerSample(request, granted, model) : null;
  if (sample !== null) {
    const told = await attemptOnce(sample, `${key}/sample`, `${attempt}/sample`, () => null, setting);
    if (told.kind !== 'exhausted') sampled = told.bill;
    if (told.kind === 'replied') granted = await reserveCall(request, attempt, cost, setting);
  }
  if (granted.kind === 'exhausted') return { kind: 'exhausted', exhausted: granted, bill: sampled };
  if (granted.kind === 'cancelled') return cancelledBefore(model);
  const { reservation, maxOutputTokens } = granted;
  const reserved = reservation.amounts;
  setting.observe?.({ kind: 'called', attempt, model: model.name, reserved, maxOutputTokens });
  await setting.commit();
  const started = setting.clock.now();
  const left = setting.deadline === undefined ? Infinity : setting.deadline - started;
  const timeoutMs = Math.max(1, Math.min(request.timeoutMs, left));
  const idempotencyKey = setting.scope === undefined ? key : `${setting.scope}/${key}`;
  let answer: ModelReply | ModelFailure;
  try {
    const longest = Number.isFinite(left) ? { longestMs: Math.max(1, left) } : {};
    const limits = { maxOutputTokens, timeoutMs, ...longest };
    answer = await model.generate({ ...request, ...limits, idempotencyKey });
  } catch (thrown) {
    // A bug of the implementer or a listener: what was sent by then may be billed.
    meter.settle(reservation, wholeReservation(reserved));
    await setting.commit();
    throw thrown;
  }
  const wallMs = setting.clock.now() - started;
  if (answer.kind === 'reply') {
    const spent = spentOn(answer, cost, reserved);
    // One transaction: a crash finds the reply recorded, paid for at its price and told of, or nothing of these.
    const reply = setting.atomic(() => {
      const kept = setting.journal.record(key, answer);
      meter.settle(reservation, spent);
      const stands = isReply(kept) ? kept : answer;
      setting.observe?.({ kind: 'replied', attempt, reply: stands, reserved, spent, wallMs });
      return stands;
    });
    await setting.commit();
    const own = billOf(answer.usage.estimated ? undefined : answer.usage, spent);
    return { kind: 'replied', reply, bill: plus(sampled, own) };
  }
  const failure = answer;
  const retryInMs = waitAfter(failure);
  const usage = typeof failure.usage === 'string' ? undefined : failure.usage;
  const unused = failure.usage === 'none';
  const spent: Spent = unused
    ? { amounts: {}, unknown: [] }
    : usage
      ? spentOn({ usage }, cost, reserved)
      : wholeReservation(reserved);
  setting.atomic(() => {
    if (unused) meter.release(reservation);
    else meter.settle(reservation, spent);
    setting.observe?.({ kind: 'failed', attempt, failure, reserved, spent, wallMs, retryInMs });
  });
  await setting.commit();
  return {
    kind: 'failed',
    failure,
    bill: unused ? sampled : plus(sampled, billOf(usage, spent)),
    retryInMs,
  };
}

/** While it waited for others to give back. */
function cancelledBefore({ name }: Model): Tried {
  const about = { provider: name, model: name, secrets: [], said: 'cancelled' };
  return { kind: 'failed', failure: failure('cancelled', about, 'none'), bill: freeBill, retryInMs: null };
}

function isReply(value: unknown): value is ModelReply {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'reply';
}
