/** One question to a model, as a step asks it: metered by the run's pool, recorded, and told to the log. */
import type { Exhausted } from '../../core/index.ts';
import {
  logCall,
  longestSilence,
  type Model,
  predict,
  type Signature,
  timeOver,
  withinPool,
} from '../../model/index.ts';
import type { Crew } from './crew.ts';

export type Asked<O> =
  | { readonly kind: 'value'; readonly value: O }
  /** Twice an answer that doesn't fit. */
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted }
  | { readonly kind: 'cancelled' };

/** Ends that a resumed run must meet again, though no reply tells of them. */
type Setback = Extract<Asked<never>, { kind: 'failed' | 'exhausted' }>;

export interface AskOptions {
  readonly model: Model;
  readonly step: number;
  /** Unique within the run, e.g. `step-3/model-1`. */
  readonly key: string;
  /** May draw on what is kept back for the final answer. */
  readonly final: boolean;
  readonly maxOutputTokens: number;
}

/** What of a run's crew a call needs: any shape of run asks its models so. */
export type Asking = Pick<
  Crew,
  'pool' | 'log' | 'journal' | 'atomic' | 'commit' | 'clock' | 'signal' | 'random' | 'sleep'
> & {
  readonly models: Pick<Crew['models'], 'prices' | 'retry'>;
  readonly limits: Pick<Crew['limits'], 'wall_ms'>;
};

/**
 * One call is never silent for more of the run's time than this, so that one that hangs leaves time for another. A
 * model on the user's own machine may need all of it to read its prompt.
 */
const longestShare = 0.5;

export async function ask<I, O>(
  crew: Asking,
  asked: Signature<I, O>,
  input: I,
  { model, step, key, final, maxOutputTokens }: AskOptions,
): Promise<Asked<O>> {
  const before = crew.journal.recall(`${key}/setback`) as Setback | undefined;
  if (before !== undefined) return before;
  if (crew.signal.aborted) return { kind: 'cancelled' };
  const prediction = await predict(asked, input, {
    key,
    model,
    maxOutputTokens,
    ...withinPool(crew.pool, { final, longest: longestSilence(model, longestShare * crew.limits.wall_ms) }),
    journal: crew.journal,
    atomic: crew.atomic,
    commit: crew.commit,
    clock: crew.clock,
    random: crew.random,
    sleep: crew.sleep,
    signal: crew.signal,
    observe: (event) => logCall(crew.log, step, asked.name, event),
    ...(crew.models.prices && { prices: crew.models.prices }),
    ...(crew.models.retry && { retry: crew.models.retry }),
  });
  crew.pool.tick();
  if (prediction.kind === 'value') return { kind: 'value', value: prediction.value };
  if (prediction.kind === 'model_output') return { kind: 'malformed', message: prediction.message };
  if (prediction.kind === 'exhausted')
    return setBack(crew, key, { kind: 'exhausted', exhausted: prediction.exhausted });
  const { failure } = prediction;
  if (failure.code === 'cancelled' || crew.signal.aborted) return { kind: 'cancelled' };
  // A call that was cut off because the run's time is over is the end of the budget, not of the model.
  const late = failure.code === 'timeout' ? timeOver(crew.pool, `${key}/time`, final) : null;
  if (late !== null) return setBack(crew, key, { kind: 'exhausted', exhausted: late });
  return setBack(crew, key, { kind: 'failed', message: failure.message, remedy: failure.remedy });
}

/** How often. */
const mostShorter = 2;

/**
 * An answer that could not be read is asked for again with all of its page. Where that is too dear, with what `once` then
 * makes of what is left: less of it.
 */
export async function askedShorter<O>(
  key: string,
  once: (key: string) => Promise<Asked<O>>,
): Promise<Asked<O>> {
  let asked = await once(key);
  for (let again = 1; asked.kind === 'exhausted' && again <= mostShorter; again += 1)
    asked = await once(`${key}-${again}`);
  return asked;
}

function setBack(crew: Asking, key: string, setback: Setback): Setback {
  return crew.journal.record(`${key}/setback`, setback) as Setback;
}
