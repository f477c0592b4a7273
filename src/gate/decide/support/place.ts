/**
 * Finds the place of a claim in the cited lines: the lines in which its names and figures occur together, with the
 * words near them.
 */

import type { Reading } from '../../claim/reading.ts';
import type { FoundTerm } from '../../lines/find-name.ts';
import type { Segment, Source } from '../../lines/source.ts';

/** A name, figure or time of the claim that occurs in the lines. */
export interface Anchor {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: 'term' | 'figure' | 'word';
  /** True for a time, which need not be near the words that it belongs to. */
  readonly isTime?: true;
  readonly how: FoundTerm['how'];
  readonly segments: readonly number[];
  /** True if some of the segments are below a heading that contains it, and need not contain it themselves. */
  readonly isAbove?: true;
}

/** The place of a claim in the lines. */
export interface ClaimPlace {
  /** For each name and figure in the lines: of its segments, the one that contains most of the claim's other words. */
  readonly chosen: ReadonlyMap<Anchor, number>;
  /** The segments of the place. */
  readonly segments: readonly number[];
  /**
   * The share of the claim's words, names excluded, that occur there, in the path or in a heading; 1 if it has none.
   */
  readonly share: number;
  /** The number of these words. */
  readonly found: number;
  readonly lacking: readonly string[];
}

/** Number of words and names on either side of an anchor that say what the claim says about it. */
const contextReach = 3;
/** Number of code lines on either side of a name that may contain the rest of the claim. */
const codeReach = 4;

/** The place of a claim in the lines; a string is a reason to doubt that the lines show it. */
export function findPlace(reading: Reading, anchors: readonly Anchor[], source: Source): ClaimPlace | string {
  const weights = weighAnchors(anchors, source);
  const chosen = new Map<Anchor, number>();
  const sorted = anchors.toSorted((a, b) => a.start - b.start);
  for (const [index, anchor] of sorted.entries()) {
    if (anchor.kind === 'word' || anchor.how === 'known') continue;
    const context = sorted.filter(
      (other, at) =>
        other !== anchor &&
        Math.abs(at - index) <= contextReach &&
        other.how !== 'known' &&
        areInSameClause(reading.text, anchor, other),
    );
    const score = (at: number): number =>
      context.reduce(
        (sum, other) => sum + weights.get(other)! * computeNearness(anchor, other, at, source),
        0,
      );
    const ownBest = findBest(anchor.segments, score);
    if (ownBest === null) continue;
    const anyBest = findBest([...new Set(context.flatMap(({ segments }) => segments))], score);
    const nearCount = context.filter(
      (other) => computeNearness(anchor, other, ownBest.at, source) >= 0.5,
    ).length;
    if (nearCount < Math.min(2, context.length))
      return `the lines that name "${anchor.text}" do not hold what the claim says of it`;
    if (
      anyBest !== null &&
      anyBest.score > ownBest.score * maxBetterFactor &&
      !isBeside(anyBest.at, ownBest.at, source)
    )
      return `what the claim says of "${anchor.text}" is in lines that do not name it`;
    chosen.set(anchor, ownBest.at);
  }
  const recordDoubt = findRecordDoubt(chosen, source);
  if (recordDoubt !== null) return recordDoubt;
  const segments =
    chosen.size > 0 ? listNearby([...chosen.values()], source) : findBestSegment(reading, source);
  // Signs stand for so many words that a claim without names would fit any line of code.
  const basesOf = chosen.size > 0 ? ({ bases: all }: Segment) => all : listSpokenBases;
  const bases = new Set(segments.flatMap((at) => [...basesOf(source.segments[at]!)]));
  const leadInLength = measureLeadIn(reading, segments, source);
  const words = reading.words.filter(
    ({ at }) =>
      at >= leadInLength &&
      !anchors.some((anchor) => anchor.kind !== 'word' && at >= anchor.start && at < anchor.end),
  );
  const isHeaded = (base: string): boolean =>
    segments.length > 0 && segments.every((at) => source.segments[at]!.headings.bases.has(base));
  const isHeld = (base: string): boolean => bases.has(base) || isHeaded(base);
  const lacking = words.filter(({ base }) => !isHeld(base) && !source.known.bases.has(base));
  const found = words.filter(({ base }) => isHeld(base)).length;
  const share = words.length === 0 ? 1 : (words.length - lacking.length) / words.length;
  return { chosen, segments, share, found, lacking: lacking.map(({ text }) => text) };
}

const leadInForm =
  /^\s*(?:(?:returns?|determines?|tells?) (?:true |whether |if |iff )+|(?:check|test)s? (?:if|whether|that) |whether (?:or not )?|true (?:if|when|iff) |returns? )/i;

/**
 * The length of a beginning such as `Returns`, `Checks whether` or `Return True if`, which any line of a function may
 * fulfil. 0 if the lines contain no `return`, or if the sentence begins in another way.
 */
