/** Merges two lists of pieces, both derived from a third list, into one. */
import { diffIndices } from 'node-diff3';
import { type Changes, changesOf, type PieceChange } from './changes.ts';
import type { Conflict, Sides } from './merge.ts';
import { isVersion, movesOf } from './moves.ts';
import { haveSameTexts, joinTexts, type MergeBlock } from './pieces.ts';

export interface PlacedPiece extends MergeBlock {
  /** The index of the piece in the base; null if it is new. */
  readonly at: number | null;
}

export interface Sequence {
  readonly pieces: readonly PlacedPiece[];
  readonly conflicts: readonly Conflict[];
}

export interface PieceSides {
  readonly base: readonly MergeBlock[];
  readonly ours: readonly MergeBlock[];
  readonly theirs: readonly MergeBlock[];
}

/** Merges two changes within one piece; null if they conflict. */
export type MergePiece = (sides: Sides, kind: MergeBlock['kind']) => string | null;

export function mergeSequence({ base, ours, theirs }: PieceSides, mergePiece: MergePiece): Sequence {
  const changes: readonly [Changes, Changes] = [changesOf(base, ours), changesOf(base, theirs)];
  const [one, other] = [alignInsertions(changes[0], changes[1]), alignInsertions(changes[1], changes[0])];
  const moves = movesOf(base, one, other);
  const pieces: PlacedPiece[] = [];
  const conflicts: Conflict[] = [];
  for (let at = 0; at <= base.length; at += 1) {
    const [mine, yours] = [one.inserted[at]!, other.inserted[at]!];
    const inserted = joinInsertions(mine, yours, base[at - 1]?.kind ?? null);
    if (inserted === null) conflicts.push({ base: '', ours: joinTexts(mine), theirs: joinTexts(yours) });
    else pieces.push(...inserted.map((piece) => ({ ...piece, at: null })));
    if (at === base.length) break;
    const was = base[at]!;
    const moved = moves[at]!;
    if (moved !== null) {
      conflicts.push({ base: joinTexts([was]), ours: moved[0], theirs: moved[1] });
      continue;
    }
    const fates = [one.pieceChanges[at]!, other.pieceChanges[at]!] as const;
    const piece = mergedPiece(was, ...fates, mergePiece);
    if (piece === 'conflict') {
      const [text, tail] = fates.map(textOf) as [string, string];
      conflicts.push({ base: joinTexts([was]), ours: text, theirs: tail });
    } else if (piece !== null) pieces.push({ ...piece, at });
  }
  return { pieces, conflicts };
}

/**
 * Aligns what two sides inserted. A piece that a side inserted at removed text may stand before or after that text. If
 * the other side inserted some of the same after the removed text, the piece counts as inserted there, so that the two
 * are found to be the same.
 */
function alignInsertions(changes: Changes, other: Changes): Changes {
  const inserted = changes.inserted.map((pieces) => [...pieces]);
  changes.inserted.forEach((pieces, from) => {
    if (pieces.length === 0 || sharesText(pieces, other.inserted[from]!)) return;
    for (let at = from; changes.pieceChanges[at]?.piece === null; at += 1) {
      if (!sharesText(pieces, other.inserted[at + 1]!)) continue;
      inserted[at + 1]!.unshift(...inserted[from]!.splice(0));
      return;
    }
  });
  return { pieceChanges: changes.pieceChanges, inserted };
}

function sharesText(left: readonly MergeBlock[], other: readonly MergeBlock[]): boolean {
  const [mine, yours] = keysOf(left, other);
  return yours.some((key) => mine.includes(key));
}

const textOf = ({ piece, replacement: instead }: PieceChange): string =>
  joinTexts(piece === null ? instead : [piece]);

function mergedPiece(
  base: MergeBlock,
  fate: PieceChange,
  other: PieceChange,
  mergePiece: MergePiece,
): MergeBlock | null | 'conflict' {
  if (fate.piece === null || other.piece === null) {
    const piece = fate.piece ?? other.piece;
    if (piece !== null) return piece.text === base.text ? null : 'conflict';
    // Both sides removed the piece. If each put something different in its place, that is a conflict.
    const both = fate.replacement.length > 0 && other.replacement.length > 0;
    return both && !haveSameTexts(fate.replacement, other.replacement) ? 'conflict' : null;
  }
  const sides = { base: base.text, ours: fate.piece.text, theirs: other.piece.text };
  const kind = fate.piece.kind === other.piece.kind ? base.kind : 'paragraph';
  const text = oneSidedChange(sides) ?? mergePiece(sides, kind);
  if (text === null) return 'conflict';
  const tail = mergeBlankLines({ base: base.tail, ours: fate.piece.tail, theirs: other.piece.tail });
  return { kind: fate.piece.text === text ? fate.piece.kind : other.piece.kind, text, tail };
}

/** The change of one side if the other made none, or the same change of both; null if they differ. */
export function oneSidedChange({ base, ours, theirs }: Sides): string | null {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : null;
}

/** Merges blank lines: if both sides changed them, the longer run is kept. */
export function mergeBlankLines(sides: Sides): string {
  const one = oneSidedChange(sides);
  if (one !== null) return one;
  const { ours, theirs } = sides;
  return ours.length > theirs.length || (ours.length === theirs.length && ours < theirs) ? ours : theirs;
}

