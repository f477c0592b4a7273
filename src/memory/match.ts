/**
 * Searches a tier by plain matching. A tier holds at most a few megabytes in one place, so every item can be scanned.
 * Unlike FTS5, this keeps no second copy of the words, which a scrub would have to find again, and it finds words in
 * scripts without spaces.
 */
import type { MemoryHit, MemoryItem } from './memory.ts';

/** The weight of a word in the key, compared with one in the text. */
const keyWeight = 3;
/** The saturation of repeated words, as in BM25. */
const k1 = 1.2;

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

function splitWords(query: string): readonly string[] {
  return [...new Set(fold(query).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
}

/** Words of one or two letters of an alphabet occur within most longer words, so they match only whole words. */
const shortWord = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{1,2}$/u;

function countOccurrences(text: string, word: string): number {
  if (shortWord.test(word)) return splitWords(text).filter((other) => other === word).length;
  let count = 0;
  for (
    let position = text.indexOf(word);
    position >= 0;
    position = text.indexOf(word, position + word.length)
  )
    count += 1;
  return count;
}

export function searchItems(items: Iterable<MemoryItem>, query: string, limit: number): readonly MemoryHit[] {
  const words = splitWords(query);
  if (words.length === 0) return [];
  const found: { readonly item: MemoryItem; readonly counts: readonly number[] }[] = [];
  let total = 0;
  for (const item of items) {
    total += 1;
    const [key, text] = [fold(item.key), fold(item.text)];
    const counts = words.map(
      (word) => keyWeight * countOccurrences(key, word) + countOccurrences(text, word),
    );
    if (counts.some((count) => count > 0)) found.push({ item, counts });
  }
  const rarity = words.map((_, n) => {
    const holding = found.filter(({ counts }) => counts[n]! > 0).length;
    return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
  });
  const scored = found.map(({ item, counts }) => ({
    item,
    score: counts.reduce((sum, count, n) => sum + (rarity[n]! * count * (k1 + 1)) / (count + k1), 0),
  }));
  return scored
    .sort((a, b) => b.score - a.score || b.item.updated - a.item.updated || (a.item.id < b.item.id ? -1 : 1))
    .slice(0, limit);
}

/** Whether the key or the text contains the text, for the owner's scrub. */
export const containsText = (item: MemoryItem, text: string): boolean =>
  fold(item.key).includes(fold(text)) || fold(item.text).includes(fold(text));
