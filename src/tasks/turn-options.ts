/** The options of one turn of a dialogue: its limits, and what it takes from the run. */
import type { Clock } from '../core/index.ts';
import {
  limitToPool,
  type Model,
  maxSilence,
  type Prices,
  type RetryPolicy,
  type TurnOptions,
  timeRefusal,
} from '../model/index.ts';
import { outputRoom } from './run-limits.ts';

/** Room for the reasoning that some models bill as output. Tokens. */
const replyTokens = 4_000;
/** The share of the run's time after which a silent call is given up, so that time is left for another attempt. */
const maxShare = 0.5;

interface Taker {
  readonly models: { readonly planner: Model; readonly prices?: Prices; readonly retry?: RetryPolicy };
  readonly limits: { readonly tokens: number; readonly wall_ms: number };
  readonly pool: Parameters<typeof limitToPool>[0];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

interface Turning {
  /** The number within the run, for the log. */
  readonly number: number;
  /** What the turns are for, in a word, for the log. */
  readonly name: string;
  /** Unique within the run. */
  readonly key: string;
  /** May draw on what is kept back for the end. */
  readonly final: boolean;
}

export function turnOptions(context: Taker, { number, name, key, final }: Turning): TurnOptions {
  const longest = maxSilence(context.models.planner, maxShare * context.limits.wall_ms);
  const { timeoutMs, deadline, scope = '' } = limitToPool(context.pool, { final, maxSilenceMs: longest });
  return {
    number,
    name,
    scope,
    maxOutputTokens: outputRoom(context.limits, replyTokens),
    timeoutMs,
    final,
    clock: context.clock,
    random: context.random,
    sleep: context.sleep,
    signal: context.signal,
    timeRefusal: () => timeRefusal(context.pool, `${key}/time`, final),
    ...(deadline !== undefined && { deadline }),
    ...(context.models.prices && { prices: context.models.prices }),
    ...(context.models.retry && { retry: context.models.retry }),
  };
}