/**
 * Joins insertions of both sides at the same place. Both are kept, in an order that does not depend on which side is
 * which. Null if both sides wrote the same thing in two ways.
 */
function joinInsertions(
  ours: readonly MergeBlock[],
  theirs: readonly MergeBlock[],
  above: MergeBlock['kind'] | null,
): readonly MergeBlock[] | null {
  if (haveSameTexts(ours, theirs))
    return ours.map((piece, index) => {
      const tail = mergeBlankLines({ base: '', ours: piece.tail, theirs: theirs[index]!.tail });
      return { ...piece, tail };
    });
  if (theirs.length === 0) return ours;
  if (ours.length === 0) return theirs;
  // Sorted, so that the result does not depend on which side is which.
  const [one, other] = joinedText(ours) < joinedText(theirs) ? [ours, theirs] : [theirs, ours];
  const joined: MergeBlock[] = [];
  let from = 0;
  const addCommon = (until: number): void => {
    for (; from < until; from += 1) joined.push(one[from]!);
  };
  for (const { buffer1, buffer2 } of diffIndices(...keysOf(one, other))) {
    addCommon(buffer1[0]);
    const mine = one.slice(buffer1[0], buffer1[0] + buffer1[1]);
    const yours = other.slice(buffer2[0], buffer2[0] + buffer2[1]);
    const both = orderPair(mine, yours, joined.at(-1)?.kind ?? above);
    if (both === null) return null;
    joined.push(...both);
    from += mine.length;
  }
  addCommon(one.length);
  return joined;
}

const joinedText = (pieces: readonly MergeBlock[]): string => pieces.map(({ text }) => text).join('\n');

/**
 * Keys for the new pieces of both sides: the text with the new headings above it, so that `Added` of one version is not
 * taken for that of another.
 */
function keysOf(left: readonly MergeBlock[], other: readonly MergeBlock[]): readonly [string[], string[]] {
  const placed = [withHeadings(left), withHeadings(other)] as const;
  const shortest = new Map<string, number>();
  for (const { text, headings } of placed.flat())
    shortest.set(text, Math.min(headings.length, shortest.get(text) ?? Number.POSITIVE_INFINITY));
  const keys = (all: readonly TextUnderHeadings[]) =>
    all.map(({ text, headings }) => [...headings.slice(0, shortest.get(text)!), text].join('\u0000'));
  return [keys(placed[0]), keys(placed[1])];
}

interface TextUnderHeadings {
  readonly text: string;
  /** The new headings above the piece, the nearest first. */
  readonly headings: readonly string[];
}

function withHeadings(pieces: readonly MergeBlock[]): readonly TextUnderHeadings[] {
  let open: readonly { readonly depth: number; readonly text: string }[] = [];
  return pieces.map(({ kind, text }) => {
    const depth = headingDepth(text);
    if (kind === 'heading') open = open.filter((each) => each.depth < depth);
    const headings = open.map((each) => each.text);
    if (kind === 'heading') open = [{ depth, text }, ...open];
    return { text, headings };
  });
}

const headingDepth = (text: string): number =>
  /^ {0,3}(#{1,6})/.exec(text)?.[1]?.length ?? (/\n {0,3}-+[ \t]*$/.test(text.trimEnd()) ? 2 : 1);

/** Text that belongs to the section above comes first, then headings, deeper ones before higher ones. */
function orderPair(
  left: readonly MergeBlock[],
  other: readonly MergeBlock[],
  above: MergeBlock['kind'] | null,
): readonly MergeBlock[] | null {
  // Equal headings such as `Added` and `Fixed` are usual; the pieces below them decide.
  const isTwice = (piece: MergeBlock, mergeBlock: MergeBlock): boolean =>
    !(piece.kind === 'heading' && mergeBlock.text === piece.text) && isVersion(piece.text, mergeBlock.text);
  if (left.some((piece) => other.some((mergeBlock) => isTwice(piece, mergeBlock)))) return null;
  const [[lead, sections], [otherLead, otherSections]] = [splitAtHeading(left), splitAtHeading(other)];
  const continuationRank = ([piece]: readonly MergeBlock[]): number => (piece?.kind === above ? 0 : 1);
  const depthRank = ([piece]: readonly MergeBlock[]): number => -headingDepth(piece?.text ?? '');
  return [
    ...sortByRank(lead, otherLead, continuationRank),
    ...sortByRank(sections, otherSections, depthRank),
  ];
}

function sortByRank(
  left: readonly MergeBlock[],
  other: readonly MergeBlock[],
  rank: (pieces: readonly MergeBlock[]) => number,
): readonly MergeBlock[] {
  const first = rank(left) - rank(other) || (joinedText(left) < joinedText(other) ? -1 : 1);
  return first < 0 ? [...left, ...other] : [...other, ...left];
}

function splitAtHeading(
  pieces: readonly MergeBlock[],
): readonly [readonly MergeBlock[], readonly MergeBlock[]] {
  const at = pieces.findIndex(({ kind }) => kind === 'heading');
  return at < 0 ? [pieces, []] : [pieces.slice(0, at), pieces.slice(at)];
}
