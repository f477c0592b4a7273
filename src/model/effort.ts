/** Converts a number of thinking tokens to a level of effort, for models that take a level. */

/** Below `maxLow` tokens the level is low, below `maxMedium` medium, else high. */
const maxLow = 4_000;
const maxMedium = 16_000;

export type Effort = 'low' | 'medium' | 'high';

export function effortFor(tokens: number): Effort {
  if (tokens < maxLow) return 'low';
  return tokens < maxMedium ? 'medium' : 'high';
}
