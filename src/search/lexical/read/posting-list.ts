/**
 * Reads postings; `Postings` describes their format. The decoding is repeated in each function, since it is an inner
 * loop. The loops that score a query are in `kernel/score-postings.ts`. Damaged bytes give wrong numbers, but never a
 * read past the end.
 */

/** Counts the postings of live chunks. */
export function countLive(bytes: Uint8Array, dead: Uint8Array): number {
  const end = bytes.length;
  let at = 0;
  let chunk = -1;
  let count = 0;
  while (at < end) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    let shift = 7;
    while (byte > 127 && at < end) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    }
    chunk += value >>> 1;
    if ((value & 1) === 0) at++;
    if (dead[chunk] === 0) count++;
  }
  return count;
}

export function forEachPosting(bytes: Uint8Array, visit: (chunk: number, frequency: number) => void): void {
  const end = bytes.length;
  let at = 0;
  let chunk = -1;
  while (at < end) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    let shift = 7;
    while (byte > 127 && at < end) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    }
    chunk += value >>> 1;
    visit(chunk, (value & 1) === 1 ? 1 : bytes[at++]!);
  }
}
