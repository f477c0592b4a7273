/** Finds one record, row or sentence that contains all names of a claim, but another value, or the opposite. */

import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { findDirectedWords, findOpposites } from '../../words/opposites.ts';
import { isNegated } from '../../words/turns.ts';
import { isGeneric, isIdle, toComparable } from '../../words/words.ts';
import { findReversedChange } from '../support/from-to.ts';
import type { Anchor } from '../support/place.ts';

/**
 * The first reason against the claim's figures, or against the one record that contains all of its names; null if there
 * is none.
 */
export function findRecordContradiction(
  reading: Reading,
  anchors: readonly Anchor[],
  source: Source,
): string | null {
  return (
    findReversedChange(reading, source) ??
    findOtherFigure(reading, anchors, source) ??
    findOppositeWord(reading, anchors, source)
  );
}

/** The segments that contain every name, address and time of the claim. */
function findRecords(anchors: readonly Anchor[], source: Source, ignoredAnchor?: Anchor): readonly Segment[] {
  const firmAnchors = anchors.filter(
    (anchor) =>
      anchor !== ignoredAnchor &&
      anchor.kind !== 'word' &&
      anchor.how !== 'known' &&
      (anchor.kind === 'term' || anchor.isTime === true),
  );
  if (firmAnchors.length === 0) return [];
  const [first, ...rest] = firmAnchors;
  return first!.segments
    .filter((at) => rest.every(({ segments }) => segments.includes(at)))
    .map((at) => source.segments[at]!);
}

function findOtherFigure(reading: Reading, anchors: readonly Anchor[], source: Source): string | null {
  for (const figure of reading.figures) {
    if (figure.isWord && figure.dimension === null) continue;
    const anchor = anchors.find((one) => one.kind === 'figure' && one.start === figure.start);
    const records = findRecords(anchors, source, anchor);
    if (records.length === 0 || records.length > 3) continue;
    const wordsBeside = findWordsBeside(reading.text, figure);
    if (wordsBeside.length === 0) continue;
    const containsFigure = (record: Segment): boolean =>
      record.figures.some((given) => matchFigure(figure, given) !== null);
    if (records.some(containsFigure)) continue;
    const otherFigures = records.flatMap(({ text, figures }) =>
      figures.filter(
        (given) =>
          !given.isPart &&
          findWordsBeside(text, given).some((word) => wordsBeside.includes(word)) &&
          given.dimension === figure.dimension,
      ),
    );
    if (otherFigures.length > 0) return `the record has ${otherFigures[0]!.text} there`;
  }
  return null;
}

/** The words next to a figure that say what it measures. */
function findWordsBeside(text: string, { start, end }: Figure): readonly string[] {
  const before = text.slice(0, start).match(/[\p{L}_]{3,}(?=[^\p{L}\p{N}]*$)/u)?.[0];
  const behind = /^[^\p{L}\p{N}.;]*([\p{L}_]{3,})/u.exec(text.slice(end))?.[1];
  return [before, behind]
    .filter((word) => word !== undefined && !isIdle(word) && !isGeneric(word))
    .map((word) => toComparable(word!));
}

/** The reason against a claim that says `went down` if the only record says `up`. */
function findOppositeWord(reading: Reading, anchors: readonly Anchor[], source: Source): string | null {
  const records = findRecords(anchors, source);
  if (records.length === 0 || records.length > 3 || isNegated(reading.text)) return null;
  const directedWords = findDirectedWords(reading.text);
  for (const { word } of directedWords) {
    const isSaid = records.some(({ words }) =>
      words.some(({ text, base }) => text.toLowerCase() === word || base === toComparable(word)),
    );
    if (isSaid) continue;
    const opposites = findOpposites(word);
    if (directedWords.some((one) => opposites.includes(one.word))) continue;
    const found = records.map((record) =>
      opposites.find((one) => record.words.some(({ text }) => text.toLowerCase() === one)),
    );
    const share = Math.max(
      ...records.map(
        ({ bases }) =>
          reading.words.filter(({ base }) => bases.has(base)).length / Math.max(1, reading.words.length - 1),
      ),
    );
    if (
      found.every((one) => one !== undefined) &&
      share >= 0.6 &&
      !records.some(({ text }) => isNegated(text))
    )
      return `the lines say "${found[0]}" where the claim says "${word}"`;
  }
  return null;
}
