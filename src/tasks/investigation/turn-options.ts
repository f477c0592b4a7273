/** How a model is asked: its limits, and what it takes from the run. */
import { longestSilence, type Model, type TurnOptions, withinPool } from '../../model/index.ts';
import type { Crew, Place } from './crew.ts';

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

export function turnOptions(crew: Crew, { pool }: Pick<Place, 'pool'>, asking: Asking): TurnOptions {
  const { model, name, number, maxOutputTokens, final = false, signal } = asking;
  return {
    ...withinPool(pool, { final, longest: longestSilence(model, crew.limits.call_ms) }),
    name,
    number,
    maxOutputTokens,
    clock: crew.clock,
    random: crew.random,
    sleep: crew.sleep,
    signal: signal ?? AbortSignal.any([crew.signal, crew.failure.signal]),
    // Whoever is away now may be back when the run is taken up again.
    resumable: true,
    ...(crew.models.prices && { prices: crew.models.prices }),
    ...(crew.models.retry && { retry: crew.models.retry }),
  };
}
