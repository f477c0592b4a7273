/** Two lists of pieces that were made of a third, as one list. */
import { type Changes, changesOf, type Fate } from './changes.ts';
import { joinInsertions } from './insertions.ts';
import type { Conflict, Sides } from './merge.ts';
import { type Piece, same, whole } from './pieces.ts';

export interface PlacedPiece extends Piece {
  /** Which piece of the base it is; null where it is new. */
  readonly at: number | null;
}

export interface Sequence {
  readonly pieces: readonly PlacedPiece[];
  readonly conflicts: readonly Conflict[];
}

export interface PieceSides {
  readonly base: readonly Piece[];
  readonly ours: readonly Piece[];
  readonly theirs: readonly Piece[];
}

/** Merges two changes of one piece, looking into it; null where they stay two. */
export type MergePiece = (sides: Sides, kind: Piece['kind']) => string | null;

export function mergeSequence({ base, ours, theirs }: PieceSides, mergePiece: MergePiece): Sequence {
  const [one, other]: readonly [Changes, Changes] = [changesOf(base, ours), changesOf(base, theirs)];
  const pieces: PlacedPiece[] = [];
  const conflicts: Conflict[] = [];
  for (let at = 0; at <= base.length; at += 1) {
    const [mine, yours] = [one.inserted[at]!, other.inserted[at]!];
    const inserted = joinInsertions(mine, yours, base[at - 1]?.kind ?? null);
    if (inserted === null) conflicts.push({ base: '', ours: whole(mine), theirs: whole(yours) });
    else pieces.push(...inserted.map((piece) => ({ ...piece, at: null })));
    if (at === base.length) break;
    const was = base[at]!;
    const fates = [one.fates[at]!, other.fates[at]!] as const;
    const piece = pieceOf(was, ...fates, mergePiece);
    if (piece === 'conflict') {
      const [text, tail] = fates.map(textOf) as [string, string];
      conflicts.push({ base: whole([was]), ours: text, theirs: tail });
    } else if (piece !== null) pieces.push({ ...piece, at });
  }
  return { pieces, conflicts };
}

const textOf = ({ piece, instead }: Fate): string => whole(piece === null ? instead : [piece]);

function pieceOf(base: Piece, one: Fate, other: Fate, mergePiece: MergePiece): Piece | null | 'conflict' {
  if (one.piece === null || other.piece === null) {
    const left = one.piece ?? other.piece;
    if (left !== null) return left.text === base.text ? null : 'conflict';
    // Both took it away: to write two other things instead is to change it in two ways.
    const both = one.instead.length > 0 && other.instead.length > 0;
    return both && !same(one.instead, other.instead) ? 'conflict' : null;
  }
  const sides = { base: base.text, ours: one.piece.text, theirs: other.piece.text };
  const kind = one.piece.kind === other.piece.kind ? base.kind : 'paragraph';
  const text = either(sides) ?? mergePiece(sides, kind);
  if (text === null) return 'conflict';
  const tail = space({ base: base.tail, ours: one.piece.tail, theirs: other.piece.tail });
  return { kind: one.piece.text === text ? one.piece.kind : other.piece.kind, text, tail };
}

/** What one side changed, or both alike; null where they differ. */
export function either({ base, ours, theirs }: Sides): string | null {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : null;
}

/** Blank lines are nobody's words: where both changed them, the longer stay. */
export function space(sides: Sides): string {
  const one = either(sides);
  if (one !== null) return one;
  const { ours, theirs } = sides;
  return ours.length > theirs.length || (ours.length === theirs.length && ours < theirs) ? ours : theirs;
}
