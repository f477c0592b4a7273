/** Options of a model call: its limits, and the clock, signal and prices of the run. */
import { limitToPool, type Model, maxSilence, type TurnOptions } from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';

export interface ModelCall {
  readonly model: Model;
  /** Name of the call in the log. */
  readonly name: string;
  /** The number within the run. */
  readonly number: number;
  readonly maxOutputTokens: number;
  /** Whether the call may use the budget that is reserved for the final turn. */
  readonly final?: boolean;
  readonly signal?: AbortSignal;
}

export function turnOptions(
  context: RunContext,
  { pool }: Pick<TreeNode, 'pool'>,
  modelCall: ModelCall,
): TurnOptions {
  const { model, name, number, maxOutputTokens, final = false, signal } = modelCall;
  return {
    ...limitToPool(pool, { final, maxSilenceMs: maxSilence(model, context.limits.call_ms) }),
    name,
    number,
    maxOutputTokens,
    clock: context.clock,
    random: context.random,
    sleep: context.sleep,
    signal: signal ?? AbortSignal.any([context.signal, context.failure.signal]),
    // An unavailable model may be back when the run is resumed.
    resumable: true,
    ...(context.models.prices && { prices: context.models.prices }),
    ...(context.models.retry && { retry: context.models.retry }),
  };
}
