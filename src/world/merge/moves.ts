/** Finds pieces that both sides removed from their place, and that at least one side moved elsewhere. */
import { measureSharedWords } from '../write/align-blocks.ts';
import type { Changes } from './changes.ts';
import type { Conflict, Sides } from './merge.ts';
import { joinTexts, type MergeBlock, type Pieces } from './pieces.ts';

/** Minimum share of common words of two versions of one piece. */
const minVersionSimilarity = 0.6;

export function isVersion(one: string, other: string): boolean {
  return measureSharedWords(one, other) > minVersionSimilarity;
}

/** Maximum number of comparisons by words. Beyond it, only pieces that were moved unchanged are found. */
const maxComparisons = 10_000;

/**
 * For each piece of the base, the texts to which each side moved it, if that is a conflict; otherwise null. It is a
 * conflict if one side deleted the piece and the other moved it, or if both moved it to different places.
 */
export function findMoves(
  base: readonly MergeBlock[],
  changes: Changes,
  other: Changes,
): readonly (readonly [ours: string, theirs: string] | null)[] {
  const [mine, yours] = [changes, other].map((each) => collectWritten(base, each)) as [Written, Written];
  const removedCount = base.filter((_, at) => isRemoved(changes, at) && isRemoved(other, at)).length;
  const comparesWords = removedCount * (mine.flat().length + yours.flat().length) <= maxComparisons;
  return base.map((piece, at) => {
    if (!isRemoved(changes, at) || !isRemoved(other, at)) return null;
    const isMoved = ({ kind, text }: MergeBlock) =>
      text === piece.text || (comparesWords && kind === piece.kind && isVersion(text, piece.text));
    const [ours, theirs] = [mine, yours].map((each) => each.map((place) => place.filter(isMoved)));
    if (serializeTexts(ours!) === serializeTexts(theirs!)) return null;
    return [joinTexts(ours!.flat()), joinTexts(theirs!.flat())];
  });
}

/** For each place, the pieces that a side wrote there, including a piece that replaced an unrelated one. */
type Written = readonly (readonly MergeBlock[])[];

function collectWritten(base: readonly MergeBlock[], { pieceChanges, inserted }: Changes): Written {
  return inserted.map((pieces, at) => {
    const piece = pieceChanges[at]?.piece ?? null;
    const isNew = piece !== null && piece.text !== base[at]!.text && !isVersion(piece.text, base[at]!.text);
    return isNew ? [...pieces, piece] : pieces;
  });
}

const isRemoved = ({ pieceChanges }: Changes, at: number): boolean => pieceChanges[at]!.piece === null;
const serializeTexts = (written: Written): string =>
  JSON.stringify(written.map((pieces) => pieces.map(({ text }) => text)));

/**
 * Finds lines that a merge would duplicate: a line may have moved between two pieces that were changed by one side
 * each. Null if no line occurs in the merged text more often than the changes of both sides explain.
 */
export function findRepeatedLines(sides: Sides, merged: string, pieces: readonly Pieces[]): Conflict | null {
  const repeated = new Set(
    [lineAsIs, lineWithoutMarks].flatMap((form) => listRepeatedLines(sides, merged, form)),
  );
  if (repeated.size === 0) return null;
  const hasOne = (text: string) =>
    text.split(lineEnd).some((line) => repeated.has(lineAsIs(line)) || repeated.has(lineWithoutMarks(line)));
  const [base, ours, theirs] = pieces.map(
    (pieces) =>
      (hasOne(pieces.front) ? pieces.front : '') +
      joinTexts(pieces.pieces.filter(({ text }) => hasOne(text))),
  ) as [string, string, string];
  return { base, ours, theirs };
}

const lineEnd = /\r\n|\n|\r/;
type LineForm = (line: string) => string;
const lineAsIs: LineForm = (line) => line.trimEnd();
/**
 * A line without its marks: a moved item may have another number, depth or tick, a heading another level, and a line
 * may have become a row.
 */
const lineWithoutMarks: LineForm = (line) => line.replace(marks, '').replace(/[\s|]+$/, '');
const marks = /^(?:[\s|]+|[-*+>](?=\s)|#{1,6}(?=\s)|\d{1,9}[.)](?=\s)|\[.\](?=\s))+/;

function listRepeatedLines({ base, ours, theirs }: Sides, merged: string, form: LineForm): readonly string[] {
  const [was, one, other, after] = [base, ours, theirs, merged].map((text) => countLines(text, form)) as [
    Counts,
    Counts,
    Counts,
    Counts,
  ];
  return [...after].flatMap(([line, count]) => {
    const [b, o, t] = [was, one, other].map((counts) => counts.get(line) ?? 0) as [number, number, number];
    const max = o <= b && t <= b ? Math.min(o, t) : o + t - b;
    return count > max ? [line] : [];
  });
}

type Counts = ReadonlyMap<string, number>;

/** Counts lines that contain a word. Others, such as fences, are the same in every block. */
function countLines(text: string, form: LineForm): Counts {
  const counts = new Map<string, number>();
  for (const line of text.split(lineEnd).map(form))
    if (/[\p{L}\p{N}]/u.test(line)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
