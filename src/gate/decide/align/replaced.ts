/**
 * Finds what a sentence has in the place of one token of the claim: another value, time or noun, or an opposite word.
 */

import type { Reading } from '../../claim/reading.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import { saysRounded } from '../../lines/find-figure.ts';
import { listSegmentsBelow, type Source } from '../../lines/source.ts';
import { nounBefore, predicate, spanning, verbal } from '../../words/governing.ts';
import { findDirectedWords, findOpposites, mayMeanSame } from '../../words/opposites.ts';
import { findDenials, isQuantity } from '../../words/turns.ts';
import { isIdle, isLight, toComparable } from '../../words/words.ts';
import {
  type Alignment,
  alignWithout,
  findPartnersAround,
  findUnpairedTokens,
  isRecordOrRow,
} from './align.ts';
import { isSameToken, isValue, splitSegment } from './tokens.ts';

/** Minimum share of the claim's other tokens, by weight, that such a sentence must have. */
export const minShareOfRest = 0.7;

/** Finds another value of the same dimension in the place of one of the claim, in the sentence with its other words. */
export function findReplacedValue(aligned: Alignment, source: Source): string | null {
  for (const [at, token] of aligned.claimed.entries()) {
    if (!isValue(token) || (token.figure !== undefined && saysRounded(aligned.said.slice(0, token.at))))
      continue;
    const found = alignWithout(token, aligned, source);
    if (found === null || found.share < minShareOfRest) continue;
    if (found.given.some((other) => isSameToken(token, other, found.segment.text))) continue;
    if (isRecordOrRow(found.segment) && isInOtherLine(aligned, at, source)) continue;
    const [before, behind] = findPartnersAround(found, at);
    const other = found.given
      .slice(before + 1, behind)
      .find(
        (one, index) =>
          !found.partners.includes(before + 1 + index) &&
          (token.figure === undefined
            ? one.moment !== undefined
            : one.figure !== undefined &&
              one.figure.dimension === token.figure.dimension &&
              (!yearForm.test(one.text) || yearForm.test(token.text))),
      );
    if (other !== undefined) return `${other.text} for ${token.text}`;
  }
  return null;
}

/** Whether another line has the value and a word next to it in the claim: then the claim is about several lines. */
function isInOtherLine({ claimed }: Alignment, at: number, { segments }: Source): boolean {
  const token = claimed[at]!;
  const neighbourTokens = [claimed[at - 1], claimed[at + 1]].filter(
    (one) => one !== undefined && !isValue(one),
  );
  return segments.some((segment) => {
    const given = splitSegment(segment);
    return (
      given.some((other) => isSameToken(token, other, segment.text)) &&
      neighbourTokens.some((one) => given.some((other) => isSameToken(one!, other, segment.text)))
    );
  });
}
/** A year. Every line of a log may have one besides its other figures. */
const yearForm = /^(?:19|20)\d\d$/;

/** The reason against the only time of a claim, if the sentence with its other words is of another time. */
export function findOtherTime(aligned: Alignment, source: Source): string | null {
  const [token, ...more] = aligned.claimed.filter(({ moment }) => moment !== undefined);
  if (token?.moment === undefined || more.length > 0 || spanning.test(aligned.said)) return null;
  const found = alignWithout(token, aligned, source);
  const time = found === null || found.share < minShareOfRest ? null : findTime(token.moment, found, source);
  return time === null ? null : `The lines say that of ${time}, and not of ${token.text}.`;
}

/** The only time of a record, or of the nearest heading above a sentence, if it differs from that of the claim. */
function findTime(moment: Moment, { segment }: Alignment, source: Source): string | null {
  const at = source.segments.indexOf(segment);
  const above = source.segments.filter((_, index) => listSegmentsBelow(index, source).includes(at));
  const momentLists = [segment, ...above.toReversed()].map(({ moments }) =>
    moments.filter(({ second, day }) => (moment.second === null ? day !== null : second !== null)),
  );
  const nearestMoments = momentLists.find((moments) => moments.length > 0) ?? [];
  const [first] = nearestMoments;
  if (first === undefined || momentLists.flat().some((one) => isSameMoment(moment, one))) return null;
  return nearestMoments.length === 1 ? first.text : null;
}

/** Finds a word such as `up` for which the sentence has the opposite. */
export function findOppositeInPlace(reading: Reading, found: Alignment): string | null {
  // `not affected` means `unaffected`, and `half-installed` does not count as `half`.
  const givenWords = new Set(
    found.given.flatMap(({ text, isDenied, isInName }) => (isDenied || isInName ? [] : [text.toLowerCase()])),
  );
  // A claim with both opposites may be about two sentences.
  const claimedWords = new Set(found.claimed.map(({ text }) => text.toLowerCase()));
  for (const { word, at } of findDirectedWords(reading.text)) {
    // `not affected` for `unaffected`
    if (
      findDenials(reading.text.slice(0, at)).length % 2 === 1 &&
      findDenials(found.segment.text).length === 0
    )
      continue;
    if (givenWords.has(word) || found.given.some(({ base }) => base === toComparable(word) && !isIdle(word)))
      continue;
    const other = findOpposites(word).find((one) => givenWords.has(one) && !claimedWords.has(one));
    if (other !== undefined) return `${other} for ${word}`;
  }
  return null;
}

/** Finds another word in the place of a noun of the claim, in the sentence that has all its other words. */
export function findOtherNoun(found: Alignment, source: Source): string | null {
  const lacking = findUnpairedTokens(found).filter((token) => !isLight(token.text));
  const [token, ...more] = lacking;
  if (
    token === undefined ||
    more.length > 0 ||
    isValue(token) ||
    verbal.test(token.text) ||
    isQuantity(token.text)
  )
    return null;
  if (!nounBefore.test(found.said.slice(0, token.at))) return null;
  if (token.at === 0 && !predicate.test(found.said.slice(token.end))) return null;
  const at = found.claimed.indexOf(token);
  const [before, behind] = findPartnersAround(found, at);
  const tokens = found.given
    .slice(before + 1, behind)
    .filter(
      (token, index) =>
        !found.partners.includes(before + 1 + index) && !isLight(token.text) && !isValue(token),
    );
  // Only a single word counts as a replacement.
  if (tokens.length !== 1 || verbal.test(tokens[0]!.text)) return null;
  if (tokens.length === 1 && mayMeanSame(token.text, tokens[0]!.text)) return null;
  if (token.base.startsWith(tokens[0]!.base.slice(0, 4))) return null;
  if (
    tokens.some(({ text, base }) => text.length < 2 || token.base.endsWith(base) || base.endsWith(token.base))
  )
    return null;
  // The claim may take the noun from a heading.
  if (source.segments.some(({ level, bases }) => level > 0 && bases.has(token.base))) return null;
  return `${tokens.map(({ text }) => text).join(' ')} for ${token.text}`;
}
