/** A question to a model whose answer is free text: metered by a pool, recorded before it is used. */
import type { Exhausted, Pool } from '../../core/index.ts';
import {
  callModel,
  logCall,
  longestSilence,
  type Model,
  type ModelMessage,
  timeOver,
  withinPool,
} from '../../model/index.ts';
import type { Crew } from './crew.ts';

export type Said =
  | { readonly kind: 'text'; readonly text: string; readonly cut: boolean }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly remedy: string }
  | { readonly kind: 'exhausted'; readonly exhausted: Exhausted }
  | { readonly kind: 'cancelled' };

export interface AskTextOptions {
  readonly model: Model;
  readonly pool: Pool;
  readonly step: number;
  /** Unique within the run, and the same when the step is done again. */
  readonly key: string;
  /** What the log calls it. */
  readonly signature: string;
  readonly maxOutputTokens: number;
  /** May draw on what is kept back for the last turn. */
  readonly final?: boolean;
  readonly signal?: AbortSignal;
  /** One of many that are recorded as a whole afterwards: none of them waits for the disk. */
  readonly part?: boolean;
}

/** One call is never silent for longer than this, but that of a model on the user's own machine. Milliseconds. */
const longestCall = 120_000;

export async function askText(
  crew: Crew,
  messages: readonly ModelMessage[],
  {
    model,
    pool,
    step,
    key,
    signature,
    maxOutputTokens,
    final = false,
    signal = crew.signal,
    part = false,
  }: AskTextOptions,
): Promise<Said> {
  // Ends that a resumed run must meet again, though no reply tells of them.
  const before = crew.journal.recall(`${key}/setback`) as Said | undefined;
  if (before !== undefined) return before;
  const said = await sayOnce(crew, messages, {
    model,
    pool,
    step,
    key,
    signature,
    maxOutputTokens,
    final,
    signal,
    part,
  });
  // A part that got nothing costs nothing: the whole records it.
  if (said.kind !== 'failed' && (part || said.kind !== 'exhausted')) return said;
  crew.failure.check();
  return crew.journal.record(`${key}/setback`, said) as Said;
}

async function sayOnce(
  crew: Crew,
  messages: readonly ModelMessage[],
  { model, pool, step, key, signature, maxOutputTokens, final, signal, part }: Required<AskTextOptions>,
): Promise<Said> {
  const { timeoutMs, ...within } = withinPool(pool, { final, longest: longestSilence(model, longestCall) });
  const called = await callModel({ messages, maxOutputTokens, timeoutMs, signal }, key, {
    model,
    ...within,
    journal: crew.journal,
    atomic: part ? crew.atomic : crew.synced,
    commit: crew.commit,
    clock: crew.clock,
    random: crew.random,
    sleep: crew.sleep,
    observe: (event) => logCall(crew.log, step, signature, event),
    ...(crew.models.prices && { prices: crew.models.prices }),
    ...(crew.models.retry && { retry: crew.models.retry }),
  });
  if (called.kind === 'replied') {
    const { text, stop } = called.reply;
    return { kind: 'text', text, cut: stop === 'length' };
  }
  if (called.kind === 'exhausted') return { kind: 'exhausted', exhausted: called.exhausted };
  const { code, message, remedy } = called.failure;
  if (code === 'cancelled' || signal.aborted) return { kind: 'cancelled' };
  // A call that was cut off because the run's time is over is the end of the budget, not of the model.
  const late = code === 'timeout' ? timeOver(pool, `${key}/time`, final) : null;
  return late === null ? { kind: 'failed', code, message, remedy } : { kind: 'exhausted', exhausted: late };
}
