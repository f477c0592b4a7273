/**
 * Whether one clause of prose carries a whole claim: it has every word and figure of the claim in the same order, and
 * nothing else that could change what it says. Of a word that is left over, in whatever language, it is not known that it
 * changes nothing: `nicht`, `refused to`, `old`, `unlike`, or the value of another thing.
 */
import { figuresIn, wordFiguresIn } from '../../claim/figures.ts';
import type { Reading } from '../../claim/reading.ts';
import { momentsIn } from '../../claim/times.ts';
import { type Segment, type Source, segmentsBelow } from '../../lines/source.ts';
import { isEnglish } from '../../words/languages.ts';
import { mayDeny } from '../../words/turns.ts';
import { spelledAlike } from '../../words/words.ts';
import { isOfCode, isSaying } from '../align/align.ts';
import { isSame, type Token } from '../align/tokens.ts';

/** A sentence or item of prose, and no line of code, record, heading or row of a table. */
export const isProse = ({ isCode, isRecord, text }: Segment): boolean =>
  !isCode && !isRecord && !/^\s*\|/.test(text);

/** Minimum words and figures of a claim: two of them may stand together in many sentences. */
const minLength = 3;

export function isCarriedByClause(reading: Reading, source: Source): boolean {
  const claimed = piecesOf(reading.text).filter(
    ({ at }) => !reading.places.some(({ before, endOffset }) => at >= before.length && at < endOffset),
  );
  if (claimed.length < minLength) return false;
  return source.segments.some(
    (segment, at) =>
      isProse(segment) &&
      segment.level === 0 &&
      (!isOfCode(segment, source) || isSaying(segment, source)) &&
      /\?\W*$/.test(segment.text) === /\?\W*$/.test(reading.text) &&
      clausesOf(segment.text).some((clause) => carries(clause, reading, claimed, segment, at, source)),
  );
}

function carries(
  text: string,
  reading: Reading,
  claimed: readonly Token[],
  segment: Segment,
  at: number,
  source: Source,
): boolean {
  const isPlain = isEnglish(`${text} ${reading.text}`);
  const isIdle = ({ text: word }: Token): boolean => isPlain && idle.has(word.toLowerCase());
  let given: readonly Token[] = piecesOf(text);
  let needed = claimed.filter((token) => !(isPlain && articles.has(token.text.toLowerCase())));
  const label = labelOf(given, text);
  const above = headingTimes(at, source);
  const isAbove = (token: Token): boolean => [...label, ...above].some((other) => isAlike(token, other));
  if (label.length > 0 || above.length > 0) {
    needed = needed.filter(
      (token, index) => !isAbove(token) && !(isTimed(token) && isAboveNext(needed, index, isAbove)),
    );
    given = given.slice(label.length);
  }
  if (segment.headings.text !== '') {
    const headed = withoutHeading(needed, given, segment.headings.text);
    if (headed !== null)
      return given.every(
        (other) => linking.has(other.text.toLowerCase()) || headed.some((one) => isAlike(one, other)),
      );
  }
  return [
    needed,
    ...(isPlain
      ? turnedRound(
          needed,
          given.filter((token) => !isIdle(token)),
        )
      : []),
  ].some((tokens) => tokens.length > 0 && isHeld(tokens, given, text, isPlain, isIdle));
}

/** `On Monday Anna called Bob` for `Anna called Bob on Monday`, and the other way: such a phrase may stand at either end. */
function turnedRound(needed: readonly Token[], given: readonly Token[]): readonly (readonly Token[])[] {
  const [first] = given;
  if (first === undefined) return [];
  return needed.flatMap((token, at) =>
    at > 0 && (fronted.test(token.text) ? isAlike(token, first) : fronted.test(needed[0]!.text))
      ? [[...needed.slice(at), ...needed.slice(0, at)]]
      : [],
  );
}
const fronted = /^(?:at|on|in|by|for|during|within|since|before|after|if|when|because|without|with|under)$/i;

