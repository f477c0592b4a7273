/** The options of one turn of a dialogue: its limits, and the clock, signal and prices of the run. */
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

/** Maximum output of a turn, with room for the reasoning that some models bill as output. Tokens. */
const maxReplyTokens = 4_000;
/** The share of the run's time after which a silent call is given up, so that time is left for another attempt. */
const maxSilenceShare = 0.5;

interface CallingRun {
  readonly models: { readonly planner: Model; readonly prices?: Prices; readonly retry?: RetryPolicy };
  readonly limits: { readonly tokens: number; readonly wall_ms: number };
  readonly pool: Parameters<typeof limitToPool>[0];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

interface TurnFields {
  /** The number within the run, for the log. */
  readonly number: number;
  /** What the turns are for, in a word, for the log. */
  readonly name: string;
  /** Unique within the run. */
  readonly key: string;
  /** Whether the turn may spend the reserve for the end of the run. */
  readonly final: boolean;
}

export function turnOptions(context: CallingRun, { number, name, key, final }: TurnFields): TurnOptions {
  const maxSilenceMs = maxSilence(context.models.planner, maxSilenceShare * context.limits.wall_ms);
  const { timeoutMs, deadline, scope = '' } = limitToPool(context.pool, { final, maxSilenceMs });
  return {
    number,
    name,
    scope,
    maxOutputTokens: outputRoom(context.limits, maxReplyTokens),
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
