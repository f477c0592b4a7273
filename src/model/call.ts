import type { Amounts, Clock, Exhausted, Journal, Reserved } from '../core/index.ts';
import { backoffMs, defaultRetry, type RetryPolicy } from './backoff.ts';
import { type Bill, billOf, freeBill, plus } from './bill.ts';
import type { Meter, Spent } from './meter.ts';
import type { Model, ModelFailure, ModelReply, ModelRequest, Usage } from './model.ts';
import { type Cost, costOf, type Prices, usdOf } from './prices.ts';
import { estimateInput } from './usage.ts';

/** What a metered call works with. Everything that makes it differ from run to run is an argument. */
export interface CallSetting {
  readonly model: Model;
  readonly meter: Meter;
  /** Replies are recorded here before they are used, and a recorded one is returned with no call and no charge. */
  readonly journal: Journal;
  /** Everything that journal and meter write within `work` is kept together, or not at all. */
  readonly atomic: <Value>(work: () => Value) => Value;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly clock: Clock;
  /** 0 to 1, for the jitter. */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
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
      readonly spent: Spent;
      readonly wallMs: number;
    }
  | {
      readonly kind: 'failed';
      readonly attempt: string;
      readonly failure: ModelFailure;
      readonly spent: Spent;
      readonly wallMs: number;
      /** Milliseconds until the next attempt, or null where there is none. */
      readonly retryInMs: number | null;
    };

export type Called =
  | { readonly kind: 'replied'; readonly reply: ModelReply; readonly bill: Bill; readonly recalled: boolean }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly bill: Bill }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted; readonly bill: Bill };

/** An output limit that the pool forces below this is not worth a call. Tokens. */
const smallestUsefulOutput = 256;

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
      if (!failure.retryable || attempt >= retry.attempts || request.signal?.aborted) return null;
      const wait = backoffMs(retry, attempt, setting.random, failure.retryAfterMs);
      if (wait === null) return null;
      const late = setting.deadline !== undefined && setting.clock.now() + wait >= setting.deadline;
      return late ? null : wait;
    };
    const tried = await attemptOnce(request, key, `${key}/attempt-${attempt}`, waitAfter, setting);
    if (tried.kind === 'exhausted') return { ...tried, bill };
    bill = plus(bill, tried.bill);
    if (tried.kind === 'replied') return { kind: 'replied', reply: tried.reply, bill, recalled: false };
    if (tried.retryInMs === null) return { kind: 'failed', failure: tried.failure, bill };
    await setting.sleep(tried.retryInMs, request.signal);
  }
}

type Tried =
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted }
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
  const granted = reserve(request, attempt, cost, setting);
  if (granted.kind === 'exhausted') return { kind: 'exhausted', exhausted: granted };
  const { reservation, maxOutputTokens } = granted;
  const reserved = reservation.amounts;
  setting.observe?.({ kind: 'called', attempt, model: model.name, reserved, maxOutputTokens });
  const started = setting.clock.now();
  const left = setting.deadline === undefined ? Infinity : setting.deadline - started;
  const timeoutMs = Math.max(1, Math.min(request.timeoutMs, left));
  let answer: ModelReply | ModelFailure;
  try {
    answer = await model.generate({ ...request, maxOutputTokens, timeoutMs, idempotencyKey: key });
  } catch (thrown) {
    // A bug of the implementer or a listener: what was sent by then may be billed.
    meter.settle(reservation, wholeReservation(reserved));
    throw thrown;
  }
  const wallMs = setting.clock.now() - started;
  if (answer.kind === 'reply') {
    const spent = spentOn(answer.usage, cost, answer.usd);
    // One transaction: a crash finds the reply recorded, paid for at its price and told of, or nothing of these.
    const reply = setting.atomic(() => {
      const kept = setting.journal.record(key, answer);
      meter.settle(reservation, spent);
      const stands = isReply(kept) ? kept : answer;
      setting.observe?.({ kind: 'replied', attempt, reply: stands, spent, wallMs });
      return stands;
    });
    return { kind: 'replied', reply, bill: billOf(answer.usage, spent) };
  }
  const failure = answer;
  const retryInMs = waitAfter(failure);
  const usage = typeof failure.usage === 'string' ? undefined : failure.usage;
  const unused = failure.usage === 'none';
  const spent: Spent = unused
    ? { amounts: {}, unknown: [] }
    : usage
      ? spentOn(usage, cost, undefined)
      : wholeReservation(reserved);
  setting.atomic(() => {
    if (unused) meter.release(reservation);
    else meter.settle(reservation, spent);
    setting.observe?.({ kind: 'failed', attempt, failure, spent, wallMs, retryInMs });
  });
  return { kind: 'failed', failure, bill: unused ? freeBill : billOf(usage, spent), retryInMs };
}

interface Granted {
  readonly kind: 'granted';
  readonly reservation: Reserved;
  readonly maxOutputTokens: number;
}

/**
 * Asks for the whole request first; where the pool cannot pay it, for as much output as what is left pays,
 * down to the least that is worth a call.
 */
function reserve(
  request: ModelRequest,
  attempt: string,
  cost: Cost,
  setting: CallSetting,
): Granted | Exhausted {
  const input = estimateInput(request);
  const room = Math.max(setting.model.contextWindow - input, smallestUsefulOutput);
  let output = Math.min(request.maxOutputTokens, setting.model.maxOutput, room);
  const least = Math.min(output, smallestUsefulOutput);
  for (;;) {
    const amounts = reservationFor(input, output, cost);
    const answer = setting.meter.reserve(attempt, amounts);
    if (answer.kind === 'reserved') return { kind: 'granted', reservation: answer, maxOutputTokens: output };
    const payable = payableOutput(answer, input, output, cost);
    if (payable === undefined || payable < least || payable >= output) return answer;
    output = payable;
  }
}

/** A request whose whole input is written to the cache costs the most. */
function reservationFor(input: number, output: number, cost: Cost): Amounts {
  const usd = Math.max(
    usdOf({ input, output, cacheRead: 0, cacheWrite: 0, estimated: true }, cost.price),
    usdOf({ input, output, cacheRead: 0, cacheWrite: input, estimated: true }, cost.price),
  );
  return { tokens: input + output, usd, calls: 1 };
}

/** A pool that keeps money in micro-dollars rounds what is asked for up, and its ceiling down. US dollars. */
const roundedUp = 2e-6;

function payableOutput(
  { resource, limit, spent, held }: Exhausted,
  input: number,
  output: number,
  cost: Cost,
): number | undefined {
  const left = limit - spent - held;
  if (resource === 'tokens') return Math.floor(left - input);
  if (resource !== 'usd') return undefined;
  const fixed = reservationFor(input, 0, cost).usd ?? 0;
  const each = ((reservationFor(input, output, cost).usd ?? 0) - fixed) / output;
  return each > 0 ? Math.floor((left - fixed - roundedUp) / each) : undefined;
}

function spentOn(usage: Usage, cost: Cost, reported: number | undefined): Spent {
  const usd = reported ?? usdOf(usage, cost.price);
  const amounts = { tokens: usage.input + usage.output, usd, calls: 1 };
  return { amounts, unknown: reported === undefined && cost.kind === 'unknown' ? ['usd'] : [] };
}

function wholeReservation(amounts: Amounts): Spent {
  return { amounts, unknown: ['tokens', 'usd'] };
}

function isReply(value: unknown): value is ModelReply {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'reply';
}
