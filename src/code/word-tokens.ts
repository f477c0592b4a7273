import { decode, detectEncoding } from '../search/index.ts';

/**
 * The words of a file as hashes, small enough to keep for a whole tree. A lookup may rarely report a word that is not
 * there, but never misses one.
 */

const isAscii = new Uint8Array(256);
for (const sign of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_')
  isAscii[sign.charCodeAt(0)] = 1;

const offset = 0x811c9dc5;
const prime = 0x01000193;
const anyWord = /[\p{L}\p{N}\p{M}\p{Pc}]+/gu;

/** The hash of one word, over its bytes in UTF-8 (FNV-1a). */
export function hashWord(word: string): number {
  let hash = offset;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}

/** The words that a name is made of: a file that holds the name holds each of them. */
export const splitWords = (name: string): readonly string[] => name.match(anyWord) ?? [];

/** The hashes of all words in a text, each once, sorted. Null if it is not a text, as all who read a file decide. */
export function hashTextWords(bytes: Uint8Array): Uint32Array | null {
  const encoding = detectEncoding(bytes);
  if (encoding === null) return null;
  if (encoding !== 'utf-8') return hashWords(decode(bytes)?.text ?? '');
  const found = new Set<number>();
  for (let at = 0; at < bytes.length; ) {
    if (isAscii[bytes[at]!] === 0 && bytes[at]! < 0x80) {
      at += 1;
      continue;
    }
    const begin = at;
    let hash = offset;
    let isPlain = true;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte >= 0x80) isPlain = false;
      else if (isAscii[byte] === 0) break;
      hash = Math.imul(hash ^ byte, prime);
    }
    if (isPlain) found.add(hash >>> 0);
    // In other scripts, a run of bytes may hold punctuation between words.
    else
      for (const word of splitWords(Buffer.from(bytes.subarray(begin, at)).toString()))
        found.add(hashWord(word));
  }
  return Uint32Array.from(found).sort();
}

const hashWords = (text: string): Uint32Array =>
  Uint32Array.from(new Set(splitWords(text).map(hashWord))).sort();

/** Whether the sorted hashes contain one. */
export function hasHash(hashes: Uint32Array, wanted: number): boolean {
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hashes[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === wanted;
}
