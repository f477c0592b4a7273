/**
 * A Bloom filter over a segment's terms. A query tries many forms of a word, and most do not occur; the filter saves
 * reading for them. About 1 in 100 absent terms passes.
 */

const bitsPerTerm = 10;
const probes = 5;
const minBytes = 64;

/** The size of a filter, a power of two. */
export function filterBytes(terms: number): number {
  return Math.max(minBytes, 2 ** Math.ceil(Math.log2(Math.max(1, (terms * bitsPerTerm) / 8))));
}

export function addToFilter(filter: Uint8Array, hash: number): void {
  const mask = filter.length * 8 - 1;
  const step = stepOf(hash);
  for (let k = 0, bit = hash; k < probes; k++, bit = (bit + step) | 0) {
    const place = bit & mask;
    filter[place >>> 3] = filter[place >>> 3]! | (1 << (place & 7));
  }
}

export function mayContain(filter: Uint8Array, hash: number): boolean {
  const mask = filter.length * 8 - 1;
  const step = stepOf(hash);
  for (let k = 0, bit = hash; k < probes; k++, bit = (bit + step) | 0) {
    const place = bit & mask;
    if ((filter[place >>> 3]! & (1 << (place & 7))) === 0) return false;
  }
  return true;
}

/** Odd, so that the probes differ. */
function stepOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) | 1;
}
