import { createHash, randomBytes } from 'node:crypto';

/** Hexadecimal SHA-256 of a text's UTF-8 bytes. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * An id of a run: sortable by time of creation, unique over machines.
 * `run-` + 9 base-36 digits of the millisecond + 6 random ones.
 */
export function createRunId(now: number): string {
  const time = now.toString(36).padStart(9, '0');
  const tail = randomBytes(8).readBigUInt64BE().toString(36).padStart(13, '0').slice(-6);
  return `run-${time}${tail}`;
}

let newest = 0;
let idCount = 0;

/** An id, unique over machines. The ids of one process sort in the order in which it made them. */
export function createSortableId(now: number): string {
  newest = Math.max(newest, now);
  idCount += 1;
  const time = newest.toString(36).padStart(9, '0');
  return `${time}${idCount.toString(36).padStart(7, '0')}${randomBytes(8).toString('hex')}`;
}

/** JSON with sorted keys: equal values give equal text, whatever the order they were written in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
