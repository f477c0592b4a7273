/**
 * Finds a word of the claim that no line contains, while the sentence with its other words has another word in its place:
 * `a prometheus agent` for `a telegraf agent`, `HUP, KILL and INT` for `HUP, TERM and INT`.
 */

import type { Reading } from '../../claim/reading.ts';
import { weighWord } from '../../lines/clauses.ts';
import { cacheByKey, joinLines, type Segment, type Source } from '../../lines/source.ts';
import { isForeignText } from '../../words/languages.ts';
import { findOpposites, isOrdinal, mayMeanSame } from '../../words/opposites.ts';
import { findDenials, isQuantity, mayBeMissing } from '../../words/turns.ts';
import { isGeneric, isIdle, isLight, splitWords, toComparable, type Word } from '../../words/words.ts';

/** Minimum share, by weight, of the claim's other words that the sentence has. */
const minShare = 0.6;
/** By how much its share must exceed that of other sentences with the same noun. */
const minLead = 0.25;

/** The reason against the claim; null if there is no such word. */
export function findOtherModifier({ text, figures, moments }: Reading, source: Source): string | null {
  const words = splitWords(text);
  for (const [index, word] of words.entries()) {
    if (!isComparable(word.text) || isMentioned(word, source)) continue;
    if ([...figures, ...moments].some(({ start, end }) => word.at >= start && word.at < end)) continue;
    const before = text.slice(0, word.at);
    if (mayBeMissing(before) || findDenials(before).length > 0) continue;
    const rest = words.filter((one, at) => at !== index && !isIdle(one.text));
    if (rest.length < 2) continue;
    const shares = source.segments.map((segment) =>
      segment.isCode && !segment.isRecord ? 0 : computeSentenceShare(rest, segment, source),
    );
    for (const [at, segment] of source.segments.entries()) {
      // In another language, an article or an inflected form would look like another word.
      if (
        shares[at]! < minShare ||
        (!(capitalStart.test(word.text) && word.at > 0) && isForeignText(`${text} ${segment.text}`))
      )
        continue;
      const rivals = source.segments.filter(
        (one, other) => one !== segment && shares[other]! > shares[at]! - minLead,
      );
      const other =
        findBesideNoun(text, words, index, segment, rivals) ??
        findInList(text, words, index, segment) ??
        findManner(text, words, index, segment);
      if (other !== null) return `the lines have "${other}" where the claim says "${word.text}"`;
    }
  }
  return null;
}

const capitalStart = /^\p{Lu}/u;

/** Whether another word in the place of this one would change what the sentence says. */
const isComparable = (word: string): boolean =>
  isOrdinal(word) ||
  (/^\p{L}{2,}$/u.test(word) &&
    !isIdle(word) &&
    !isGeneric(word) &&
    !isQuantity(word) &&
    !(isLight(word) && /^\p{Ll}/u.test(word)));

const containsBase = ({ bases, words, headings }: Segment, base: string): boolean =>
  bases.has(base) || headings.bases.has(base) || words.some((one) => one.base === base);

/** All words and names of the lines, and of what is known about them. */
const listKnownWords = cacheByKey((source: Source) => ({
  bases: new Set([
    ...source.known.bases,
    ...source.segments.flatMap(({ bases, words, headings }) => [
      ...bases,
      ...headings.bases,
      ...words.map(({ base }) => base),
    ]),
  ]),
  text: `${joinLines(source)}\n${source.known.text}`.toLowerCase(),
}));

function isMentioned({ base, text: word }: Word, source: Source): boolean {
  const { bases, text } = listKnownWords(source);
  const lower = word.toLowerCase();
  return (
    bases.has(base) ||
    (lower.length > 3 ? text.includes(lower) : new RegExp(`(?<!\\p{L})${lower}(?!\\p{L})`, 'u').test(text))
  );
}

function computeSentenceShare(words: readonly Word[], segment: Segment, source: Source): number {
  let [wholeWeight, heldWeight] = [0, 0];
  for (const { base, text } of words) {
    const weight = weighWord(base, source) * (isLight(text) ? 0.5 : 1);
    wholeWeight += weight;
    if (containsBase(segment, base) || source.known.bases.has(base)) heldWeight += weight;
  }
  return wholeWeight === 0 ? 0 : heldWeight / wholeWeight;
}

