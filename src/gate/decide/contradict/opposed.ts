/** Finds clauses of the lines that share the claim's words, but say the opposite. */

import type { Reading } from '../../claim/reading.ts';
import {
  type Clause,
  computeShare,
  countDenials,
  type GivenClause,
  splitClauses,
  splitSource,
} from '../../lines/clauses.ts';
import type { Source } from '../../lines/source.ts';
import { findDirectedWords, findOpposites, isSameInProse, timely, vague } from '../../words/opposites.ts';
import { findQuantifiers, mayDeny } from '../../words/turns.ts';
import { toComparable, type Word } from '../../words/words.ts';

const minFit = 0.55;
const minFitOfDenial = 0.85;
/**
 * Minimum share of common words in a record, which states only one fact. A sentence with `only` must contain that word.
 */
const minFitOfRecord = 0.7;
const minFitOfOrder = 0.8;
const minShared = 2;

/** Words that oppose only part of a clause. */
const hedgedWord =
  /\b(?:instead|rather|except|unless|until|only|but|although|though|yet|otherwise|either|whether|may|might|could|should)\b/i;

export function findOpposite(reading: Reading, source: Source): string | null {
  const directedWords = findDirectedWords(reading.text).map(({ word }) => word);
  for (const clause of splitClauses(reading, { joined: true })) {
    const why =
      findReversal(clause, directedWords, source) ??
      findDenial(clause, source) ??
      findOverstatement(clause, reading.text, source);
    if (why !== null) return why;
  }
  return null;
}

function findReversal(clause: Clause, all: readonly string[], source: Source): string | null {
  for (const { word, at } of findDirectedWords(clause.text)) {
    // In `opened at noon and closed one second later` both opposites are claimed.
    if (isQuotedMostly(clause.text)) continue;
    if (vague.has(word) || findOpposites(word).some((one) => all.includes(one))) continue;
    // `only if` limits the case, not the subject.
    const behind = clause.text.slice(at + word.length);
    if (word === 'only' && (behind === '' || conditionStart.test(behind))) continue;
    const words = clause.words.filter((word) => word.at !== clause.start + at);
    const best = findBestClause(words, source);
    if (best === null || best.fit < (timely.has(word) ? minFitOfOrder : minFit)) continue;
    const { given } = best;
    if (containsWord(given, word) || countDenials(given.text) !== countDenials(clause.text)) continue;
    const other = findOpposites(word).find((one) => containsWord(given, one) && !isSameInProse(word, one));
    // If the word itself occurs in the same context, the statement may be about that.
    if (
      other === undefined ||
      splitSource(source).some(
        (givenClause) =>
          containsWord(givenClause, word) &&
          // In another clause of the same sentence `only` may limit that one.
          ((word === 'only' && givenClause.segment === given.segment) ||
            computeShare(words, givenClause.bases, source) > best.fit * 0.7),
      )
    )
      continue;
    return `the lines say "${other}" where the claim says "${word}"`;
  }
  return null;
}

