/** How hard a model is to think, where it takes a word for that in place of a number of tokens. */

/** With fewer tokens than these it is asked for little, or for medium, effort. Tokens. */
const little = 4_000;
const much = 16_000;

export type Effort = 'low' | 'medium' | 'high';

export function effortFor(tokens: number): Effort {
  if (tokens < little) return 'low';
  return tokens < much ? 'medium' : 'high';
}
