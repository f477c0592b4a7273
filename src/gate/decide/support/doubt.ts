/** Finds reasons to doubt a claim although the lines contain all its parts: negations, quantifiers, order, clauses. */

import type { Reading } from '../../claim/reading.ts';
import { computeShare, splitClauses, splitSource } from '../../lines/clauses.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { findDirectedWords, findOpposites } from '../../words/opposites.ts';
import { findDenials, findQuantifiers, findTurns, isMultiple, isNegated } from '../../words/turns.ts';
import { isGeneric, toComparable } from '../../words/words.ts';
import { type Anchor, areInSameClause, type ClaimPlace, isLogged, isRow } from './place.ts';
import { findColumns, findWordOrderDoubt } from './word-order.ts';

/** A manner at the end of a clause: `compares them by name`. */
const byManner = /\bby (\p{Ll}+)(?=[.,;]|$)/u;

/** Why lines that contain all parts may still say something else; null if there is no reason. */
export function findDoubt(
  reading: Reading,
  anchors: readonly Anchor[],
  place: ClaimPlace,
  source: Source,
): string | null {
  const lines = place.segments.map((at) => source.segments[at]!);
  const headings = new Set(lines.map((one) => one.headings.text));
  const text = lines.map((one) => one.text).join(' ');
  const turns = findTurns(reading.text);
  const given = findTurns(text);
  if (
    turns.negation &&
    !isDeniedAlike(reading, place, source) &&
    !isWhollySaid(reading, source, repeatDenials)
  )
    return 'a negation needs more than lines';
  if (turns.quantifier && !isWhollySaid(reading, source, joinQuantifiers))
    return 'how many or how often it is needs more than lines';
  const manner = byManner.exec(reading.text)?.[1];
  if (
    manner !== undefined &&
    isGeneric(manner) &&
    !lines.some(({ words }) => words.some(({ base }) => base === toComparable(manner)))
  )
    return `the lines do not settle "by ${manner}"`;
  if (!contrastPhrase.test(reading.text) && lines.some((one) => contrastPhrase.test(one.text)))
    return 'the lines also say what is not so';
  if (turns.cause && !given.cause) return 'the lines do not say what follows from what';
  if (isMultiple(reading.text) && !isMultiple(text)) return 'the lines do not say how many times it is';
  if (turns.proposal && !given.proposal) return 'it says what should be, not what the lines say';
  if (turns.modal && !given.modal && lines.every(({ isCode }) => !isCode))
    return 'the lines say it another way';
  if (
    !turns.negation &&
    ([...headings].some(isNegated) ||
      lines.some(
        ({ isCode, text: one }) =>
          (!isCode || /\p{L}{2,} (?:not|never|no|without) \p{L}/u.test(one)) && isNegated(one),
      ))
  )
    return 'the lines hold a negation that the claim has not';
  if (
    /\b(?:otherwise|else)\b/i.test(reading.text) &&
    lines.some(({ isCode, isRecord }) => isCode && !isRecord)
  )
    return 'which of two branches of code does it is not settled by lines';
  if (
    /\b(?:if|when|whenever|where)\b/i.test(reading.text) &&
    lines.some(({ isCode, text: one }) => isCode && denyingCode.test(one))
  )
    return 'the lines hold a condition that is denied';
  if (
    /\b(?:while|whereas)\b/i.test(reading.text) &&
    lines.every(({ isCode, isRecord }) => !isCode || !isRecord) &&
    lines.some(({ isCode }) => isCode)
  )
    return 'which of two does it is not settled by lines of code';
  return (
    findStrayWord(anchors, place, source) ??
    findDirectionDoubt(reading, lines) ??
    findOrderDoubt(reading, anchors, place, source) ??
    findClauseDoubt(reading, anchors, place, source) ??
    findWordOrderDoubt(reading, anchors, place, source)
  );
}

const contrastPhrase = /\b(?:instead of|rather than|as opposed to|in place of)\b/i;

/** Whether each clause of the claim with a denial or quantifier is whole in one clause of the lines with the same. */
function isWhollySaid(reading: Reading, source: Source, turnsIn: (text: string) => string): boolean {
  return splitClauses(reading, { joined: true }).every((clause) => {
    const turned = turnsIn(clause.text);
    if (turned === '') return true;
    return splitSource(source).some(
      (given) =>
        !source.segments[given.segment]!.isCode &&
        clause.words.length >= 2 &&
        computeShare(clause.words, given.bases, source) > 0.99 &&
        turnsIn(given.text) === turned,
    );
  });
}

const repeatDenials = (text: string): string => 'not '.repeat(findDenials(text).length);
const joinQuantifiers = (text: string): string => findQuantifiers(text).join(' ');

/** Whether the claim rests on one line or sentence that denies the same words as the claim, as often. */
function isDeniedAlike(reading: Reading, { chosen }: ClaimPlace, source: Source): boolean {
  const at = new Set(chosen.values());
  if (at.size !== 1) return false;
  const segment = source.segments[[...at][0]!]!;
  const [claimDenials, lineDenials] = [findDenialWords(reading.text), findDenialWords(segment.text)];
  return (
    (!segment.isCode || segment.isRecord || /\p{L}{2,} (?:not|never|no|without) \p{L}/u.test(segment.text)) &&
    claimDenials.length > 0 &&
    claimDenials.length === lineDenials.length &&
    claimDenials.every((word, index) => word === lineDenials[index])
  );
}

function findDenialWords(text: string): readonly string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => isNegated(word)).map(toComparable);
}

