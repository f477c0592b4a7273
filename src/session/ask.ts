/**
 * Asks a model a question within a conversation. The call is paid from a pool, and its reply recorded before it is
 * used.
 */
import type { BudgetEnd, Clock, Pool, Step } from '../core/index.ts';
import type { Model, Prices, RetryPolicy, Signature, Tier } from '../model/index.ts';

export type ModelAnswer<O> =
  | { readonly kind: 'value'; readonly value: O }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
    }
  | { readonly kind: 'exhausted'; readonly exhausted: BudgetEnd };

export interface AskOptions {
  readonly tier: Tier;
  /** Unique within the run, and the same if the step is repeated. */
  readonly key: string;
  readonly pool: Pool;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
  /** May use the reserve of the final answer. */
  readonly final?: boolean;
  readonly onText?: (piece: string) => void;
}

export type Asker = <I, O>(
  question: Signature<I, O>,
  input: I,
  options: AskOptions,
) => Promise<ModelAnswer<O>>;

export interface AskPorts {
  readonly planner: Model;
  readonly analyst: Model;
  readonly step: Step;
  /** Number of the current step of the run, for the log. */
  readonly number: () => number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
}

/** The longest silence of one call in milliseconds, except for a model on the user's own machine. */
const maxCallMs = 120_000;

export function makeAsker(ports: AskPorts): Asker {
  const { step, number, clock, random, sleep, prices, retry } = ports;
  return async (signature, input, options) => {
    const { tier, key, pool, maxOutputTokens, signal, final = false, onText } = options;
    const { maxSilence, predict, limitToPool } = await import('../model/index.ts');
    const prediction = await predict(signature, input, {
      key,
      model: ports[tier],
      maxOutputTokens,
      ...limitToPool(pool, { final, maxSilenceMs: maxSilence(ports[tier], maxCallMs) }),
      step,
      number: number(),
      // The person who continues the conversation may have fixed the cause.
      resumable: 'always',
      clock,
      random,
      sleep,
      ...(signal && { signal }),
      ...(onText && { onText }),
      ...(prices && { prices }),
      ...(retry && { retry }),
    });
    pool.recordTime();
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
