/** A question to a model whose answer is free text: metered by a pool, recorded before it is used. */
import type { Exhausted, Pool } from '../../core/index.ts';
import { callModel, longestSilence, type Model, type ModelMessage, withinPool } from '../../model/index.ts';
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
}

/** One call is never silent for longer than this, but that of a model on the user's own machine. Milliseconds. */
const longestCall = 120_000;

export async function askText(
  crew: Crew,
  messages: readonly ModelMessage[],
  { model, pool, step, key, signature, maxOutputTokens, final = false, signal = crew.signal }: AskTextOptions,
): Promise<Said> {
  // A run of 0.1 kept how a question ended that got no reply beside it.
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
  });
  if (said.kind === 'failed' || said.kind === 'exhausted') crew.failure.check();
  return said;
}

async function sayOnce(
  crew: Crew,
  messages: readonly ModelMessage[],
  { model, pool, step, key, signature, maxOutputTokens, final, signal }: Required<AskTextOptions>,
): Promise<Said> {
  const { timeoutMs, ...within } = withinPool(pool, { final, longest: longestSilence(model, longestCall) });
  const called = await callModel({ messages, maxOutputTokens, timeoutMs, signal }, key, {
    model,
    ...within,
    step: crew.step,
    number: step,
    name: signature,
    clock: crew.clock,
    random: crew.random,
    sleep: crew.sleep,
    ...(crew.models.prices && { prices: crew.models.prices }),
    ...(crew.models.retry && { retry: crew.models.retry }),
  });
  if (called.kind === 'replied') {
    const { text, stop } = called.reply;
    return { kind: 'text', text, cut: stop === 'length' };
  }
  if (called.kind === 'exhausted') return { kind: 'exhausted', exhausted: called };
  const { code, message, remedy } = called.failure;
  if (code === 'cancelled' || signal.aborted) return { kind: 'cancelled' };
  return { kind: 'failed', code, message, remedy };
}
