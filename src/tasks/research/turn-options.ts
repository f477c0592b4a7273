/** What a turn of the planner is asked with: its limits, and what it takes of the run. */
import { longestSilence, type TurnOptions, timeOver, withinPool } from '../../model/index.ts';
import { outputRoom } from '../run-limits.ts';
import type { Crew } from './crew.ts';
import type { ResearchState } from './state.ts';

/** Room for the reasoning that some models bill as output. Tokens. */
const replyTokens = 4_000;
/** One call is never silent for more of the run's time than this, so that one that hangs leaves time for another. */
const longestShare = 0.5;

export function turnOptions({ step }: ResearchState, crew: Crew, key: string, final: boolean): TurnOptions {
  const longest = longestSilence(crew.models.planner, longestShare * crew.limits.wall_ms);
  const { timeoutMs, deadline, scope = '' } = withinPool(crew.pool, { final, longest });
  return {
    number: step,
    name: 'research',
    scope,
    maxOutputTokens: outputRoom(crew.limits, replyTokens),
    timeoutMs,
    final,
    clock: crew.clock,
    random: crew.random,
    sleep: crew.sleep,
    signal: crew.signal,
    timeOver: () => timeOver(crew.pool, `${key}/time`, final),
    ...(deadline !== undefined && { deadline }),
    ...(crew.models.prices && { prices: crew.models.prices }),
    ...(crew.models.retry && { retry: crew.models.retry }),
  };
}
