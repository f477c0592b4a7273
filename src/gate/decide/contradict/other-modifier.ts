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
/** By how much it must lead before a sentence that has the same noun. */
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
      // Articles and forms of other languages are no other words.
      if (
        shares[at]! < minShare ||
        (!(isName.test(word.text) && word.at > 0) && isForeignText(`${text} ${segment.text}`))
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

const isName = /^\p{Lu}/u;

/** Whether another word in its place says another thing. */
const isComparable = (word: string): boolean =>
  isOrdinal(word) ||
  (/^\p{L}{2,}$/u.test(word) &&
    !isIdle(word) &&
    !isGeneric(word) &&
    !isQuantity(word) &&
    !(isLight(word) && /^\p{Ll}/u.test(word)));

const has = ({ bases, words, headings }: Segment, base: string): boolean =>
  bases.has(base) || headings.bases.has(base) || words.some((one) => one.base === base);

/** All words and names of the lines, and of what is known about them. */
const listKnown = cacheByKey((source: Source) => ({
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
  const { bases, text } = listKnown(source);
  const lower = word.toLowerCase();
  return (
    bases.has(base) ||
    (lower.length > 3 ? text.includes(lower) : new RegExp(`(?<!\\p{L})${lower}(?!\\p{L})`, 'u').test(text))
  );
}

function computeSentenceShare(words: readonly Word[], segment: Segment, source: Source): number {
  let [whole, held] = [0, 0];
  for (const { base, text } of words) {
    const weight = weighWord(base, source) * (isLight(text) ? 0.5 : 1);
    whole += weight;
    if (has(segment, base) || source.known.bases.has(base)) held += weight;
  }
  return whole === 0 ? 0 : held / whole;
}

/** What may be right before a modifier: an article, a preposition, or the verb that has the noun as its object. */
const opening =
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
  if (noun === undefined || !isNoun(noun.text) || !isNext(text, word, noun)) return null;
  if (!opening.test(text.slice(0, word.at)) || /\bto\s+$/i.test(text.slice(0, word.at))) return null;
  if (findOpposites(noun.text).length > 0 || isVerb(text, word)) return null;
  const given = segment.words;
  const nouns = given.filter(({ base }) => base === noun.base);
  const modifiers = nouns.map((one) => given[given.indexOf(one) - 1]);
  // Where the noun also occurs alone, or elsewhere with the other word, it may be any.
  const isElsewhere = rivals.some((other) => other.words.some(({ base }) => base === noun.base));
  if (nouns.length === 0 || isElsewhere) return null;
  for (const [at, one] of modifiers.entries()) {
    const own = nouns[at]!;
    if (one === undefined || !isNext(segment.text, one, own) || !isOther(word, one, words)) return null;
    if (mayMeanSame(word.text, one.text) || (former.test(word.text) && former.test(one.text))) return null;
    if (isVerb(segment.text, one) || !opening.test(segment.text.slice(0, one.at))) return null;
    if (isOrdinal(word.text) !== isOrdinal(one.text)) return null;
  }
  return modifiers[0]!.text;
}

/** Said alike of what was there before. */
const former = /^(?:old|existing|previous|former|prior|earlier|present)$/i;

/** A participle is an adjective only behind an article. */
const isVerb = (text: string, { text: word, at }: Word): boolean =>
  /(?:ing|ed|ly)$/i.test(word) && !/\b(?:an?|the)\s+$/i.test(text.slice(0, at));
const isNoun = (word: string): boolean =>
  /^\p{L}{3,}$/u.test(word) && !isIdle(word) && !/(?:ly|ing|ed)$/i.test(word);
const isNext = (text: string, one: Word, two: Word): boolean =>
  /^[\s-]$/.test(text.slice(endOf(one), two.at));
const endOf = ({ at, text }: Word): number => at + text.length;

function isOther({ base, text }: Word, other: Word, words: readonly Word[]): boolean {
  return (
    isComparable(other.text) &&
    !words.some((one) => one.base === other.base) &&
    toComparable(other.text) !== base &&
    !isShortFor(text, other.text) &&
    !isShortFor(other.text, text)
  );
}

/** `Jul` for `July`, `const` for `constant`, and letters that begin the words. */
const isShortFor = (one: string, other: string): boolean =>
  one.slice(0, 3).toLowerCase() === other.slice(0, 3).toLowerCase();

const listed = /^[`'"*-]*(?:,? (?:and|or) |, |,|\/)[`'"*-]*$/;

/** Another member of the same list. */
function findInList(text: string, words: readonly Word[], index: number, segment: Segment): string | null {
  const word = words[index]!;
  const given = segment.words;
  for (const step of [-1, 1]) {
    const beside = findNeighbour(words, index, step);
    if (beside === undefined || !listed.test(between(text, word, beside)) || !has(segment, beside.base))
      continue;
    // Another word of the list must be in the list of the lines too.
    for (const [at, one] of given.entries()) {
      if (one.base !== beside.base) continue;
      const others = [-1, 1].flatMap((way) => {
        const other = findNeighbour(given, at, way);
        return other !== undefined && listed.test(between(segment.text, one, other)) ? [other] : [];
      });
      const other = others.find((two) => isOther(word, two, words));
      if (other !== undefined && isShaped(word.text, other.text)) return other.text;
    }
  }
  return null;
}

/** Whether both are written in capitals, or both are not. */
const isShaped = (one: string, other: string): boolean => /^\p{Lu}/u.test(one) === /^\p{Lu}/u.test(other);

function findNeighbour(words: readonly Word[], at: number, step: number): Word | undefined {
  let next = at + step;
  while (words[next] !== undefined && /^(?:and|or)$/i.test(words[next]!.text)) next += step;
  return words[next];
}

const between = (text: string, one: Word, two: Word): string =>
  one.at < two.at ? text.slice(endOf(one), two.at) : text.slice(endOf(two), one.at);

/** Another adverb of manner behind the same verb: `stored remotely` for `stored locally`. */
function findManner(text: string, words: readonly Word[], index: number, segment: Segment): string | null {
  const word = words[index]!;
  const verb = words[index - 1];
  if (verb === undefined || !word.text.endsWith('ly') || !isNext(text, verb, word)) return null;
  const given = segment.words;
  const other = given.find(
    (one, at) =>
      one.text.endsWith('ly') &&
      given[at - 1]?.base === verb.base &&
      isNext(segment.text, given[at - 1]!, one) &&
      findOpposites(word.text.slice(0, -2)).includes(one.text.slice(0, -2).toLowerCase()) &&
      isOther(word, one, words),
  );
  return other?.text ?? null;
}
