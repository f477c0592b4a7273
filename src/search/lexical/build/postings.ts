import { type Bytes, growBytes, growWords, type WordArray } from './byte-table.ts';

/**
 * Postings while segments are merged. A posting is a varint: twice the distance to the term's previous chunk, plus one
 * if the frequency is 1. A frequency above 1 follows in a byte. Each term's postings are in a chain of slices within one
 * pool. A slice is twice as large as the one before, and its last four bytes are the offset of the next, so terms grow
 * side by side without moving (after M. Busch et al., "Earlybird", 2012).
 */

const sliceSizes = Int32Array.of(8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096);
const linkBytes = 4;

/** Number of words in a term's record; their positions follow. */
export const recordWords = 8;
const wordShift = 3;
const documents = 0;
const head = 1;
const cursor = 2;
const sliceEnd = 3;
const lastChunk = 4;
const level = 5;
/** Bytes written, without links. */
const written = 6;
/** Maximum bytes of a posting: a varint of 32 bits and a frequency. */
const maxPostingLength = 6;

export class Postings {
  /** Records by term id, of the words named above. */
  records: WordArray;
  pool: Bytes;
  poolLength = 4;

  constructor(terms: number) {
    this.records = new Int32Array(terms * recordWords);
    this.pool = new Uint8Array(terms * 64);
  }

  /** Creates the record of a new term. */
  addTerm(term: number): void {
    const at = term << wordShift;
    if (at + recordWords > this.records.length) this.records = growWords(this.records, 0);
    this.records[at + lastChunk] = -1;
  }

  documentFrequency(term: number): number {
    return this.records[(term << wordShift) + documents]!;
  }

  /** Appends a posting for the record at word `at`. Chunks must come in ascending order. */
  append(at: number, chunk: number, tf: number): void {
    const records = this.records;
    let value = ((chunk - records[at + lastChunk]!) << 1) | (tf === 1 ? 1 : 0);
    records[at + lastChunk] = chunk;
    records[at + documents] = records[at + documents]! + 1;
    const offset = records[at + cursor]!;
    if (records[at + sliceEnd]! - offset < maxPostingLength) {
      this.#appendAcross(at, value, tf);
      return;
    }
    const pool = this.pool;
    let next = offset;
    while (value > 127) {
      pool[next++] = (value & 127) | 128;
      value >>>= 7;
    }
    pool[next++] = value;
    if (tf > 1) pool[next++] = tf;
    records[at + cursor] = next;
    records[at + written] = records[at + written]! + next - offset;
  }

  /** Appends a posting that may not fit into the rest of the slice. */
  #appendAcross(at: number, posting: number, tf: number): void {
    let value = posting;
    while (value > 127) {
      this.#appendByte(at, (value & 127) | 128);
      value >>>= 7;
    }
    this.#appendByte(at, value);
    if (tf > 1) this.#appendByte(at, tf);
  }

  #appendByte(at: number, byte: number): void {
    const records = this.records;
    if (records[at + cursor] === records[at + sliceEnd]) this.#addSlice(at);
    const offset = records[at + cursor]!;
    this.pool[offset] = byte;
    records[at + cursor] = offset + 1;
    records[at + written] = records[at + written]! + 1;
  }

  #addSlice(at: number): void {
    const records = this.records;
    const first = records[at + head] === 0;
    const size = first ? 0 : Math.min(records[at + level]! + 1, sliceSizes.length - 1);
    const bytes = sliceSizes[size]!;
    if (this.poolLength + bytes > this.pool.length) this.pool = growBytes(this.pool, 0);
    const offset = this.poolLength;
    this.poolLength += bytes;
    if (first) records[at + head] = offset;
    else writeLink(this.pool, records[at + sliceEnd]!, offset);
    records[at + level] = size;
    records[at + cursor] = offset;
    records[at + sliceEnd] = offset + bytes - linkBytes;
  }

  /** How many bytes `copy` writes. */
  byteLength(term: number): number {
    return this.records[(term << wordShift) + written]!;
  }

  /** Writes a term's postings in one piece and returns the offset after them. */
  copy(term: number, target: Uint8Array, offset: number): number {
    const { pool } = this;
    const at = term << wordShift;
    let from = this.records[at + head]!;
    if (from === 0) return offset;
    const last = this.records[at + sliceEnd]!;
    let to = offset;
    for (let size = 0; ; size = Math.min(size + 1, sliceSizes.length - 1)) {
      const sliceLast = from + sliceSizes[size]! - linkBytes;
      const end = sliceLast === last ? this.records[at + cursor]! : sliceLast;
      if (end - from < minBulkCopy) for (let i = from; i < end; i++) target[to++] = pool[i]!;
      else {
        target.set(pool.subarray(from, end), to);
        to += end - from;
      }
      if (sliceLast === last) return to;
      from = readLink(pool, sliceLast);
    }
  }
}

/** Fewer bytes are copied faster one by one than with a view. */
const minBulkCopy = 64;

function writeLink(pool: Bytes, at: number, offset: number): void {
  pool[at] = offset & 255;
  pool[at + 1] = (offset >>> 8) & 255;
  pool[at + 2] = (offset >>> 16) & 255;
  pool[at + 3] = offset >>> 24;
}

function readLink(pool: Bytes, at: number): number {
  return pool[at]! | (pool[at + 1]! << 8) | (pool[at + 2]! << 16) | (pool[at + 3]! << 24);
}
