/** What both sides put in one place: both stand, in an order that does not depend on which side is which. */
import { diffIndices } from 'node-diff3';
import { measureSharedWords } from '../write/align-blocks.ts';
import { type Piece, same } from './pieces.ts';

/** Of its words: above this, two new pieces are two versions of one. */
const maxLikeness = 0.6;

/** Null where both wrote the same thing in two ways. */
export function joinInsertions(
  ours: readonly Piece[],
  theirs: readonly Piece[],
  above: Piece['kind'] | null,
): readonly Piece[] | null {
  if (theirs.length === 0 || same(ours, theirs)) return ours;
  if (ours.length === 0) return theirs;
  // One order of the two, so that what is common to both is found in the same way from either side.
  const [one, other] = textOf(ours) < textOf(theirs) ? [ours, theirs] : [theirs, ours];
  const joined: Piece[] = [];
  let from = 0;
  const common = (until: number): void => {
    for (; from < until; from += 1) joined.push(one[from]!);
  };
  for (const { buffer1, buffer2 } of diffIndices(texts(one), texts(other))) {
    common(buffer1[0]);
    const mine = one.slice(buffer1[0], buffer1[0] + buffer1[1]);
    const yours = other.slice(buffer2[0], buffer2[0] + buffer2[1]);
    const both = ordered(mine, yours, joined.at(-1)?.kind ?? above);
    if (both === null) return null;
    joined.push(...both);
    from += mine.length;
  }
  common(one.length);
  return joined;
}

const texts = (pieces: readonly Piece[]): string[] => pieces.map(({ text }) => text);
const textOf = (pieces: readonly Piece[]): string => texts(pieces).join('\n');

/** What belongs to the section above comes first, then what opens a section, the deeper one before the higher. */
function ordered(
  one: readonly Piece[],
  other: readonly Piece[],
  above: Piece['kind'] | null,
): readonly Piece[] | null {
  if (one.some(({ text }) => other.some((each) => isVersion(text, each.text)))) return null;
  const [[lead, sections], [otherLead, otherSections]] = [atHeading(one), atHeading(other)];
  const continues = ([piece]: readonly Piece[]): number => (piece?.kind === above ? 0 : 1);
  const deep = ([piece]: readonly Piece[]): number =>
    -(/^ {0,3}(#{1,6})/.exec(piece?.text ?? '')?.[1]?.length ?? 1);
  return [...sorted(lead, otherLead, continues), ...sorted(sections, otherSections, deep)];
}

function isVersion(one: string, other: string): boolean {
  return measureSharedWords(one, other) > maxLikeness;
}

function sorted(
  one: readonly Piece[],
  other: readonly Piece[],
  rank: (pieces: readonly Piece[]) => number,
): readonly Piece[] {
  const first = rank(one) - rank(other) || (textOf(one) < textOf(other) ? -1 : 1);
  return first < 0 ? [...one, ...other] : [...other, ...one];
}

function atHeading(pieces: readonly Piece[]): readonly [readonly Piece[], readonly Piece[]] {
  const at = pieces.findIndex(({ kind }) => kind === 'heading');
  return at < 0 ? [pieces, []] : [pieces.slice(0, at), pieces.slice(at)];
}
