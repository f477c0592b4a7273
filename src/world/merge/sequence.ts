/** Three-way merge of lists of pieces. */
import { diffIndices } from 'node-diff3';
import { type Changes, findChanges, type PieceChange } from './changes.ts';
import type { Conflict, Sides } from './merge.ts';
import { findMoves, isVersion } from './moves.ts';
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
  const changes: readonly [Changes, Changes] = [findChanges(base, ours), findChanges(base, theirs)];
  const [one, other] = [alignInsertions(changes[0], changes[1]), alignInsertions(changes[1], changes[0])];
  const moves = findMoves(base, one, other);
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
    const pair = [one.pieceChanges[at]!, other.pieceChanges[at]!] as const;
    const piece = mergeChanges(was, ...pair, mergePiece);
    if (piece === 'conflict') {
      const [text, tail] = pair.map(joinSideText) as [string, string];
      conflicts.push({ base: joinTexts([was]), ours: text, theirs: tail });
    } else if (piece !== null) pieces.push({ ...piece, at });
  }
  return { pieces, conflicts };
}

/**
 * Moves insertions next to removed text. A piece that a side inserted there may count as before or after that text. If
 * the other side inserted an equal piece after it, so does this side, so that both are recognised as equal.
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
  const [mine, yours] = buildKeys(left, other);
  return yours.some((key) => mine.includes(key));
}

const joinSideText = ({ piece, replacement: instead }: PieceChange): string =>
  joinTexts(piece === null ? instead : [piece]);

function mergeChanges(
  base: MergeBlock,
  change: PieceChange,
  other: PieceChange,
  mergePiece: MergePiece,
): MergeBlock | null | 'conflict' {
  if (change.piece === null || other.piece === null) {
    const piece = change.piece ?? other.piece;
    if (piece !== null) return piece.text === base.text ? null : 'conflict';
    // Both sides removed the piece. If they replaced it differently, that is a conflict.
    const both = change.replacement.length > 0 && other.replacement.length > 0;
    return both && !haveSameTexts(change.replacement, other.replacement) ? 'conflict' : null;
  }
  const sides = { base: base.text, ours: change.piece.text, theirs: other.piece.text };
  const kind = change.piece.kind === other.piece.kind ? base.kind : 'paragraph';
  const text = findOneSidedChange(sides) ?? mergePiece(sides, kind);
  if (text === null) return 'conflict';
  const tail = mergeBlankLines({ base: base.tail, ours: change.piece.tail, theirs: other.piece.tail });
  return { kind: change.piece.text === text ? change.piece.kind : other.piece.kind, text, tail };
}

/** The text if only one side changed it, or both made the same change; null if their changes differ. */
export function findOneSidedChange({ base, ours, theirs }: Sides): string | null {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : null;
}

/** Merges blank lines: of two different changes, the longer run wins. */
export function mergeBlankLines(sides: Sides): string {
  const one = findOneSidedChange(sides);
  if (one !== null) return one;
  const { ours, theirs } = sides;
  return ours.length > theirs.length || (ours.length === theirs.length && ours < theirs) ? ours : theirs;
}

/**
 * Joins the insertions of both sides at one place. Both are kept, in an order that doesn't depend on which side is
 * which. Null if two of them are versions of one piece.
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
  // Sorted, so that the result doesn't depend on which side is which.
  const [one, other] = joinPieceTexts(ours) < joinPieceTexts(theirs) ? [ours, theirs] : [theirs, ours];
  const joined: MergeBlock[] = [];
  let from = 0;
  const addCommon = (until: number): void => {
    for (; from < until; from += 1) joined.push(one[from]!);
  };
  for (const { buffer1, buffer2 } of diffIndices(...buildKeys(one, other))) {
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

const joinPieceTexts = (pieces: readonly MergeBlock[]): string => pieces.map(({ text }) => text).join('\n');

/**
 * Keys to compare the new pieces of both sides: the text with the new headings above it, so that the section `Added` of
 * one release differs from that of another.
 */
function buildKeys(left: readonly MergeBlock[], other: readonly MergeBlock[]): readonly [string[], string[]] {
  const placed = [addHeadings(left), addHeadings(other)] as const;
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

function addHeadings(pieces: readonly MergeBlock[]): readonly TextUnderHeadings[] {
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

/**
 * Orders two insertions: text that continues the section above comes first, then sections, deeper ones before higher
 * ones. Null if two pieces are versions of one.
 */
function orderPair(
  left: readonly MergeBlock[],
  other: readonly MergeBlock[],
  above: MergeBlock['kind'] | null,
): readonly MergeBlock[] | null {
  // Equal headings such as `Added` are common, so only the pieces below them are compared.
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
  const first = rank(left) - rank(other) || (joinPieceTexts(left) < joinPieceTexts(other) ? -1 : 1);
  return first < 0 ? [...left, ...other] : [...other, ...left];
}

function splitAtHeading(
  pieces: readonly MergeBlock[],
): readonly [readonly MergeBlock[], readonly MergeBlock[]] {
  const at = pieces.findIndex(({ kind }) => kind === 'heading');
  return at < 0 ? [pieces, []] : [pieces.slice(0, at), pieces.slice(at)];
}
