/**
 * Finds what a sentence has in the place of one thing that the claim says: another value, time, noun, or the opposite.
 */

import type { Reading } from '../../claim/reading.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import { saysRounded } from '../../lines/find-figure.ts';
import { listSegmentsBelow, type Source } from '../../lines/source.ts';
import { nounBefore, predicate, spanning, verbal } from '../../words/governing.ts';
import { findDirectedWords, findOpposites, mayMeanSame } from '../../words/opposites.ts';
import { findDenials, isQuantity } from '../../words/turns.ts';
import { isIdle, isLight, toComparable } from '../../words/words.ts';
import { type Alignment, alignWithout, findGap, findLacking, isRecorded } from './align.ts';
import { isSame, isValue, splitSegment } from './tokens.ts';

/** Minimum share of the rest of a claim that such a sentence must have. */
export const minShareBeside = 0.7;

/** A value of the claim in whose place the sentence that says the rest has another value of its sort. */
export function findReplaced(aligned: Alignment, source: Source): string | null {
  for (const [at, token] of aligned.claimed.entries()) {
    if (!isValue(token) || (token.figure !== undefined && saysRounded(aligned.said.slice(0, token.at))))
      continue;
    const found = alignWithout(token, aligned, source);
    if (found === null || found.share < minShareBeside) continue;
    if (found.given.some((other) => isSame(token, other, found.segment.text))) continue;
    if (isRecorded(found.segment) && isInOtherLine(aligned, at, source)) continue;
    const [before, behind] = findGap(found, at);
    const other = found.given
      .slice(before + 1, behind)
      .find(
        (one, index) =>
          !found.partners.includes(before + 1 + index) &&
          (token.figure === undefined
            ? one.moment !== undefined
            : one.figure !== undefined &&
              one.figure.dimension === token.figure.dimension &&
              (!year.test(one.text) || year.test(token.text))),
      );
    if (other !== undefined) return `${other.text} for ${token.text}`;
  }
  return null;
}

/** Whether another line has the value together with the word next to it in the claim: the claim is of several lines. */
function isInOtherLine({ claimed }: Alignment, at: number, { segments }: Source): boolean {
  const token = claimed[at]!;
  const beside = [claimed[at - 1], claimed[at + 1]].filter((one) => one !== undefined && !isValue(one));
  return segments.some((segment) => {
    const given = splitSegment(segment);
    return (
      given.some((other) => isSame(token, other, segment.text)) &&
      beside.some((one) => given.some((other) => isSame(one!, other, segment.text)))
    );
  });
}
/** Every line of a log may have one, beside all its other figures. */
const year = /^(?:19|20)\d\d$/;

/** The reason against the only time of a claim, if the sentence with its other words is of another time. */
export function findOtherTime(aligned: Alignment, source: Source): string | null {
  const [token, ...more] = aligned.claimed.filter(({ moment }) => moment !== undefined);
  if (token?.moment === undefined || more.length > 0 || spanning.test(aligned.said)) return null;
  const found = alignWithout(token, aligned, source);
  const time = found === null || found.share < minShareBeside ? null : findTime(token.moment, found, source);
  return time === null ? null : `The lines say that of ${time}, and not of ${token.text}.`;
}

/** The only time of a record, or of the heading above a sentence, if the claim has another one. */
function findTime(moment: Moment, { segment }: Alignment, source: Source): string | null {
  const at = source.segments.indexOf(segment);
  const above = source.segments.filter((_, index) => listSegmentsBelow(index, source).includes(at));
  const times = [segment, ...above.toReversed()].map(({ moments }) =>
    moments.filter(({ second, day }) => (moment.second === null ? day !== null : second !== null)),
  );
  const own = times.find((moments) => moments.length > 0) ?? [];
  const [first] = own;
  if (first === undefined || times.flat().some((one) => isSameMoment(moment, one))) return null;
  return own.length === 1 ? first.text : null;
}

/** A directed word in whose place the sentence has its opposite. */
export function findOpposed(reading: Reading, found: Alignment): string | null {
  // `not affected` is unaffected, and `half-installed` is no half.
  const said = new Set(
    found.given.flatMap(({ text, isDenied, isInName }) => (isDenied || isInName ? [] : [text.toLowerCase()])),
  );
  // A claim that says both may be about two sentences.
  const own = new Set(found.claimed.map(({ text }) => text.toLowerCase()));
  for (const { word, at } of findDirectedWords(reading.text)) {
    // `not affected` for `unaffected`
    if (
      findDenials(reading.text.slice(0, at)).length % 2 === 1 &&
      findDenials(found.segment.text).length === 0
    )
      continue;
    if (said.has(word) || found.given.some(({ base }) => base === toComparable(word) && !isIdle(word)))
      continue;
    const other = findOpposites(word).find((one) => said.has(one) && !own.has(one));
    if (other !== undefined) return `${other} for ${word}`;
  }
  return null;
}

/** A noun in whose place the sentence that says all the rest has another word. */
export function findOtherNoun(found: Alignment, source: Source): string | null {
  const lacking = findLacking(found).filter((token) => !isLight(token.text));
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
  const [before, behind] = findGap(found, at);
  const tokens = found.given
    .slice(before + 1, behind)
    .filter(
      (token, index) =>
        !found.partners.includes(before + 1 + index) && !isLight(token.text) && !isValue(token),
    );
  // Two words may not be a replacement of it.
  if (tokens.length !== 1 || verbal.test(tokens[0]!.text)) return null;
  if (tokens.length === 1 && mayMeanSame(token.text, tokens[0]!.text)) return null;
  if (token.base.startsWith(tokens[0]!.base.slice(0, 4))) return null;
  if (
    tokens.some(({ text, base }) => text.length < 2 || token.base.endsWith(base) || base.endsWith(token.base))
  )
    return null;
  // The claim may take it from a heading.
  if (source.segments.some(({ level, bases }) => level > 0 && bases.has(token.base))) return null;
  return `${tokens.map(({ text }) => text).join(' ')} for ${token.text}`;
}
