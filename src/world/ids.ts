import { randomFillSync } from 'node:crypto';

/** In this order: page, block, deviation, flag, write, workspace. */
export type IdKind = 'pg' | 'bl' | 'dv' | 'fl' | 'wr' | 'ws';

const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz', 'latin1');
const timeDigits = 9;
const randomPairs = 5;

/** Random numbers for 512 ids: 16 bits for each pair of digits, and 16 for the last digit. */
const pool = new Uint16Array((randomPairs + 1) * 512);
let poolIndex = pool.length;

/** The bytes of the latest id, reused since the next id often has the same time. */
const idBytes = Buffer.alloc(3 + timeDigits + 2 * randomPairs + 1, '-', 'latin1');
let idTime = Number.NaN;

/**
 * A kind such as `pg-`, 9 base-36 digits of the time in milliseconds, and 11 random digits. Ids ascend with time, so
 * that new rows go to the end of an index; the 56 random bits make them unique over all workspaces.
 */
export function newId(kind: IdKind, now: number): string {
  if (now !== idTime) {
    const time = Math.max(0, Math.floor(now)).toString(36).padStart(timeDigits, '0').slice(-timeDigits);
    idBytes.write(time, 3, 'latin1');
    idTime = now;
  }
  idBytes[0] = kind.charCodeAt(0);
  idBytes[1] = kind.charCodeAt(1);
  if (poolIndex === pool.length) {
    randomFillSync(pool);
    poolIndex = 0;
  }
  let offset = 3 + timeDigits;
  for (let pair = 0; pair < randomPairs; pair += 1) {
    const value = pool[poolIndex++]! % (36 * 36);
    idBytes[offset++] = digits[Math.floor(value / 36)]!;
    idBytes[offset++] = digits[value % 36]!;
  }
  idBytes[offset] = digits[pool[poolIndex++]! % 36]!;
  return idBytes.toString('latin1');
}
