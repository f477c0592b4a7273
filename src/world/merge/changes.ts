/** The changes that one side made to the pieces of the base. */
import { diffIndices } from 'node-diff3';
import { measureSharedWords } from '../write/align-blocks.ts';
import type { MergeBlock } from './pieces.ts';

/** The change of one side to a piece of the base. `piece` is its new form; null if it was removed. */
export interface Fate {
  readonly piece: MergeBlock | null;
  /** The pieces written in the place of a removed one; empty if it was not removed, or nothing replaced it. */
  readonly instead: readonly MergeBlock[];
}

export interface Changes {
  readonly fates: readonly Fate[];
  /** New pieces, by the index of the base piece that they precede; the last entry is the end of the text. */
  readonly inserted: readonly (readonly MergeBlock[])[];
}

export function changesOf(base: readonly MergeBlock[], side: readonly MergeBlock[]): Changes {
  const fates: Fate[] = base.map(() => ({ piece: null, instead: [] }));
  const inserted: MergeBlock[][] = Array.from({ length: base.length + 1 }, () => []);
  let [from, at] = [0, 0];
  const keep = (until: number) => {
    for (; from < until; from += 1, at += 1) fates[from] = { piece: side[at]!, instead: [] };
  };
  const texts = (pieces: readonly MergeBlock[]) => pieces.map(({ text }) => text);
  for (const { buffer1, buffer2 } of diffIndices(texts(base), texts(side))) {
    keep(buffer1[0]);
    const [gone, come] = [buffer1[0] + buffer1[1], buffer2[0] + buffer2[1]];
    const pairs = pairPieces(base.slice(from, gone), side.slice(at, come));
    const instead = side.slice(at, come).filter((_, index) => !pairs.includes(index));
    let place = from;
    let next = 0;
    pairs.forEach((mate, index) => {
      if (mate === null) {
        fates[from + index] = { piece: null, instead };
        return;
      }
      inserted[place]!.push(...side.slice(at + next, at + mate));
      fates[from + index] = { piece: side[at + mate]!, instead: [] };
      place = from + index + 1;
      next = mate + 1;
    });
    inserted[place]!.push(...side.slice(at + next, come));
    [from, at] = [gone, come];
  }
  keep(base.length);
  return { fates, inserted };
}

/**
 * Maximum number of comparisons. Beyond it no match is looked for: all old pieces count as removed, and all new ones as
 * written.
 */
const maxComparisons = 10_000;
/** Minimum likeness of two pieces. Below it they are different paragraphs. */
const minLikeness = 0.4;

/**
 * The new piece that each old one became, in order; null for removed ones. A single old and a single new piece are
 * always matched.
 */
function pairPieces(old: readonly MergeBlock[], fresh: readonly MergeBlock[]): readonly (number | null)[] {
  if (old.length === 1 && fresh.length === 1) return [0];
  if (old.length * fresh.length > maxComparisons) return old.map(() => null);
  const best: number[][] = Array.from({ length: old.length + 1 }, () => Array(fresh.length + 1).fill(0));
  const alike = old.map((mergeBlock) =>
    fresh.map((other) => measureSharedWords(mergeBlock.text, other.text)),
  );
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      best[i]![j] = Math.max(
        best[i + 1]![j]!,
        best[i]![j + 1]!,
        withPair(alike[i]![j]!, best[i + 1]![j + 1]!),
      );
  const mates: (number | null)[] = old.map(() => null);
  for (let i = 0, j = 0; i < old.length && j < fresh.length; ) {
    if (best[i]![j] === best[i + 1]![j]) i += 1;
    else if (best[i]![j] === best[i]![j + 1]) j += 1;
    else mates[i++] = j++;
  }
  return mates;
}

const withPair = (alike: number, rest: number): number => (alike > minLikeness ? alike + rest : 0);
