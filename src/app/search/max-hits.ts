/** How many results a caller may ask for. */
import { SondeError } from '../../core/index.ts';

const maxHits = 10_000;

/** `k` as a number, or as what a person typed. Throws `bad_argument`, which names it by `name`. */
export function checkHits(k: unknown, name: string): number {
  const count = typeof k === 'string' && name.startsWith('--') && /^\d+$/.test(k) ? Number(k) : k;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxHits) return count;
  throw new SondeError('bad_argument', {
    message: `${name} is ${JSON.stringify(k)}`,
    remedy: `Allowed: a whole number from 1 to ${maxHits}.`,
  });
}
