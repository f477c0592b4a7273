/** How many results a caller may ask for. */
import { SondeError } from '../../core/index.ts';

const maxHits = 10_000;

/** Throws `bad_argument` for what is no number of results; `name`: how the caller knows `k`. */
export function checkHits(k: unknown, name: string): number {
  if (typeof k === 'number' && Number.isInteger(k) && k >= 1 && k <= maxHits) return k;
  throw new SondeError('bad_argument', {
    message: `${name} is ${JSON.stringify(k)}`,
    remedy: `Allowed: a whole number from 1 to ${maxHits}.`,
  });
}
