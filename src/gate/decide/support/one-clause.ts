/**
 * Whether one clause of prose supports a whole claim: it has every word and figure of the claim in the same order, and
 * nothing else that could change what it says. Any other word of the clause, in whatever language, may change it:
 * `nicht`, `refused to`, `old`, `unlike`, or the value of another thing.
 */
import type { Reading } from '../../claim/reading.ts';
import { listSegmentsBelow, type Segment, type Source } from '../../lines/source.ts';
import { isEnglish } from '../../words/languages.ts';
import { mayDeny } from '../../words/turns.ts';
import { isCodeComment, isFullSentence } from '../align/align.ts';
import type { Token } from '../align/tokens.ts';
import { matchItem } from './item.ts';
import { isAlike, splitTokens } from './pieces.ts';
import { isRearranged } from './rearranged.ts';
import { isClauseBefore, isWholeBefore, mayEndBefore, mayEndBeforeAnd, mayTakeBack } from './whole-clause.ts';

/** Whether a segment is a sentence or item of prose: no code, record or row of a table. */
export const isProse = ({ isCode, isRecord, text }: Segment): boolean =>
  !isCode && !isRecord && !/^\s*\|/.test(text);

/** Minimum tokens of a claim: two of them may be together in many sentences. */
const minLength = 3;

export function isInOneClause(reading: Reading, source: Source): boolean {
  const claimed = splitTokens(reading.text).filter(
    ({ at }) => !reading.places.some(({ before, endOffset }) => at >= before.length && at < endOffset),
  );
  if (claimed.length < minLength) return false;
  return source.segments.some(
    (segment, at) =>
      isProse(segment) &&
      segment.level === 0 &&
      (!isCodeComment(segment, source) || isFullSentence(segment, source)) &&
      /\?\W*$/.test(segment.text) === /\?\W*$/.test(reading.text) &&
      splitAtSemicolons(segment.text).some((clause) =>
        containsClaim(clause, reading, claimed, segment, at, source),
      ),
  );
}

function containsClaim(
  text: string,
  reading: Reading,
  claimed: readonly Token[],
  segment: Segment,
  at: number,
  source: Source,
): boolean {
  const isPlain = isEnglish(`${text} ${reading.text}`);
  const isIdle = ({ text: word }: Token): boolean => isPlain && idleWords.has(word.toLowerCase());
  let given: readonly Token[] = splitTokens(text);
  let needed: readonly Token[] = claimed.filter(
    (token) => !(isPlain && articles.has(token.text.toLowerCase())),
  );
  const timeLabel = findTimeLabel(given, text);
  const headingTimes = findHeadingTimes(at, source);
  const isAbove = (token: Token): boolean =>
    [...timeLabel, ...headingTimes].some((other) => isAlike(token, other));
  if (timeLabel.length > 0 || headingTimes.length > 0) {
    needed = needed.filter(
      (token, index) => !isAbove(token) && !(isTimePreposition(token) && isNextAbove(needed, index, isAbove)),
    );
    given = given.slice(timeLabel.length);
  }
  if (segment.headings.text !== '') {
    const headedTokens = dropHeadingTokens(needed, given, segment.headings.text);
    if (headedTokens !== null)
      return (
        isInOrder(headedTokens, given) &&
        given.every(
          (other) =>
            linkingWords.has(other.text.toLowerCase()) || headedTokens.some((one) => isAlike(one, other)),
        )
      );
  }
  const item = matchItem(needed, given, text);
  if (item !== null) [needed, given] = item;
  const contentTokens = given.filter((token) => !isIdle(token));
  if (isRearranged(needed, contentTokens, text, isPlain)) return true;
  return [needed, ...(isPlain ? createRotations(needed, contentTokens) : [])].some(
    (tokens) => tokens.length > 0 && isWithinClause(tokens, given, text, isPlain, isIdle),
  );
}

/**
 * `On Monday Anna called Bob` for `Anna called Bob on Monday`, and the other way: such a phrase may be at either
 * end.
 */
function createRotations(needed: readonly Token[], given: readonly Token[]): readonly (readonly Token[])[] {
  const [first] = given;
  if (first === undefined) return [];
  return needed.flatMap((token, at) =>
    at > 0 && (frontedWord.test(token.text) ? isAlike(token, first) : frontedWord.test(needed[0]!.text))
      ? [[...needed.slice(at), ...needed.slice(0, at)]]
      : [],
  );
}
const frontedWord =
  /^(?:at|on|in|by|for|during|within|since|before|after|if|when|because|without|with|under)$/i;

function isWithinClause(
  needed: readonly Token[],
  given: readonly Token[],
  text: string,
  isPlain: boolean,
  isIdle: (token: Token) => boolean,
): boolean {
  for (const [first, token] of given.entries()) {
    if (!isAlike(needed[0]!, token)) continue;
    const places = findTightestPlaces(needed, given, first);
    if (places === null) return false;
    const [from, to] = [places[0]!, places.at(-1)!];
    const isClear = given.every(
      (other, index) => index < from || index > to || places.includes(index) || isIdle(other),
    );
    const isBegun =
      given.slice(0, from).every((other, index) => isIdle(other) || (index === 0 && isLeadWord(other))) ||
      (isPlain &&
        isClauseBefore(text.slice(0, given[from]!.at), text.slice(given[from]!.at, given[to]!.end)));
    if (isClear && isBegun && isEnded(text, given, to, isPlain, isIdle)) return true;
  }
  return false;
}

