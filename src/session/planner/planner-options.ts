/** The options of a planner's turn. */
import { type Clock, type Pool, sha256 } from '../../core/index.ts';
import {
  limitToPool,
  type Model,
  maxSilence,
  type Prices,
  type RetryPolicy,
  type TurnOptions,
} from '../../model/index.ts';

/** Tokens for reasoning, which some models bill as output, and for a page that is written; in a small window less. */
const maxReplyTokens = 8_000;
const windowShare = 1 / 8;

/** The limit of one reply, in tokens. */
export function replyTokens({ contextWindow }: Pick<Model, 'contextWindow'>): number {
  return Math.min(maxReplyTokens, Math.floor(contextWindow * windowShare));
}

/** The longest silence of one call in milliseconds, except for a model on the user's own machine. */
export const maxCallMs = 120_000;

export interface PlannerPorts {
  readonly planner: Model;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly onText?: (piece: string) => void;
}

export function plannerOptions(
  { planner, pool, clock, random, sleep, prices, retry, onText }: PlannerPorts,
  { number, thread, signal }: { number: number; thread: string; signal?: AbortSignal },
): TurnOptions {
  const maxSilenceMs = maxSilence(planner, maxCallMs);
  return {
    ...limitToPool(pool, { final: false, maxSilenceMs }),
    number,
    name: 'decide',
    // The same for all turns of a thread, so that they share a provider's cache.
    scope: `thread-${sha256(thread).slice(0, 16)}`,
    maxOutputTokens: replyTokens(planner),
    // The person who continues the conversation may have fixed the cause of a failure.
    resumable: 'always',
    clock,
    random,
    sleep,
    ...(signal && { signal }),
    ...(onText && { onText }),
    ...(prices && { prices }),
    ...(retry && { retry }),
  };
}
