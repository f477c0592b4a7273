/** Converts a number of thinking tokens to a level of effort, for models that take a level. */

/** Below `little` tokens the level is low, below `much` medium, else high. */
const little = 4_000;
const much = 16_000;

export type Effort = 'low' | 'medium' | 'high';

export function effortFor(tokens: number): Effort {
  if (tokens < little) return 'low';
  return tokens < much ? 'medium' : 'high';
}
