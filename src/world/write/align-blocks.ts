import type { BlockText } from '../markdown/index.ts';
import { loadDiff } from '../read/diff-library.ts';

export interface OldBlock {
  readonly text: string;
  readonly kind: string;
  /** True: only an identical text matches the block. */
  readonly fixed: boolean;
}

/**
 * For each new block, the index of the old block that it continues, or null. Identical blocks are matched first, in
 * order; then identical blocks that moved; then the most similar blocks of the same kind between them.
 */
export function alignBlocks(
  old: readonly OldBlock[],
  fresh: readonly BlockText[],
): readonly (number | null)[] {
  const match: (number | null)[] = fresh.map(() => null);
  const oldKeys = old.map(({ text }) => text.trimEnd());
  const freshKeys = fresh.map(({ text }) => text.trimEnd());
  const used = new Set<number>();
  const take = (index: number, at: number) => {
    match[index] = at;
    used.add(at);
  };

  let [i, j] = [0, 0];
  for (const part of loadDiff().diffArrays(oldKeys, freshKeys)) {
    if (part.added === true) j += part.count;
    else if (part.removed === true) i += part.count;
    else for (let k = 0; k < part.count; k += 1, i += 1, j += 1) take(j, i);
  }

  const elsewhere = new Map<string, number[]>();
  oldKeys.forEach((key, at) => {
    if (!used.has(at) && key !== '') elsewhere.set(key, [...(elsewhere.get(key) ?? []), at]);
  });
  freshKeys.forEach((key, index) => {
    const at = match[index] === null ? elsewhere.get(key)?.shift() : undefined;
    if (at !== undefined) take(index, at);
  });

  for (let index = 0, from = 0; index < fresh.length; index += 1) {
    if (match[index] !== null) {
      from = match[index]! + 1;
      continue;
    }
    const at = findMostSimilar(old, used, from, fresh[index]!);
    if (at !== null) {
      take(index, at);
      from = at + 1;
    }
  }
  return match;
}

/** Maximum number of old blocks to compare with a new one. */
const maxCompared = 20;
/** Minimum share of common words of a matching block. */
const minLikeness = 0.4;

function findMostSimilar(
  old: readonly OldBlock[],
  used: ReadonlySet<number>,
  from: number,
  { text, kind }: BlockText,
): number | null {
  let best: number | null = null;
  let max = minLikeness;
  for (let at = from; at < Math.min(old.length, from + maxCompared); at += 1) {
    const block = old[at]!;
    if (used.has(at) || block.fixed || block.kind !== kind) continue;
    const alike = measureSharedWords(block.text, text);
    if (alike > max) [best, max] = [at, alike];
  }
  return best;
}

/** Dice's coefficient of the sets of words, from 0 to 1. */
export function measureSharedWords(a: string, b: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const [left, right] = [words(a), words(b)];
  if (left.size + right.size === 0) return 0;
  return (2 * left.intersection(right).size) / (left.size + right.size);
}
