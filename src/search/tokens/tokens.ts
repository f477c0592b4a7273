import { getStemmer, type Stem, type Stemming } from './tokens-stem.ts';
import { splitUnicode } from './tokens-unicode.ts';

/**
 * Splits code into terms, on bytes. An identifier gives itself and its parts: `parseHTTPBody` gives parsehttpbody, parse,
 * http, body; `max_retries` gives max_retries, max, retries. Index and queries use the same functions.
 */

export interface TokenSettings {
  readonly stemming: Stemming;
}

/** Classes of bytes; 0 is a separator. The joiners `_` and `$` connect the parts of an identifier. */
export const byteClasses = { lower: 1, upper: 2, digit: 3, joiner: 4, beyondAscii: 5 } as const;
const { lower, upper, digit, joiner, beyondAscii } = byteClasses;

export const byteClass = classify();

function classify(): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(lower, 97, 123);
  table.fill(upper, 65, 91);
  table.fill(digit, 48, 58);
  table[95] = joiner;
  table[36] = joiner;
  table.fill(beyondAscii, 128, 256);
  return table;
}

/** Longer runs of ASCII are encoded data, not names. In bytes. */
export const maxRun = 128;
/** Longer names are found by their parts only. In bytes. */
export const maxTermLength = 64;
/** Longer runs that start with a digit are data. In bytes. */
export const maxNumberLength = 12;
export const maxParts = 24;

const encoder = new TextEncoder();

/** Splits one run of word bytes into terms. The terms of the last call are in `bytes`, between the offsets in `ends`. */
export class TermSplitter {
  bytes = new Uint8Array(4096);
  /** Term `k` is `bytes[ends[k], ends[k + 1])`. */
  ends = new Int32Array(256);
  count = 0;
  readonly #stem: Stem;
  readonly #parts = new Int32Array(2 * maxParts + 2);
  readonly #decoder = new TextDecoder();

  constructor(settings: TokenSettings) {
    this.#stem = getStemmer(settings.stemming);
  }

  /** Returns how many terms there are. */
  split(source: Uint8Array, start: number, end: number): number {
    this.count = 0;
    this.ends[0] = 0;
    let ascii = true;
    for (let i = start; i < end; i++) {
      if (source[i]! >= 128) {
        ascii = false;
        break;
      }
    }
    if (ascii) this.#splitAscii(source, start, end);
    else this.#splitUnicode(this.#decoder.decode(source.subarray(start, end)));
    return this.count;
  }

  #splitUnicode(text: string): void {
    splitUnicode(
      text,
      (term) => {
        const encoded = encoder.encode(term);
        if (encoded.length > maxRun) return;
        this.#makeRoom(encoded.length);
        const at = this.ends[this.count]!;
        this.bytes.set(encoded, at);
        this.#emit(encoded.length);
      },
      (word) => {
        const encoded = encoder.encode(word);
        if (encoded.length <= maxRun) this.#splitAscii(encoded, 0, encoded.length);
      },
    );
  }

  #splitAscii(source: Uint8Array, from: number, to: number): void {
    let start = from;
    let end = to;
    while (start < end && byteClass[source[start]!] === joiner) start++;
    while (end > start && byteClass[source[end - 1]!] === joiner) end--;
    const length = end - start;
    if (length < 2) return;
    if (byteClass[source[start]!] === digit) {
      if (length <= maxNumberLength) this.#emitLowerCase(source, start, end, false);
      return;
    }
    const parts = this.#findParts(source, start, end);
    if (parts === 1) {
      if (length <= maxTermLength) this.#emitLowerCase(source, start, end, true);
      return;
    }
    if (length <= maxTermLength) this.#emitLowerCase(source, start, end, false);
    // Base 64 and the like: many parts of two or three letters, none of them a word.
    if (parts >= 6 && length < parts * 3) return;
    for (let k = 0; k < parts; k++) {
      const a = this.#parts[2 * k]!;
      const b = this.#parts[2 * k + 1]!;
      if (b - a < 2 || b - a > maxTermLength) continue;
      if (byteClass[source[a]!] === digit && b - a > maxNumberLength) continue;
      this.#emitLowerCase(source, a, b, true);
    }
  }

  /** Cuts at joiners and where the case changes: `HTTPBody` before `Body`, `fooBar` before `Bar`. */
  #findParts(source: Uint8Array, start: number, end: number): number {
    const parts = this.#parts;
    let n = 0;
    let from = start;
    for (let k = start + 1; k <= end && n < maxParts; k++) {
      const now = k < end ? byteClass[source[k]!]! : joiner;
      const before = byteClass[source[k - 1]!]!;
      let cut = -1;
      if (now === joiner) cut = k;
      else if (before === joiner) from = k;
      else if (now === upper && before !== upper) cut = k;
      else if (now === lower && before === upper && k - 1 > from) cut = k - 1;
      if (cut < 0 || (now === joiner && before === joiner)) continue;
      parts[2 * n] = from;
      parts[2 * n + 1] = cut;
      n++;
      from = cut;
    }
    return n;
  }

  /** Emits the lower-case form, stemmed if `stem`, unless it is already a term of this run. */
  #emitLowerCase(source: Uint8Array, start: number, end: number, stem: boolean): void {
    const length = end - start;
    this.#makeRoom(length + 1);
    const bytes = this.bytes;
    const at = this.ends[this.count]!;
    for (let k = 0; k < length; k++) {
      const byte = source[start + k]!;
      bytes[at + k] = byteClass[byte] === upper ? byte + 32 : byte;
    }
    this.#emit(stem ? this.#stem(bytes, at, length) : length);
  }

  #emit(length: number): void {
    const at = this.ends[this.count]!;
    for (let k = 0; k < this.count; k++) {
      const other = this.ends[k]!;
      if (this.ends[k + 1]! - other === length && this.#isSame(other, at, length)) return;
    }
    this.ends[++this.count] = at + length;
  }

  #isSame(a: number, b: number, length: number): boolean {
    for (let k = 0; k < length; k++) if (this.bytes[a + k] !== this.bytes[b + k]) return false;
    return true;
  }

  #makeRoom(length: number): void {
    const needed = this.ends[this.count]! + length;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
      grown.set(this.bytes);
      this.bytes = grown;
    }
    if (this.count + 2 > this.ends.length) {
      const grown = new Int32Array(this.ends.length * 2);
      grown.set(this.ends);
      this.ends = grown;
    }
  }
}

/** The terms of a text in order, with repeats, as they are indexed. */
export function splitTerms(text: string, settings: TokenSettings): string[] {
  const source = encoder.encode(text);
  const splitter = new TermSplitter(settings);
  const terms: string[] = [];
  let i = 0;
  while (i < source.length) {
    if (byteClass[source[i]!] === 0) {
      i++;
      continue;
    }
    const start = i;
    let high = 0;
    do {
      high |= source[i]!;
      i++;
    } while (i < source.length && byteClass[source[i]!] !== 0);
    if (i - start < 2 || (i - start > maxRun && high < 128)) continue;
    const count = splitter.split(source, start, i);
    for (let k = 0; k < count; k++) {
      terms.push(Buffer.from(splitter.bytes.subarray(splitter.ends[k]!, splitter.ends[k + 1]!)).toString());
    }
  }
  return terms;
}
