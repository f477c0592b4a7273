import type { Conflict, MergeResult, Sides } from './merge.ts';
import { mergeFront, mergeWithin } from './merge-parts.ts';
import { findRepeatedLines } from './moves.ts';
import { haveSameTexts, joinTexts, type MergeBlock, type Pieces, splitPieces } from './pieces.ts';
import { mergeBlankLines, mergeSequence, type PlacedPiece } from './sequence.ts';

/** Merges two versions of a text by block; merge.ts has the contract. */
export function mergeBlocks(sides: Sides): MergeResult {
  const { base, ours, theirs } = sides;
  if (ours === theirs || theirs === base) return { kind: 'merged', text: ours };
  if (ours === base) return { kind: 'merged', text: theirs };
  const plain = normalizeLineEnds(sides);
  if (plain === null) return mergeSides(sides);
  const result = mergeSides(plain.sides);
  const withReturns = (text: string) => (plain.returns ? text.replaceAll('\n', '\r\n') : text);
  if (result.kind === 'merged') return { kind: 'merged', text: withReturns(result.text) };
  const conflicts = result.conflicts.map((sides) => ({
    base: withReturns(sides.base),
    ours: withReturns(sides.ours),
    theirs: withReturns(sides.theirs),
  }));
  return { kind: 'conflict', conflicts };
}

/**
 * Converts the line ends of all texts to line feeds. `returns`: the merged text needs carriage returns. Null if a text
 * mixes line ends.
 */
function normalizeLineEnds({
  base,
  ours,
  theirs,
}: Sides): { readonly sides: Sides; readonly returns: boolean } | null {
  const all = [base, ours, theirs];
  if (all.some((text) => /\r(?!\n)/.test(text) || (/\r\n/.test(text) && /(?:^|[^\r])\n/.test(text))))
    return null;
  const [baseHas, oursHas, theirsHas] = all.map((text) => text.includes('\r\n')) as [
    boolean,
    boolean,
    boolean,
  ];
  const plain = (text: string) => text.replaceAll('\r\n', '\n');
  return {
    sides: { base: plain(base), ours: plain(ours), theirs: plain(theirs) },
    returns: oursHas === baseHas ? theirsHas : oursHas,
  };
}

function mergeSides(sides: Sides): MergeResult {
  const [base, ours, theirs] = [splitPieces(sides.base), splitPieces(sides.ours), splitPieces(sides.theirs)];
  const conflicts: Conflict[] = [];
  const front = mergeFront({ base: base.front, ours: ours.front, theirs: theirs.front });
  if (front === null) conflicts.push({ base: base.front, ours: ours.front, theirs: theirs.front });
  const all = { base: base.pieces, ours: ours.pieces, theirs: theirs.pieces };
  const { pieces, conflicts: pieceConflicts } = mergeSequence(all, mergeWithin);
  conflicts.push(...pieceConflicts);
  if (conflicts.length > 0) return { kind: 'conflict', conflicts };
  const head = mergeBlankLines({ base: base.head, ours: ours.head, theirs: theirs.head });
  const text = joinPieces({ front: front!, head, pieces }, [ours, theirs]);
  if (text === null) return { kind: 'conflict', conflicts: [sides] };
  const reappearing = findRepeatedLines(sides, text, [base, ours, theirs]);
  return reappearing === null ? { kind: 'merged', text } : { kind: 'conflict', conflicts: [reappearing] };
}

/** Whether two pieces are joined without a blank line between them. */
type IsAdjacent = (one: PlacedPiece, next: PlacedPiece) => boolean;

interface PlacedPieces extends Omit<Pieces, 'pieces'> {
  readonly pieces: readonly PlacedPiece[];
}

/**
 * Joins pieces into a text, with a blank line between two that were not adjacent before. Null if the result would not
 * be parsed into these pieces.
 */
function joinPieces({ front, head, pieces }: PlacedPieces, sides: readonly Pieces[]): string | null {
  const texts = sides.flatMap((side) =>
    side.pieces.slice(1).map(({ text }, index) => `${side.pieces[index]!.text}\u0000${text}`),
  );
  const known = new Set(texts);
  const wereAdjacent: IsAdjacent = (placedPiece, next) => known.has(`${placedPiece.text}\u0000${next.text}`);
  const wereNextInBase: IsAdjacent = (placedPiece, next) =>
    placedPiece.at !== null && next.at === placedPiece.at + 1;
  const inList: IsAdjacent = (placedPiece, next) => placedPiece.kind === 'list' && next.kind === 'list';
  const stayTogether: IsAdjacent = (placedPiece, next) =>
    wereNextInBase(placedPiece, next) || wereAdjacent(placedPiece, next);
  const attempts: readonly IsAdjacent[] = [
    (placedPiece, next) => stayTogether(placedPiece, next) || inList(placedPiece, next),
    stayTogether,
    wereAdjacent,
  ];
  for (const close of attempts) {
    const text = front + head + joinTexts(spacePieces(pieces, close));
    const read = splitPieces(text);
    if (read.front === front && haveSameTexts(read.pieces, pieces)) return text;
  }
  return null;
}

function spacePieces(pieces: readonly PlacedPiece[], close: IsAdjacent): readonly MergeBlock[] {
  return pieces.map((piece, index): MergeBlock => {
    const { kind, text, tail } = piece;
    const next = pieces[index + 1];
    if (next === undefined) return { kind, text, tail };
    const ends = tail.match(/\n|\r\n?/g)?.length ?? 0;
    const wanted = close(piece, next) ? 1 : 2;
    return { kind, text, tail: tail + '\n'.repeat(Math.max(0, wanted - ends)) };
  });
}