function measureLeadIn({ text }: Reading, chosen: readonly number[], { segments }: Source): number {
  const sources = new Set(chosen.map((at) => segments[at]!.source));
  const returns = segments.some(
    ({ source, isCode, text: line }) => isCode && sources.has(source) && /\breturn\b|=>/.test(line),
  );
  return returns ? (leadInForm.exec(text)?.[0].length ?? 0) : 0;
}

/** The doubt that the names and values occur in several records, and that the lines don't say which belong together. */
function findRecordDoubt(chosen: ReadonlyMap<Anchor, number>, source: Source): string | null {
  const all = [...chosen];
  for (const [a, at] of all)
    for (const [b, other] of all) {
      if (a === b || at === other) continue;
      const isRecord = [at, other].some(
        (one) => isLogged(source.segments[one]!) || isRow(source.segments[one]!),
      );
      if (isRecord && !a.segments.some((one) => b.segments.includes(one)))
        return `"${a.text}" and "${b.text}" stand in two records`;
    }
  return null;
}

/** How many times better another line must fit before the claim is in doubt. */
const maxBetterFactor = 2;

/** The weight of each anchor: a rare one weighs more. */
function weighAnchors(anchors: readonly Anchor[], source: Source): ReadonlyMap<Anchor, number> {
  const count = source.segments.length;
  return new Map(
    anchors.map((anchor) => [anchor, Math.log(1 + count / Math.max(1, new Set(anchor.segments).size))]),
  );
}

/**
 * How near another word of the claim is to an anchor: 1 in the same segment; lower if they are some lines apart in
 * code, or if one is within the definition that the other names.
 */
function computeNearness(anchor: Anchor, other: Anchor, at: number, source: Source): number {
  const { isCode, source: of, scopeEnd } = source.segments[at]!;
  const isFigure = anchor.kind === 'figure';
  const reach = isCode && !isFigure && !isLogged(source.segments[at]!) ? codeReach : 0;
  let nearness = 0;
  for (const one of other.segments) {
    if (one === at) return 1;
    const distance = Math.abs(one - at);
    if (distance <= reach && source.segments[one]!.source === of)
      nearness = Math.max(nearness, 1 - distance / (reach + 2));
    // A comment is about the line below it.
    if (isFigure && one === at - 1 && isCode && !source.segments[one]!.isCode) nearness = scopedNearness;
    if ((isFigure && other.kind !== 'term') || nearness > scopedNearness || isLogged(source.segments[at]!))
      continue;
    const end = source.segments[one]!.scopeEnd;
    const isInScope =
      (scopeEnd !== null && one > at && one <= scopeEnd) ||
      (end !== null && other.kind !== 'word' && at > one && at <= end);
    if (isInScope) nearness = scopedNearness;
  }
  return nearness;
}

const scopedNearness = 0.6;

/** Whether a line is independent of its neighbours: a line of a log, or of JSON lines. */
export const isLogged = ({ isRecord, moments }: Segment): boolean => isRecord || moments.length > 0;

function findBest(
  segments: readonly number[],
  score: (at: number) => number,
): { readonly at: number; readonly score: number } | null {
  let found: { at: number; score: number } | null = null;
  for (const at of segments) {
    const value = score(at);
    if (found === null || value > found.score) found = { at, score: value };
  }
  return found;
}

function listNearby(chosen: readonly number[], source: Source): readonly number[] {
  const found = new Set<number>();
  for (const at of chosen) {
    const { isCode, source: of } = source.segments[at]!;
    const reach = isCode && !isLogged(source.segments[at]!) ? codeReach : 0;
    for (let near = at - reach; near <= at + reach; near += 1)
      if (source.segments[near]?.source === of) found.add(near);
  }
  return [...found].sort((a, b) => a - b);
}

/** For a claim without names: the segment with most of its words. */
function findBestSegment(reading: Reading, source: Source): readonly number[] {
  const found = findBest(
    [...source.segments.keys()],
    (at) => reading.words.filter(({ base }) => listSpokenBases(source.segments[at]!).has(base)).length,
  );
  return found === null || found.score === 0 ? [] : [found.at];
}

/** Stems of the words of a segment; of code without the words for its signs. */
const listSpokenBases = (segment: Segment): ReadonlySet<string> =>
  segment.isCode && !isLogged(segment) ? new Set(segment.words.map(({ base }) => base)) : segment.bases;

const isBeside = (a: number, b: number, source: Source): boolean =>
  a === b ||
  (Math.abs(a - b) <= 1 &&
    source.segments[a]!.isCode &&
    source.segments[b]!.isCode &&
    source.segments[a]!.source === source.segments[b]!.source);

export const areInSameClause = (text: string, a: Anchor, b: Anchor): boolean =>
  !/[;:]\s|\s-\s/.test(text.slice(Math.min(a.end, b.end), Math.max(a.start, b.start)));

export const isRow = ({ text }: Segment): boolean => /^\s*\|/.test(text);