/**
 * The places of all tokens in order, near each other: the end is the first one possible, the rest as near to it as can
 * be.
 */
function findTightestPlaces(
  needed: readonly Token[],
  given: readonly Token[],
  first: number,
): readonly number[] | null {
  let end = first - 1;
  for (const token of needed) {
    end = given.findIndex((other, index) => index > end && isAlike(token, other));
    if (end < 0) return null;
  }
  const places: number[] = [];
  let before = end + 1;
  for (const token of needed.toReversed()) {
    before = given.findLastIndex((other, index) => index < before && isAlike(token, other));
    places.unshift(before);
  }
  return places;
}

/** Whether the sentence ends there, or goes on with a clause of its own that takes nothing back. */
function isEnded(
  text: string,
  given: readonly Token[],
  to: number,
  isPlain: boolean,
  isIdle: (token: Token) => boolean,
): boolean {
  if (given.slice(to + 1).every(isIdle)) return true;
  const rest = text.slice(given[to]!.end);
  return isPlain ? mayEndBefore(rest) : mayEndBeforeAnd(rest) && isWholeBefore(text.slice(0, given[to]!.end));
}

/** Words that may be added to a clause without changing what it says. */
const articles = new Set(['a', 'an', 'the']);
const idleWords = new Set([
  ...articles,
  ...'this these our its also already still currently now therefore thus hence moreover furthermore'.split(
    ' ',
  ),
]);
const isLeadWord = ({ text }: Token): boolean => /^(?:And|But|So|Then|However|Finally)$/.test(text);

/** Whether a claim takes only part of a table cell, so that the rest may change its meaning: `not before 3 May`. */
export function leavesCellPart(reading: Reading, { text }: Segment): boolean {
  if (!text.trimStart().startsWith('|')) return false;
  const claimed = splitTokens(reading.text);
  return text.split('|').some((cell) => {
    const cellTokens = splitTokens(cell).filter((token) => !articles.has(token.text.toLowerCase()));
    const isTaken = cellTokens.map((token) => claimed.some((one) => isAlike(one, token)));
    const rest = cell.slice(cellTokens[isTaken.lastIndexOf(true)]?.end ?? cell.length);
    return (
      isTaken.includes(true) &&
      ((isTaken.indexOf(false) >= 0 && isTaken.indexOf(false) < isTaken.lastIndexOf(true)) ||
        mayDeny(rest) ||
        mayTakeBack(rest))
    );
  });
}

/** A semicolon ends a clause as a point does, except in a list behind a colon or in brackets. */
const splitAtSemicolons = (text: string): readonly string[] =>
  /:\s|\([^()]*;|^\s*\[ \]/.test(text) ? (/^\s*\[ \]/.test(text) ? [] : [text]) : text.split(/;\s+/);

/** The time that begins an item of a timeline. */
function findTimeLabel(given: readonly Token[], text: string): readonly Token[] {
  const [first] = given;
  if (first?.moment === undefined || !/^\W*$/.test(text.slice(0, first.at))) return [];
  const next = given.findIndex(
    ({ text: word }, index) => index > 0 && !/^(?:utc|gmt|[cepm][ds]?t)$/i.test(word),
  );
  const between = text.slice(first.end, given[next]?.at ?? text.length);
  return next > 0 && /[-:–—|]\W*$/.test(between) ? given.slice(0, next) : [];
}

/** The times and releases in the headings above that hold for everything below them. */
function findHeadingTimes(at: number, source: Source): readonly Token[] {
  return source.segments.flatMap((heading, index) =>
    heading.level > 0 && index < at && listSegmentsBelow(index, source).includes(at)
      ? splitTokens(heading.text)
      : [],
  );
}

const isTimePreposition = ({ text }: Token): boolean => /^(?:at|on|in|since|from)$/i.test(text);
const isNextAbove = (tokens: readonly Token[], index: number, isAbove: (token: Token) => boolean): boolean =>
  tokens[index + 1] !== undefined && isAbove(tokens[index + 1]!);

/** Whether the words stand in that order; figures and times may be before or after what has them. */
function isInOrder(tokens: readonly Token[], given: readonly Token[]): boolean {
  let from = 0;
  for (const token of tokens) {
    if (token.figure !== undefined || token.moment !== undefined) continue;
    const at = given.findIndex((other, index) => index >= from && isAlike(token, other));
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

const linkingWords = new Set('is are of in a an the'.split(' '));

/**
 * The tokens of a claim about an item that is no sentence, without those that the heading above it has. Null if the
 * claim has only some words of that heading, or the item lacks a word of it.
 */
function dropHeadingTokens(
  needed: readonly Token[],
  given: readonly Token[],
  headings: string,
): readonly Token[] | null {
  const nearest = splitTokens(headings.split('\n').at(-1)!);
  const all = splitTokens(headings);
  const isIn = (token: Token, tokens: readonly Token[]): boolean => tokens.some((one) => isAlike(token, one));
  if (mayDeny(headings) || !nearest.every((token) => isIn(token, needed))) return null;
  const rest = needed.filter(
    (token) => !linkingWords.has(token.text.toLowerCase()) && (isIn(token, given) || !isIn(token, all)),
  );
  return rest.every((token) => isIn(token, given)) ? rest : null;
}
