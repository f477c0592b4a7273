/** How a model is asked: its limits, and what it takes from the run. */
import { type Model, maxSilence, type TurnOptions, withinPool } from '../../model/index.ts';
import type { RunContext, TreeNode } from './run-context.ts';

export interface Asking {
  readonly model: Model;
  /** What it is asked for, for the log. */
  readonly name: string;
  /** The number within the run. */
  readonly number: number;
  readonly maxOutputTokens: number;
  /** May draw on what is kept back for the last turn. */
  readonly final?: boolean;
  readonly signal?: AbortSignal;
}

export function turnOptions(
  context: RunContext,
  { pool }: Pick<TreeNode, 'pool'>,
  asking: Asking,
): TurnOptions {
  const { model, name, number, maxOutputTokens, final = false, signal } = asking;
  return {
    ...withinPool(pool, { final, maxLengthAllowed: maxSilence(model, context.limits.call_ms) }),
    name,
    number,
    maxOutputTokens,
    clock: context.clock,
    random: context.random,
    sleep: context.sleep,
    signal: signal ?? AbortSignal.any([context.signal, context.failure.signal]),
    // Whoever is away now may be back when the run is taken up again.
    resumable: true,
    ...(context.models.prices && { prices: context.models.prices }),
    ...(context.models.retry && { retry: context.models.retry }),
  };
}
