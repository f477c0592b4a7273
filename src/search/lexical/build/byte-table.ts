/** A hash table from byte strings to dense ids that start at 1, for hundreds of thousands of short strings. */

export type Bytes = Uint8Array<ArrayBuffer>;
export type WordArray = Int32Array<ArrayBuffer>;

export function growBytes(array: Bytes, atLeast: number): Bytes {
  const larger = new Uint8Array(Math.max(atLeast, array.length * 2));
  larger.set(array);
  return larger;
}

export function growWords(array: WordArray, atLeast: number): WordArray {
  const larger = new Int32Array(Math.max(atLeast, array.length * 2));
  larger.set(array);
  return larger;
}

/** A power of two of at least 16, so that a mask can replace a remainder. */
export function nextPowerOfTwo(atLeast: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(16, atLeast)));
}

/** The seed of FNV-1a. */
export const hashSeed = 0x811c9dc5 | 0;
export const hashPrime = 0x01000193;

/** FNV-1a, then folded. Stored segments depend on it: never change it. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = hashSeed;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, hashPrime);
  return hash ^ (hash >>> 13);
}

/** `hashBytes` of a string's UTF-8 bytes; ASCII is hashed without encoding it. */
export function hashText(text: string): number {
  let hash = hashSeed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) {
      const bytes = Buffer.from(text);
      return hashBytes(bytes, 0, bytes.length);
    }
    hash = Math.imul(hash ^ code, hashPrime);
  }
  return hash ^ (hash >>> 13);
}

/** Bits of a record's third word that hold the length; longer strings are not interned. */
const lengthMask = 0xff;

/** Bits of a slot with the record's number. The bits above are from the hash, and save most comparisons of records. */
export const numberMask = 0x3f_ffff;
export const tagMask = ~numberMask;
/** The maximum number of strings in a table. */
export const maxStrings = numberMask - 1024;

/**
 * Open addressing over records of four words, so that a look-up touches one cache line:
 * hash, offset in the pool, length with 24 bits for the owner above it, and a word for the owner.
 */
export class ByteTable {
  slots: WordArray;
  records: WordArray;
  pool: Bytes;
  poolLength = 0;
  /** One more than the number of strings: id 0 means absent. */
  next = 1;

  /** `capacity`: expected number of strings. */
  constructor(capacity: number) {
    this.slots = new Int32Array(nextPowerOfTwo(capacity * 2));
    this.records = new Int32Array(capacity * 4);
    this.pool = new Uint8Array(capacity * 12);
  }

  /** The id of `bytes[start, start + length)`, or the complement of its free slot if it is absent. */
  find(bytes: Uint8Array, start: number, length: number, hash: number): number {
    const { slots, records, pool } = this;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const entry = slots[slot]!;
      if (entry === 0) return ~slot;
      if ((entry & tagMask) !== (hash & tagMask)) {
        slot = (slot + 1) & mask;
        continue;
      }
      const id = entry & numberMask;
      const record = id << 2;
      if (records[record] === hash && (records[record + 2]! & lengthMask) === length) {
        const offset = records[record + 1]!;
        let k = 0;
        while (k < length && pool[offset + k] === bytes[start + k]) k++;
        if (k === length) return id;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** Adds a string that is absent. `slot` is the complement of what `find` returned. */
  add(slot: number, bytes: Uint8Array, start: number, length: number, hash: number): number {
    const id = this.next++;
    const record = id << 2;
    if (record + 4 > this.records.length) this.records = growWords(this.records, 0);
    if (this.poolLength + length > this.pool.length)
      this.pool = growBytes(this.pool, this.poolLength + length);
    const offset = this.poolLength;
    for (let k = 0; k < length; k++) this.pool[offset + k] = bytes[start + k]!;
    this.poolLength += length;
    this.records[record] = hash;
    this.records[record + 1] = offset;
    this.records[record + 2] = length;
    this.slots[slot] = id | (hash & tagMask);
    if (this.next * 5 > this.slots.length * 3) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 1; id < this.next; id++) {
      const hash = this.records[id << 2]!;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id | (hash & tagMask);
    }
    this.slots = slots;
  }
}
