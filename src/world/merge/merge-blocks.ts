import { type Changes, changesOf, type Fate } from './changes.ts';
import type { Conflict, Merged, Sides } from './merge.ts';
import { type Piece, type Pieces, piecesOf } from './pieces.ts';

/** See `merge.ts`. */
export function mergeBlocks(sides: Sides): Merged {
  const { base, ours, theirs } = sides;
  if (ours === theirs || theirs === base) return { kind: 'merged', text: ours };
  if (ours === base) return { kind: 'merged', text: theirs };
  const plain = withoutReturns(sides);
  if (plain === null) return mergeSides(sides);
  const result = mergeSides(plain.sides);
  const stripTrailing = (text: string) => (plain.returns ? text.replaceAll('\n', '\r\n') : text);
  if (result.kind === 'merged') return { kind: 'merged', text: stripTrailing(result.text) };
  const conflicts = result.conflicts.map((each) => ({
    base: stripTrailing(each.base),
    ours: stripTrailing(each.ours),
    theirs: stripTrailing(each.theirs),
  }));
  return { kind: 'conflict', conflicts };
}

/** With line feeds alone, and whether the merged text has returns; null where a text mixes line ends. */
function withoutReturns({
  base,
  ours,
  theirs,
}: Sides): { readonly sides: Sides; readonly returns: boolean } | null {
  const all = [base, ours, theirs];
  if (all.some((text) => /\r(?!\n)/.test(text) || (/\r\n/.test(text) && /(?:^|[^\r])\n/.test(text))))
    return null;
  const [was, one, other] = all.map((text) => text.includes('\r\n')) as [boolean, boolean, boolean];
  const plain = (text: string) => text.replaceAll('\r\n', '\n');
  return {
    sides: { base: plain(base), ours: plain(ours), theirs: plain(theirs) },
    returns: one === was ? other : one,
  };
}

function mergeSides(sides: Sides): Merged {
  const [base, ours, theirs] = [piecesOf(sides.base), piecesOf(sides.ours), piecesOf(sides.theirs)];
  const conflicts: Conflict[] = [];
  const front = either({ base: base.front, ours: ours.front, theirs: theirs.front });
  if (front === null) conflicts.push({ base: base.front, ours: ours.front, theirs: theirs.front });
  const pieces = sequence(base.pieces, ours, theirs, conflicts);
  if (conflicts.length > 0) return { kind: 'conflict', conflicts };
  const head = space({ base: base.head, ours: ours.head, theirs: theirs.head });
  const text = joinPieces({ front: front!, head, pieces }, [ours, theirs]);
  return text === null ? { kind: 'conflict', conflicts: [sides] } : { kind: 'merged', text };
}

/** What one side changed, or both alike; null where they differ. */
function either({ base, ours, theirs }: Sides): string | null {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : null;
}

/** Blank lines are nobody's words: where both changed them, the longer stay. */
function space(sides: Sides): string {
  const one = either(sides);
  if (one !== null) return one;
  const { ours, theirs } = sides;
  return ours.length > theirs.length || (ours.length === theirs.length && ours < theirs) ? ours : theirs;
}

interface PlacedPiece extends Piece {
  /** Which piece of the base it is; null where it is new. */
  readonly at: number | null;
}

interface Placed extends Omit<Pieces, 'pieces'> {
  readonly pieces: readonly PlacedPiece[];
}

const whole = (pieces: readonly Piece[]): string => pieces.map(({ text, tail }) => text + tail).join('');
const same = (a: readonly Piece[], b: readonly Piece[]): boolean =>
  a.length === b.length && a.every(({ text }, index) => text === b[index]!.text);

function sequence(
  base: readonly Piece[],
  ours: Pieces,
  theirs: Pieces,
  conflicts: Conflict[],
): readonly PlacedPiece[] {
  const [one, other]: readonly [Changes, Changes] = [
    changesOf(base, ours.pieces),
    changesOf(base, theirs.pieces),
  ];
  const pieces: PlacedPiece[] = [];
  for (let at = 0; at <= base.length; at += 1) {
    const [mine, yours] = [one.inserted[at]!, other.inserted[at]!];
    if (mine.length > 0 && yours.length > 0 && !same(mine, yours))
      conflicts.push({ base: '', ours: whole(mine), theirs: whole(yours) });
    else pieces.push(...(mine.length > 0 ? mine : yours).map((piece) => ({ ...piece, at: null })));
    if (at === base.length) break;
    const piece = pieceOf(base[at]!, one.fates[at]!, other.fates[at]!);
    if (piece === 'conflict') {
      const text = (fate: Fate) => whole(fate.piece === null ? fate.instead : [fate.piece]);
      const was = base[at]!;
      conflicts.push({ base: whole([was]), ours: text(one.fates[at]!), theirs: text(other.fates[at]!) });
    } else if (piece !== null) pieces.push({ ...piece, at });
  }
  return pieces;
}

function pieceOf(base: Piece, one: Fate, other: Fate): Piece | null | 'conflict' {
  if (one.piece === null || other.piece === null) {
    const left = one.piece ?? other.piece;
    if (left !== null) return left.text === base.text ? null : 'conflict';
    // Both took it away: to write two other things instead is to change it in two ways.
    const both = one.instead.length > 0 && other.instead.length > 0;
    return both && !same(one.instead, other.instead) ? 'conflict' : null;
  }
  const text = either({ base: base.text, ours: one.piece.text, theirs: other.piece.text });
  if (text === null) return 'conflict';
  return { text, tail: space({ base: base.tail, ours: one.piece.tail, theirs: other.piece.tail }) };
}

/**
 * As one text, with a blank line between pieces that were neighbours in none of the three; null where even so
 * it would be read as something else.
 */
function joinPieces({ front, head, pieces }: Placed, sides: readonly Pieces[]): string | null {
  const texts = sides.flatMap((side) =>
    side.pieces.slice(1).map(({ text }, index) => `${side.pieces[index]!.text}\u0000${text}`),
  );
  const known = new Set(texts);
  const beside = (one: PlacedPiece, next: PlacedPiece) => known.has(`${one.text}\u0000${next.text}`);
  const follows = (one: PlacedPiece, next: PlacedPiece) => one.at !== null && next.at === one.at + 1;
  for (const close of [
    (one: PlacedPiece, next: PlacedPiece) => follows(one, next) || beside(one, next),
    beside,
  ]) {
    const text = front + head + whole(spacePieces(pieces, close));
    const read = piecesOf(text);
    if (read.front === front && same(read.pieces, pieces)) return text;
  }
  return null;
}

function spacePieces(
  pieces: readonly PlacedPiece[],
  close: (one: PlacedPiece, next: PlacedPiece) => boolean,
): readonly Piece[] {
  return pieces.map((piece, index): Piece => {
    const { text, tail } = piece;
    const next = pieces[index + 1];
    if (next === undefined) return { text, tail };
    const ends = tail.match(/\n|\r\n?/g)?.length ?? 0;
    const wanted = close(piece, next) ? 1 : 2;
    return { text, tail: tail + '\n'.repeat(Math.max(0, wanted - ends)) };
  });
}
