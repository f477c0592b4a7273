/** How much of its budget a run has left for one call, so that the prompt can be cut to fit. */
import type { Pool } from '../core/index.ts';
import type { CallBudget, Model, Prices } from '../model/index.ts';
import { outputRoom } from './run-limits.ts';

interface Payer {
  readonly models: { readonly planner: Model; readonly prices?: Prices };
  readonly limits: { readonly tokens: number };
  readonly pool: Pick<Pool, 'remaining'>;
}

interface Due {
  /** May use the reserve for the end. */
  readonly final: boolean;
  /** The maximum output of the call. Tokens. */
  readonly output: number;
  /** How many calls share the rest, including this one. */
  readonly calls?: number;
}

export function purseOf({ models, limits, pool }: Payer, { final, output, calls = 1 }: Due): CallBudget {
  const { tokens, usd } = pool.remaining({ final });
  return {
    model: models.planner,
    ...(models.prices && { prices: models.prices }),
    left: { tokens: tokens / calls, usd: usd / calls },
    output: outputRoom(limits, output),
  };
}
