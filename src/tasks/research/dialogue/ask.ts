/** Asks a model one question as a step, which is metered by the run's pool, recorded and logged. */
import type { BudgetEnd, Journal } from '../../../core/index.ts';
import { limitToPool, type Model, maxSilence, predict, type Signature } from '../../../model/index.ts';
import type { RunContext } from '../run-context.ts';

export type AskOutcome<O> =
  | { readonly kind: 'value'; readonly value: O }
  /** Neither the answer nor its repair has the required form. */
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'exhausted'; readonly exhausted: BudgetEnd }
  | { readonly kind: 'cancelled' };

export interface AskOptions {
  readonly model: Model;
  readonly step: number;
  /** Unique within the run, e.g. `step-3/model-1`. */
  readonly key: string;
  /** May use the reserve of the final answer. */
  readonly final: boolean;
  readonly maxOutputTokens: number;
  /** False: a reply of the wrong form is not returned to the model for repair. */
  readonly repair?: boolean;
  /** True: a failed attempt is retried only if it cost nothing. */
  readonly retryOnlyIfFree?: boolean;
}

/** The parts of a run context that a call needs, for any kind of run. */
export type AskContext = Pick<RunContext, 'pool' | 'step' | 'clock' | 'signal' | 'random' | 'sleep'> & {
  readonly recorded: Pick<Journal, 'recall'>;
  readonly models: Pick<RunContext['models'], 'prices' | 'retry'>;
  readonly limits: Pick<RunContext['limits'], 'wall_ms'>;
};

/**
 * The share of the run's time for which one call may be silent, so that a hanging call leaves time for another. A model
 * on the user's own machine may need all of it to read its prompt.
 */
const maxSilenceShare = 0.5;

export async function ask<I, O>(
  context: AskContext,
  signature: Signature<I, O>,
  input: I,
  { model, step, key, final, maxOutputTokens, repair = true, retryOnlyIfFree = false }: AskOptions,
): Promise<AskOutcome<O>> {
  // Runs of 0.1 recorded separately how a question without a reply ended.
  const earlierOutcome = context.recorded.recall(`${key}/setback`) as AskOutcome<O> | undefined;
  if (earlierOutcome !== undefined) return earlierOutcome;
  const prediction = await predict(signature, input, {
    key,
    model,
    maxOutputTokens,
    repair,
    retryOnlyIfFree,
    ...limitToPool(context.pool, {
      final,
      maxSilenceMs: maxSilence(model, maxSilenceShare * context.limits.wall_ms),
    }),
    step: context.step,
    number: step,
    clock: context.clock,
    random: context.random,
    sleep: context.sleep,
    signal: context.signal,
    ...(context.models.prices && { prices: context.models.prices }),
    ...(context.models.retry && { retry: context.models.retry }),
  });
  context.pool.recordTime();
  if (prediction.kind === 'value') return { kind: 'value', value: prediction.value };
  if (prediction.kind === 'model_output') return { kind: 'malformed', message: prediction.message };
  if (prediction.kind === 'exhausted') return { kind: 'exhausted', exhausted: prediction.exhausted };
  const { failure } = prediction;
  if (failure.code === 'cancelled' || context.signal.aborted) return { kind: 'cancelled' };
  return { kind: 'failed', message: failure.message, remedy: failure.remedy };
}

/** Maximum number of retries with a smaller page. */
const maxShorterAttempts = 2;

/**
 * Asks, and asks again with another key if the budget does not pay for the question. `askOnce` must make a smaller page
 * each time.
 */
export async function askShorter<O>(
  key: string,
  askOnce: (key: string) => Promise<AskOutcome<O>>,
): Promise<AskOutcome<O>> {
  let askOutcome = await askOnce(key);
  for (let attempt = 1; askOutcome.kind === 'exhausted' && attempt <= maxShorterAttempts; attempt += 1)
    askOutcome = await askOnce(`${key}-${attempt}`);
  return askOutcome;
}
