import { randomBytes } from 'node:crypto';

/** page, block, deviation, flag, write, workspace. */
export type IdKind = 'pg' | 'bl' | 'dv' | 'fl' | 'wr' | 'ws';

const timeDigits = 9;
const randomDigits = 11;
/** Below 36^11, and exact as a number in two halves. */
const half = 36 ** 5;
let pool = Buffer.alloc(0);
let at = 0;

function randomBelow(limit: number): number {
  if (at + 6 > pool.length) {
    pool = randomBytes(6 * 512);
    at = 0;
  }
  at += 6;
  return pool.readUIntBE(at - 6, 6) % limit;
}

/**
 * `pg-` + 9 base-36 digits of the millisecond + 11 random ones. In the order of time, so that new rows come to the
 * end of an index; 56 random bits, so that workspaces never share one.
 */
export function newId(kind: IdKind, now: number): string {
  const time = Math.max(0, Math.floor(now)).toString(36).padStart(timeDigits, '0').slice(-timeDigits);
  const tail =
    randomBelow(half * 36)
      .toString(36)
      .padStart(randomDigits - 5, '0') + randomBelow(half).toString(36).padStart(5, '0');
  return `${kind}-${time}${tail}`;
}
