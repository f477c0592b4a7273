import { grownWords, powerOfTwo, tagMask, type Words } from './byte-table.ts';

/**
 * A hash table from identifiers to what the builder knows of them. It keeps two independent hashes of 32 bits
 * and the length instead of the bytes: one cache line a look-up, and among a million identifiers the chance
 * that any two are taken for one is less than 1 in 10 million.
 *
 * A record is four words: first hash, second hash, `info` (length in the lowest 8 bits, the owner's above), and
 * `value` (the owner's). A slot holds the record's number in its lowest bits and bits of the hash above, so that
 * most collisions are passed without a look at the record.
 */
export class IdentifierTable {
  slots: Words;
  records: Words;
  /** One more than the number of identifiers: 0 marks an empty slot. */
  next = 1;

  constructor(capacity: number) {
    this.slots = new Int32Array(powerOfTwo(capacity * 2));
    this.records = new Int32Array(capacity * 4);
  }

  /** Returns the new record's number. `slot` is the empty one where the search for it ended. */
  add(slot: number, first: number, second: number, info: number): number {
    const number = this.next++;
    const record = number << 2;
    if (record + 4 > this.records.length) this.records = grownWords(this.records, 0);
    this.records[record] = first;
    this.records[record + 1] = second;
    this.records[record + 2] = info;
    this.slots[slot] = number | (second & tagMask);
    if (this.next * 5 > this.slots.length * 3) this.#rehash();
    return number;
  }

  #rehash(): void {
    const slots = new Int32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 1; number < this.next; number++) {
      const record = number << 2;
      let slot = slotOf(this.records[record]!, mask);
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number | (this.records[record + 1]! & tagMask);
    }
    this.slots = slots;
  }
}

/** Where the search for an identifier of this first hash begins. */
export function slotOf(first: number, mask: number): number {
  return (first ^ (first >>> 15)) & mask;
}

export const firstSeed = 0x811c9dc5 | 0;
export const firstPrime = 0x01000193;
/** The second hash multiplies before it mixes, with another constant, so that the two don't collide together. */
export const secondSeed = 0x2f0b4c47;
export const secondPrime = 0x5bd1e995;