/** Whether most of a claim is a quotation: that the lines contain it does not show who said it. */
export const isQuotedMostly = (text: string): boolean =>
  (text.match(/"[^"]*"/g) ?? []).join('').length > text.length * 0.4;

const conditionStart = /^\s+(?:if|when|once|where|while|after|because|for|on|in|with)\b/i;

/** `NULL` in code does not say `none`. */
const containsWord = ({ words }: GivenClause, word: string): boolean =>
  words.some(
    ({ text, base }) =>
      text.toLowerCase() === word || (base === toComparable(word) && findQuantifiers(word).length === 0),
  );

/** A denial of an alternative to what is said: `lazily, not when the pool is made`, `au hub et non à l'éditeur`. */
const contrastedDenial =
  /[,;] (?:and )?not (?:when|by|as|at|to|in|on|with|from|an?|the)\b|\b(?:et|ou) non\b(?! plus)|\bund nicht\b/iu;

/** The beginning of a condition, which the claim does not assert. */
const supposedStart = /^\s*(?:if|when|whenever|unless|once|while|until|in case|as soon as)\b/i;

function findDenial(clause: Clause, source: Source): string | null {
  if (clause.words.length < 3 || hedgedWord.test(clause.text) || /"/.test(clause.text)) return null;
  if (supposedStart.test(clause.text) || contrastedDenial.test(clause.text)) return null;
  const best = findBestClause(clause.words, source);
  if (best === null || best.fit < minFitOfRecord) return null;
  const { given } = best;
  const { isCode, isRecord } = source.segments[given.segment]!;
  if (isRecord) return deniesRecord(clause, given) ? 'the record says so without the negation' : null;
  // A single name that occurs twice is no sentence.
  if (best.fit < minFitOfDenial || new Set(clause.words.map(({ base }) => base)).size < 3) return null;
  if (isCode || hedgedWord.test(given.text) || /\?\s*$/.test(given.text)) return null;
  const [claimDenials, givenDenials] = [countDenials(clause.text), countDenials(given.text)];
  if (claimDenials + givenDenials !== 1 || (claimDenials > givenDenials && mayDeny(given.text))) return null;
  // Another clause that fits as well may have as many denials as the claim.
  const isDeniedElsewhere = splitSource(source).some(
    (one) =>
      countDenials(one.text) === claimDenials &&
      (one.text === given.text || computeShare(clause.words, one.bases, source) >= best.fit * 0.9),
  );
  if (isDeniedElsewhere) return null;
  return claimDenials > givenDenials
    ? 'the lines say so without the negation'
    : 'the lines say that it is not so';
}

const failureWord =
  /\b(?:fail|err|unable|den[iy]|reject|refus|miss|invalid|lost|drop|abort|time[ds]? ?out|timeout|expire|stop|close|null|none|un\p{L}|off\b|false)|(?<!\d)0(?!\d)/iu;

/** Whether the claim denies a fact that a record reports. A record of a failure does not count. */
const deniesRecord = (clause: Clause, { text }: GivenClause): boolean =>
  countDenials(clause.text) === 1 && countDenials(text) === 0 && !failureWord.test(text);

const exclusiveWord = /(?<![\p{L}]-)\b(?:only|solely|exclusively|nothing but)\b/iu;
const alwaysWord = /\b(?:always|never|in every case|every time|at all times)\b/i;
const alwaysLike =
  /\b(?:always|never|every|each|all|any|whenever|not?|must|without|constant\p{L}*|permanent\p{L}*)\b|n't\b/iu;
const limitingWord =
  /\b(?:only|sole(?:ly)?|exclusive(?:ly)?|just|mere(?:ly)?|alone|single|one|unless|except|without|not?|never|until|but|limited|restricted|if|must|required?)\b/i;

/** `only after it was read`, which `is read before it is sent` also says. */
const onlyAfter = /\bonly\b.{0,60}\b(?:after|once|when)\b/i;
const orderWord = /\b(?:before|after|once|when|then)\b/i;

/** The reason against a claim with `only` or `always` if the sentence in the lines does not say so. */
function findOverstatement(clause: Clause, claimText: string, source: Source): string | null {
  const [saidForm, equivalentForm] = exclusiveWord.test(clause.text)
    ? [exclusiveWord, limitingWord]
    : [alwaysWord, alwaysLike];
  const said = saidForm.exec(clause.text)?.[0];
  if (said === undefined || clause.words.length < 3 || /"/.test(clause.text)) return null;
  const saysOnlyAfter = onlyAfter.test(claimText);
  const best = findBestClause(clause.words, source);
  if (best === null || best.fit < minFitOfRecord) return null;
  const { isCode, text } = source.segments[best.given.segment]!;
  return isCode || equivalentForm.test(text) || (saysOnlyAfter && orderWord.test(text))
    ? null
    : `the lines say so without "${said}"`;
}

function findBestClause(
  words: readonly Word[],
  source: Source,
): { readonly given: GivenClause; readonly fit: number } | null {
  let best: { given: GivenClause; fit: number } | null = null;
  for (const given of splitSource(source)) {
    if (words.filter(({ base }) => given.bases.has(base)).length < minShared) continue;
    const fit = computeShare(words, given.bases, source);
    if (best === null || fit > best.fit) best = { given, fit };
  }
  return best;
}
