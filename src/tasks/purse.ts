/** How much of its budget a run has left for one call, so that the prompt can be cut to fit. */
import type { Pool } from '../core/index.ts';
import type { CallBudget, Model, Prices } from '../model/index.ts';
import { outputRoom } from './run-limits.ts';

interface BudgetSource {
  readonly models: { readonly planner: Model; readonly prices?: Prices };
  readonly limits: { readonly tokens: number };
  readonly pool: Pick<Pool, 'remaining'>;
}

interface CallNeeds {
  /** Whether the call may use the reserve for the end. */
  readonly final: boolean;
  /** The maximum output of the call. Tokens. */
  readonly output: number;
  /** The number of calls, including this one, that share the remaining budget equally. Default 1. */
  readonly calls?: number;
}

export function callBudgetOf(
  { models, limits, pool }: BudgetSource,
  { final, output, calls = 1 }: CallNeeds,
): CallBudget {
  const { tokens, usd } = pool.remaining({ final });
  return {
    model: models.planner,
    ...(models.prices && { prices: models.prices }),
    left: { tokens: tokens / calls, usd: usd / calls },
    output: outputRoom(limits, output),
  };
}
