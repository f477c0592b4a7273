/** A question to a model from within a conversation: metered by a pool, its reply recorded before it is used. */
import {
  type Clock,
  type Exhausted,
  type Journal,
  type Pool,
  type Reservation,
  SondeError,
} from '../core/index.ts';
import {
  type CallEvent,
  type Meter,
  type Model,
  type Prices,
  predict,
  type RetryPolicy,
  type Signature,
  type Tier,
} from '../model/index.ts';

export type Asked<O> =
  | { readonly kind: 'value'; readonly value: O }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
    }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted };

export interface AskOptions {
  readonly tier: Tier;
  /** Unique within the run, and the same when the step is done again. */
  readonly key: string;
  readonly pool: Pool;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
  /** May draw on what is kept back for the last answer. */
  readonly final?: boolean;
  readonly onText?: (piece: string) => void;
}

export type Asker = <I, O>(asked: Signature<I, O>, input: I, options: AskOptions) => Promise<Asked<O>>;

export interface AskPorts {
  readonly planner: Model;
  readonly analyst: Model;
  readonly journal: Journal;
  readonly atomic: <Value>(work: () => Value) => Value;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly observe?: (signature: string, event: CallEvent) => void;
}

/** One call never takes longer. Milliseconds. */
const longestCall = 120_000;

export function asker(ports: AskPorts): Asker {
  const { journal, atomic, clock, random, sleep, prices, retry, observe } = ports;
  return async (asked, input, options) => {
    const { tier, key, pool, maxOutputTokens, signal, final = false, onText } = options;
    const timeLeft = pool.timeLeft({ final });
    const prediction = await predict(asked, input, {
      key,
      model: ports[tier],
      maxOutputTokens,
      meter: meterOf(pool, final),
      journal,
      atomic,
      clock,
      random,
      sleep,
      timeoutMs: Math.max(1, Math.min(longestCall, timeLeft)),
      ...(Number.isFinite(timeLeft) && { deadline: pool.deadlineMs({ final }) }),
      ...(signal && { signal }),
      ...(onText && { onText }),
      ...(prices && { prices }),
      ...(retry && { retry }),
      ...(observe && { observe: (event: CallEvent) => observe(asked.name, event) }),
    });
    pool.tick();
    switch (prediction.kind) {
      case 'value':
        return { kind: 'value', value: prediction.value };
      case 'exhausted':
        return { kind: 'exhausted', exhausted: prediction.exhausted };
      case 'model_output':
        return {
          kind: 'failed',
          code: 'model_output',
          message: prediction.message,
          remedy: prediction.remedy,
        };
      case 'model_failed': {
        const { code, message, remedy } = prediction.failure;
        return { kind: 'failed', code, message, remedy };
      }
    }
  };
}

/** The pool as the meter of one call. */
function meterOf(pool: Pool, final: boolean): Meter {
  const open = new Map<string, Reservation>();
  function take(id: string): Reservation {
    const reservation = open.get(id);
    open.delete(id);
    if (reservation !== undefined) return reservation;
    throw new SondeError('internal', { message: `The call ${id} ends a reservation it does not hold` });
  }
  return {
    reserve(attempt, amounts) {
      const answer = pool.reserve(attempt, amounts, { final });
      if (answer.kind === 'exhausted') return answer;
      open.set(attempt, answer);
      return { kind: 'reserved', id: attempt, amounts: answer.amounts };
    },
    settle({ id }, { amounts, unknown }) {
      take(id).settle(unknown.includes('tokens') ? 'unknown' : amounts);
    },
    release: ({ id }) => take(id).release(),
  };
}