function isHeld(
  needed: readonly Token[],
  given: readonly Token[],
  text: string,
  isPlain: boolean,
  isIdle: (token: Token) => boolean,
): boolean {
  for (const [first, token] of given.entries()) {
    if (!isAlike(needed[0]!, token)) continue;
    const places = tightest(needed, given, first);
    if (places === null) return false;
    const [from, to] = [places[0]!, places.at(-1)!];
    const isClear = given.every(
      (other, index) => index < from || index > to || places.includes(index) || isIdle(other),
    );
    const isBegun = given
      .slice(0, from)
      .every((other, index) => isIdle(other) || (index === 0 && isLead(other)));
    if (isClear && isBegun && isEnded(text, given, to, isPlain, isIdle)) return true;
  }
  return false;
}

/** The places of all tokens in order, near each other: the end is the first one possible, the rest as near to it as can be. */
function tightest(
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
  return isPlain && goingOn.test(rest) && !mayDeny(rest) && !takingBack.test(rest);
}

const goingOn = /^["'”’*_`)\]]*(?:,? and (?!that|this|it\b|so\b)|,? because |: )/;
const takingBack =
  /\b(?:if|until|till|when|while|false\w*|wrong\w*|untrue|doubt\w*|alleg\w*|claim\w*|suppos\w*|would|might|may|could|should|but|though|although|however|once|half|quarters?|expected|planned|formerly|vice versa)\b/i;

/** What may stand beside the words of a clause without changing what it says. */
const articles = new Set(['a', 'an', 'the']);
const idle = new Set([
  ...articles,
  ...'this these our its also already still currently now therefore thus hence moreover furthermore'.split(
    ' ',
  ),
]);
const isLead = ({ text }: Token): boolean => /^(?:And|But|So|Then|However|Finally)$/.test(text);

/** Whether a claim about a row of a table leaves something over before what it takes of a cell: `not before 3 May`. */
export function leavesOver(reading: Reading, { text }: Segment): boolean {
  if (!text.trimStart().startsWith('|')) return false;
  const claimed = piecesOf(reading.text);
  return text.split('|').some((cell) => {
    const own = piecesOf(cell).filter((token) => !articles.has(token.text.toLowerCase()));
    const isTaken = own.map((token) => claimed.some((one) => isAlike(one, token)));
    const rest = cell.slice(own[isTaken.lastIndexOf(true)]?.end ?? cell.length);
    return (
      isTaken.includes(true) &&
      ((isTaken.indexOf(false) >= 0 && isTaken.indexOf(false) < isTaken.lastIndexOf(true)) ||
        mayDeny(rest) ||
        takingBack.test(rest))
    );
  });
}

/** A time, a figure or a word; names are one word, and each character of a script without spaces. */
function piecesOf(text: string): readonly Token[] {
  const masked = withoutMarks(text);
  const moments = momentsIn(masked).map((moment) => ({ ...foundAt(moment), moment }));
  const figures = [...figuresIn(masked), ...wordFiguresIn(masked)].map((figure) => ({
    ...foundAt(figure),
    figure,
  }));
  const values: Token[] = [];
  for (const one of [...moments, ...figures])
    if (!values.some(({ at, end }) => one.at < end && one.end > at)) values.push(one);
  const words = [...masked.matchAll(word)]
    .map(({ index, 0: text }) => foundAt({ text, start: index, end: index + text.length }))
    .filter((one) => !values.some(({ at, end }) => one.at < end && one.end > at));
  return [...words, ...values].toSorted((a, b) => a.at - b.at);
}

const dense = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const word = new RegExp(
  `${dense}|\\p{N}+(?:[.:]\\p{N}+)+|(?:(?!${dense})[\\p{L}\\p{M}\\p{N}_])+(?:['’]\\p{L}+)?`,
  'gu',
);

const foundAt = ({ text, start, end }: { text: string; start: number; end: number }): Token => ({
  ...{ text, base: formOf(text), at: start, end },
  ...{ role: '', ownRole: '', amount: '', isDenied: false, isInName: false, isSetAside: false },
});

/** One form for singular and plural, as a verb has them too. Tense, degree and all other endings make another word. */
const formOf = (text: string): string => {
  const plain = text.toLowerCase().replace(/['’]s?$/, '');
  const alike = sameForms.get(plain);
  if (alike !== undefined) return alike;
  if (plain.length < 4) return plain;
  return spelledAlike(plain)
    .replace(/ies$/, 'y')
    .replace(/(?<=s|x|z|ch|sh)es$/, '')
    .replace(/(?<![su])s$/, '');
};
const sameForms = new Map([
  ['are', 'is'],
  ['were', 'was'],
  ['have', 'has'],
  ['do', 'does'],
  ['an', 'a'],
]);

/** Without the targets of links, tags and comments; what stays keeps its place. */
const withoutMarks = (text: string): string =>
  text.replace(
    /(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|(?<=\])\[[^\]]*\]|<\/?\p{L}[^<>]*>|https?:\/\/[^\s)\]>]+|<!--.*?-->/giu,
    (found) => ' '.repeat(found.length),
  );