/** What may directly precede a modifier: an article, a preposition, or a verb with the noun as its object. */
const beforeModifier =
  /(?:^|[,(]\s*|\b(?:an?|the|this|that|these|their|its|his|her|your|our|every|each|all|any|no|some|for|by|through|via|with|of|in|on|at|from|per|as|and|or|under|between|into|than|is|are|was|were|uses?|used|only)\s+)$/i;
/** Another word before the noun that follows. */
function findBesideNoun(
  text: string,
  words: readonly Word[],
  index: number,
  segment: Segment,
  rivals: readonly Segment[],
): string | null {
  const word = words[index]!;
  const noun = words[index + 1];
  if (noun === undefined || !isNoun(noun.text) || !areAdjacent(text, word, noun)) return null;
  if (!beforeModifier.test(text.slice(0, word.at)) || /\bto\s+$/i.test(text.slice(0, word.at))) return null;
  if (findOpposites(noun.text).length > 0 || isVerb(text, word)) return null;
  const given = segment.words;
  const nouns = given.filter(({ base }) => base === noun.base);
  const modifiers = nouns.map((one) => given[given.indexOf(one) - 1]);
  // If other sentences also have the noun, the claim may be about any of them.
  const isElsewhere = rivals.some((other) => other.words.some(({ base }) => base === noun.base));
  if (nouns.length === 0 || isElsewhere) return null;
  for (const [at, one] of modifiers.entries()) {
    const givenNoun = nouns[at]!;
    if (one === undefined || !areAdjacent(segment.text, one, givenNoun) || !isOtherWord(word, one, words))
      return null;
    if (mayMeanSame(word.text, one.text) || (formerWord.test(word.text) && formerWord.test(one.text)))
      return null;
    if (isVerb(segment.text, one) || !beforeModifier.test(segment.text.slice(0, one.at))) return null;
    if (isOrdinal(word.text) !== isOrdinal(one.text)) return null;
  }
  return modifiers[0]!.text;
}

/** Words that all mean what was there before. */
const formerWord = /^(?:old|existing|previous|former|prior|earlier|present)$/i;

/** Whether a word is a participle or adverb: without an article before it, it is no adjective. */
const isVerb = (text: string, { text: word, at }: Word): boolean =>
  /(?:ing|ed|ly)$/i.test(word) && !/\b(?:an?|the)\s+$/i.test(text.slice(0, at));
const isNoun = (word: string): boolean =>
  /^\p{L}{3,}$/u.test(word) && !isIdle(word) && !/(?:ly|ing|ed)$/i.test(word);
const areAdjacent = (text: string, one: Word, two: Word): boolean =>
  /^[\s-]$/.test(text.slice(endOf(one), two.at));
const endOf = ({ at, text }: Word): number => at + text.length;

function isOtherWord({ base, text }: Word, other: Word, words: readonly Word[]): boolean {
  return (
    isComparable(other.text) &&
    !words.some((one) => one.base === other.base) &&
    toComparable(other.text) !== base &&
    !isShortFor(text, other.text) &&
    !isShortFor(other.text, text)
  );
}

/** Whether one word may be short for the other, as `Jul` for `July`: both begin with the same three letters. */
const isShortFor = (one: string, other: string): boolean =>
  one.slice(0, 3).toLowerCase() === other.slice(0, 3).toLowerCase();

const listJoint = /^[`'"*-]*(?:,? (?:and|or) |, |,|\/)[`'"*-]*$/;

/** Another member of the same list. */
function findInList(text: string, words: readonly Word[], index: number, segment: Segment): string | null {
  const word = words[index]!;
  const given = segment.words;
  for (const step of [-1, 1]) {
    const beside = findNeighbour(words, index, step);
    if (
      beside === undefined ||
      !listJoint.test(textBetween(text, word, beside)) ||
      !containsBase(segment, beside.base)
    )
      continue;
    // Another word of the list must be in the list of the lines too.
    for (const [at, one] of given.entries()) {
      if (one.base !== beside.base) continue;
      const others = [-1, 1].flatMap((way) => {
        const other = findNeighbour(given, at, way);
        return other !== undefined && listJoint.test(textBetween(segment.text, one, other)) ? [other] : [];
      });
      const other = others.find((two) => isOtherWord(word, two, words));
      if (other !== undefined && isSameCase(word.text, other.text)) return other.text;
    }
  }
  return null;
}

/** Whether both are written in capitals, or both are not. */
const isSameCase = (one: string, other: string): boolean => /^\p{Lu}/u.test(one) === /^\p{Lu}/u.test(other);

function findNeighbour(words: readonly Word[], at: number, step: number): Word | undefined {
  let next = at + step;
  while (words[next] !== undefined && /^(?:and|or)$/i.test(words[next]!.text)) next += step;
  return words[next];
}

const textBetween = (text: string, one: Word, two: Word): string =>
  one.at < two.at ? text.slice(endOf(one), two.at) : text.slice(endOf(two), one.at);

/** Another adverb of manner behind the same verb: `stored remotely` for `stored locally`. */
function findManner(text: string, words: readonly Word[], index: number, segment: Segment): string | null {
  const word = words[index]!;
  const verb = words[index - 1];
  if (verb === undefined || !word.text.endsWith('ly') || !areAdjacent(text, verb, word)) return null;
  const given = segment.words;
  const other = given.find(
    (one, at) =>
      one.text.endsWith('ly') &&
      given[at - 1]?.base === verb.base &&
      areAdjacent(segment.text, given[at - 1]!, one) &&
      findOpposites(word.text.slice(0, -2)).includes(one.text.slice(0, -2).toLowerCase()) &&
      isOtherWord(word, one, words),
  );
  return other?.text ?? null;
}