const denyingCode = /\bnot\b|![\p{L}(=]|\bunless\b|\belse\b/u;

/**
 * A word of the claim that occurs in other lines, but not in the record or sentence with its names: the claim may be
 * about those lines.
 */
function findStrayWord(anchors: readonly Anchor[], { chosen }: ClaimPlace, source: Source): string | null {
  const at = new Set(chosen.values());
  if (
    at.size === 0 ||
    [...at].some((one) => source.segments[one]!.isCode && !isLogged(source.segments[one]!))
  )
    return null;
  const stray = anchors.find(
    (one) =>
      one.kind === 'word' &&
      !one.segments.some((segment) => at.has(segment)) &&
      !source.known.bases.has(toComparable(one.text)),
  );
  return stray === undefined ? null : `"${stray.text}" stands in other lines`;
}

function findDirectionDoubt(reading: Reading, lines: readonly Segment[]): string | null {
  const words = new Set(
    lines.flatMap(({ words: own, headings }) => [
      ...own.map(({ text }) => text.toLowerCase()),
      ...(headings.text.toLowerCase().match(/\p{L}+/gu) ?? []),
    ]),
  );
  for (const { word } of findDirectedWords(reading.text)) {
    const isThere =
      words.has(word) ||
      (!signExpressedWords.has(word) && lines.some(({ bases }) => bases.has(toComparable(word))));
    const other = findOpposites(word).find((one) => words.has(one));
    if (!isThere || other !== undefined) return `the lines do not settle "${word}"`;
  }
  return null;
}

/** Words that signs in code express, which may also express the opposite. */
const signExpressedWords = new Set([
  'true',
  'false',
  'more',
  'less',
  'before',
  'after',
  'above',
  'below',
  'over',
  'under',
  'first',
  'last',
]);

/** Two names or figures whose order in the lines differs from that in the claim. */
function findOrderDoubt(
  reading: Reading,
  anchors: readonly Anchor[],
  place: ClaimPlace,
  source: Source,
): string | null {
  const firmAnchors = anchors.filter(({ kind }) => kind !== 'word').toSorted((a, b) => a.start - b.start);
  for (let index = 1; index < firmAnchors.length; index += 1) {
    const [one, two] = [firmAnchors[index - 1]!, firmAnchors[index]!];
    const between = reading.text.slice(one.end, two.start);
    if (/\bby\b/.test(between))
      return `the lines do not settle who of "${one.text}" and "${two.text}" does it`;
    // The name of the enclosing definition or file is the subject, so it should come first.
    if (two.how === 'known' && one.how !== 'known' && !isPlacePhrase(reading.text, two.start))
      return `the lines do not settle who of "${one.text}" and "${two.text}" does it`;
    const [a, b] = [place.chosen.get(one), place.chosen.get(two)];
    if (a === undefined || b === undefined || isRow(source.segments[a]!) || one.isTime || two.isTime)
      continue;
    const [firstColumns, secondColumns] = [findColumns(one, a, source), findColumns(two, b, source)];
    const isBehind =
      a === b
        ? firstColumns.length > 0 &&
          secondColumns.length > 0 &&
          Math.min(...firstColumns) >= Math.max(...secondColumns)
        : a > b && !two.segments.some((at) => at >= a);
    if (isBehind) return `"${two.text}" stands before "${one.text}" in the lines`;
  }
  return null;
}

const isPlacePhrase = (text: string, at: number): boolean =>
  /\b(?:in|of|from|at|inside|within|on|for|under|see|im|in der|von|dans|de|en)\s+(?:the\s+)?["'(`]*$/i.test(
    text.slice(0, at),
  ) || /[([]\s*$/.test(text.slice(0, at));

/**
 * In a sentence of several clauses, a name or figure of the claim must be in the clause that says something about it.
 */
function findClauseDoubt(
  reading: Reading,
  anchors: readonly Anchor[],
  place: ClaimPlace,
  source: Source,
): string | null {
  const sorted = anchors.toSorted((a, b) => a.start - b.start);
  for (const [anchor, at] of place.chosen) {
    const segment = source.segments[at]!;
    if (segment.isCode || /^\s*\|/.test(segment.text) || (anchor.isAbove && segment.level === 0)) continue;
    const index = sorted.indexOf(anchor);
    const nearAnchors = sorted.filter(
      (other, place) =>
        other !== anchor && Math.abs(place - index) <= 3 && areInSameClause(reading.text, anchor, other),
    );
    if (
      nearAnchors.length > 0 &&
      !nearAnchors.some((other) => other.how === 'known' || occurInSameClause(other, anchor, segment))
    )
      return `"${anchor.text}" is not near what the claim says of it`;
  }
  return null;
}

function occurInSameClause(a: Anchor, b: Anchor, segment: Segment): boolean {
  const clauses = segment.text.toLowerCase().split(/[,;:()]\s|\s(?:and|but|while|whereas|und|aber)\s/);
  const word = (anchor: Anchor): string => toComparable(anchor.text.replace(/[^\p{L}\p{N}]/gu, ''));
  return clauses.some((clause) => {
    const containsAnchor = (anchor: Anchor): boolean =>
      // The lines may express a figure differently: `30 of 120` for a quarter.
      (anchor.kind === 'figure' && /\d/.test(clause) && !segment.text.includes(anchor.text)) ||
      clause.includes(anchor.text.toLowerCase().replace(/`/g, '')) ||
      (clause.match(/[\p{L}\p{N}]+/gu) ?? []).some((one) => toComparable(one) === word(anchor));
    return containsAnchor(a) && containsAnchor(b);
  });
}