/** `1.500` is one thousand and five hundred in most languages, and one and a half in English. */
const isGrouped = ({ text }: Token): boolean => /^\d{1,3}(?:\.\d{3})+(?!\d)/.test(text);
const isSameGrouped = (one: Token, other: Token): boolean =>
  isGrouped(one)
    ? one.text === other.text || one.figure?.otherwise === other.figure?.number
    : isSameGrouped(other, one);

const isAlike = (one: Token, other: Token): boolean => {
  const [isValue, isOther] = [one, other].map(
    ({ figure, moment }) => figure !== undefined || moment !== undefined,
  );
  if (isValue !== isOther) return one.text === other.text;
  if (isValue && (isGrouped(one) || isGrouped(other))) return isSameGrouped(one, other);
  return isValue ? isSame(one, other, '') : one.base === other.base;
};

/** A semicolon ends a clause as a point does, except in a list behind a colon or in brackets. */
const clausesOf = (text: string): readonly string[] =>
  /:\s|\([^()]*;|^\s*\[ \]/.test(text) ? (/^\s*\[ \]/.test(text) ? [] : [text]) : text.split(/;\s+/);

/** The time that begins an item of a timeline. */
function labelOf(given: readonly Token[], text: string): readonly Token[] {
  const [first] = given;
  if (first?.moment === undefined || !/^\W*$/.test(text.slice(0, first.at))) return [];
  const next = given.findIndex(
    ({ text: word }, index) => index > 0 && !/^(?:utc|gmt|[cepm][ds]?t)$/i.test(word),
  );
  const between = text.slice(first.end, given[next]?.at ?? text.length);
  return next > 0 && /[-:–—|]\W*$/.test(between) ? given.slice(0, next) : [];
}

/** The times and releases in the headings above that hold for all that stands below them. */
function headingTimes(at: number, source: Source): readonly Token[] {
  return source.segments.flatMap((heading, index) =>
    heading.level > 0 && index < at && segmentsBelow(index, source).includes(at)
      ? piecesOf(heading.text)
      : [],
  );
}

const isTimed = ({ text }: Token): boolean => /^(?:at|on|in|since|from)$/i.test(text);
const isAboveNext = (tokens: readonly Token[], index: number, isAbove: (token: Token) => boolean): boolean =>
  tokens[index + 1] !== undefined && isAbove(tokens[index + 1]!);

const linking = new Set('is are of in a an the'.split(' '));

/**
 * The tokens of a claim about an item that is no sentence, without those that the heading above it has. Null if the claim
 * has only some words of that heading, or the item lacks a word of it.
 */
function withoutHeading(
  needed: readonly Token[],
  given: readonly Token[],
  headings: string,
): readonly Token[] | null {
  const nearest = piecesOf(headings.split('\n').at(-1)!);
  const all = piecesOf(headings);
  const isIn = (token: Token, tokens: readonly Token[]): boolean => tokens.some((one) => isAlike(token, one));
  if (mayDeny(headings) || !nearest.every((token) => isIn(token, needed))) return null;
  const rest = needed.filter(
    (token) => !linking.has(token.text.toLowerCase()) && (isIn(token, given) || !isIn(token, all)),
  );
  return rest.every((token) => isIn(token, given)) ? rest : null;
}
