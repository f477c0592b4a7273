/** Finds the changes that one side made to the pieces of the base. */
import { diffIndices } from 'node-diff3';
import { measureSharedWords } from '../write/align-blocks.ts';
import type { MergeBlock } from './pieces.ts';

/** What one side did to a piece of the base. `piece`: the piece on that side; null if it was removed. */
export interface PieceChange {
  readonly piece: MergeBlock | null;
  /** The pieces that replaced a removed piece; empty if there are none. */
  readonly replacement: readonly MergeBlock[];
}

export interface Changes {
  readonly pieceChanges: readonly PieceChange[];
  /** New pieces, by the index of the base piece that they precede; the last entry is the end of the text. */
  readonly inserted: readonly (readonly MergeBlock[])[];
}

export function findChanges(base: readonly MergeBlock[], side: readonly MergeBlock[]): Changes {
  const pieceChanges: PieceChange[] = base.map(() => ({ piece: null, replacement: [] }));
  const inserted: MergeBlock[][] = Array.from({ length: base.length + 1 }, () => []);
  let [from, at] = [0, 0];
  const keep = (until: number) => {
    for (; from < until; from += 1, at += 1) pieceChanges[from] = { piece: side[at]!, replacement: [] };
  };
  const texts = (pieces: readonly MergeBlock[]) => pieces.map(({ text }) => text);
  for (const { buffer1, buffer2 } of diffIndices(texts(base), texts(side))) {
    keep(buffer1[0]);
    const [baseEnd, sideEnd] = [buffer1[0] + buffer1[1], buffer2[0] + buffer2[1]];
    const pairs = matchPieces(base.slice(from, baseEnd), side.slice(at, sideEnd));
    const replacement = side.slice(at, sideEnd).filter((_, index) => !pairs.includes(index));
    let place = from;
    let next = 0;
    pairs.forEach((match, index) => {
      if (match === null) {
        pieceChanges[from + index] = { piece: null, replacement };
        return;
      }
      inserted[place]!.push(...side.slice(at + next, at + match));
      pieceChanges[from + index] = { piece: side[at + match]!, replacement: [] };
      place = from + index + 1;
      next = match + 1;
    });
    inserted[place]!.push(...side.slice(at + next, sideEnd));
    [from, at] = [baseEnd, sideEnd];
  }
  keep(base.length);
  return { pieceChanges, inserted };
}

/** Maximum number of comparisons. Beyond it, all old pieces count as removed and all new ones as inserted. */
const maxComparisons = 10_000;
/** Minimum share of common words of two matched pieces. */
const minSharedWords = 0.4;

/**
 * For each old piece, the index of the new piece that it became, in ascending order; null if it was removed. A single
 * old piece always matches a single new one.
 */
function matchPieces(old: readonly MergeBlock[], fresh: readonly MergeBlock[]): readonly (number | null)[] {
  if (old.length === 1 && fresh.length === 1) return [0];
  if (old.length * fresh.length > maxComparisons) return old.map(() => null);
  const best: number[][] = Array.from({ length: old.length + 1 }, () => Array(fresh.length + 1).fill(0));
  const sharedWords = old.map((mergeBlock) =>
    fresh.map((other) => measureSharedWords(mergeBlock.text, other.text)),
  );
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      best[i]![j] = Math.max(
        best[i + 1]![j]!,
        best[i]![j + 1]!,
        scoreWithPair(sharedWords[i]![j]!, best[i + 1]![j + 1]!),
      );
  const matches: (number | null)[] = old.map(() => null);
  for (let i = 0, j = 0; i < old.length && j < fresh.length; ) {
    if (best[i]![j] === best[i + 1]![j]) i += 1;
    else if (best[i]![j] === best[i]![j + 1]) j += 1;
    else matches[i++] = j++;
  }
  return matches;
}

const scoreWithPair = (alike: number, rest: number): number => (alike > minSharedWords ? alike + rest : 0);
