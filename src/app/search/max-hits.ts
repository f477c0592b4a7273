/** How many results a caller may ask for. */
import { SondeError } from '../../core/index.ts';

const maxHits = 10_000;

/** Throws `bad_argument` for what is no number of results; it names `k` as the caller knows it, and what was given. */
export function checkHits(k: unknown, name: string, given: unknown = k): number {
  if (typeof k === 'number' && Number.isInteger(k) && k >= 1 && k <= maxHits) return k;
  throw new SondeError('bad_argument', {
    message: `${name} is ${JSON.stringify(given)}`,
    remedy: `Allowed: a whole number from 1 to ${maxHits}.`,
  });
}
