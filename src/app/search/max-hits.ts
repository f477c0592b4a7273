/** Checks the number of results that a caller asks for. */
import { SondeError } from '../../core/index.ts';

const maxHits = 10_000;

/** Throws `bad_argument` if `k` is not 1 to 10,000. `name` and `shownValue`: the argument as the message shows it. */
export function checkMaxHits(k: unknown, name: string, shownValue: unknown = k): number {
  if (typeof k === 'number' && Number.isInteger(k) && k >= 1 && k <= maxHits) return k;
  throw new SondeError('bad_argument', {
    message: `${name} is ${JSON.stringify(shownValue)}`,
    remedy: `Allowed: a whole number from 1 to ${maxHits}.`,
  });
}
