import type { BlockText } from '../markdown/index.ts';
import { loadDiff } from '../read/diff-library.ts';

export interface OldBlock {
  readonly text: string;
  readonly kind: string;
  /** True: only an identical text matches the block. */
  readonly fixed: boolean;
}

/**
 * For each new block, the index of the old block that it continues, or null. Identical blocks in the same order are
 * matched first, and identical blocks that moved second. Each other block is matched with the most similar unmatched
 * block of its kind among those that follow the previous match.
 */
export function alignBlocks(
  oldBlocks: readonly OldBlock[],
  newBlocks: readonly BlockText[],
): readonly (number | null)[] {
  const matches: (number | null)[] = newBlocks.map(() => null);
  const oldKeys = oldBlocks.map(({ text }) => text.trimEnd());
  const freshKeys = newBlocks.map(({ text }) => text.trimEnd());
  const matchedOld = new Set<number>();
  const recordMatch = (index: number, oldIndex: number) => {
    matches[index] = oldIndex;
    matchedOld.add(oldIndex);
  };

  let [nextOld, nextNew] = [0, 0];
  for (const part of loadDiff().diffArrays(oldKeys, freshKeys)) {
    if (part.added === true) nextNew += part.count;
    else if (part.removed === true) nextOld += part.count;
    else for (let k = 0; k < part.count; k += 1, nextOld += 1, nextNew += 1) recordMatch(nextNew, nextOld);
  }

  const unmatchedByText = new Map<string, number[]>();
  oldKeys.forEach((key, oldIndex) => {
    if (!matchedOld.has(oldIndex) && key !== '')
      unmatchedByText.set(key, [...(unmatchedByText.get(key) ?? []), oldIndex]);
  });
  freshKeys.forEach((key, index) => {
    const oldIndex = matches[index] === null ? unmatchedByText.get(key)?.shift() : undefined;
    if (oldIndex !== undefined) recordMatch(index, oldIndex);
  });

  for (let index = 0, firstOld = 0; index < newBlocks.length; index += 1) {
    if (matches[index] !== null) {
      firstOld = matches[index]! + 1;
      continue;
    }
    const oldIndex = findMostSimilar(oldBlocks, matchedOld, firstOld, newBlocks[index]!);
    if (oldIndex !== null) {
      recordMatch(index, oldIndex);
      firstOld = oldIndex + 1;
    }
  }
  return matches;
}

/** Maximum number of old blocks that are compared with a new block. */
const maxCompared = 20;
/** Minimum share of common words (Dice's coefficient) of two blocks that match. */
const minLikeness = 0.4;

function findMostSimilar(
  oldBlocks: readonly OldBlock[],
  matchedOld: ReadonlySet<number>,
  firstOld: number,
  { text, kind }: BlockText,
): number | null {
  let bestIndex: number | null = null;
  let bestLikeness = minLikeness;
  for (
    let oldIndex = firstOld;
    oldIndex < Math.min(oldBlocks.length, firstOld + maxCompared);
    oldIndex += 1
  ) {
    const block = oldBlocks[oldIndex]!;
    if (matchedOld.has(oldIndex) || block.fixed || block.kind !== kind) continue;
    const likeness = measureSharedWords(block.text, text);
    if (likeness > bestLikeness) [bestIndex, bestLikeness] = [oldIndex, likeness];
  }
  return bestIndex;
}

/** Dice's coefficient of the sets of words, from 0 to 1. */
export function measureSharedWords(a: string, b: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const [left, right] = [words(a), words(b)];
  if (left.size + right.size === 0) return 0;
  return (2 * left.intersection(right).size) / (left.size + right.size);
}
