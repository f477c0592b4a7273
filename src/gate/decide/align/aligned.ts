/**
 * Judges a claim by the sentence, item or record that it is aligned with. The claim is shown if all of it is aligned
 * and nothing in the sentence opposes it. It is contradicted if all but one word or value is aligned, and the sentence
 * has another one of the same sort in that place.
 */

import type { Reading } from '../../claim/reading.ts';
import { splitClauses } from '../../lines/clauses.ts';
import type { Source } from '../../lines/source.ts';
import { findDenials } from '../../words/turns.ts';
import { isLight, toComparable } from '../../words/words.ts';
import { isQuotedMostly } from '../contradict/opposed.ts';
import type { Decision } from '../decide-text.ts';
import { isProse, leavesCellPart } from '../support/one-clause.ts';
import { leavesColumnOpen } from '../support/table.ts';
import {
  type Alignment,
  findReorderedTokens,
  findUnpairedTokens,
  isRecordOrRow,
  minClaimTokens,
} from './align.ts';
import {
  findClash,
  findSwappedRoles,
  hasOtherDenials,
  hasOtherVerb,
  hasSameAmounts,
  isAcrossClauses,
  isClashing,
} from './differences.ts';
import {
  findOppositeInPlace,
  findOtherNoun,
  findOtherTime,
  findReplacedValue,
  minShareOfRest,
} from './replaced.ts';
import { isSameToken, splitSegment } from './tokens.ts';

/** The verdict by the sentence that contains most of the claim; null if this sentence does not decide it. */
export function judgeAligned(reading: Reading, found: Alignment, source: Source): Decision | null {
  // In prose, one clause must contain the whole claim, and nothing else.
  if (isFullyAligned(found))
    return isProse(found.segment) ||
      leavesCellPart(reading, found.segment) ||
      leavesColumnOpen(reading, found.segment, source)
      ? null
      : { verdict: 'shown' };
  // Code may say what its comment does not.
  if (source.segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  const timeReason = findOtherTime(found, source);
  if (timeReason !== null) return { verdict: 'not shown', why: timeReason };
  const contradiction = findContradiction(reading, found, source);
  return contradiction === null ? null : { verdict: 'contradicted', why: contradiction };
}

/**
 * Whether the sentence of prose that says most of the claim has another verb, or lacks a word of it that is in no
 * heading, in the question or in the path.
 */
export function lacksPartOfClaim(reading: Reading, found: Alignment, source: Source): boolean {
  if (source.segments.some(({ isCode }) => isCode)) return false;
  if (reading.places.length > 0 || reading.terms.some(({ kind }) => kind === 'quote')) return false;
  if (hasOtherVerb(found)) return true;
  const headings = source.segments.filter(({ level }) => level > 0);
  return findUnpairedTokens(found).some(
    (token) =>
      (!isLight(token.text) || token.isInName) &&
      !source.known.bases.has(token.base) &&
      !headings.some((one) => splitSegment(one).some((other) => isSameToken(token, other, one.text))),
  );
}

/** Minimum share of a claim, by weight, that a sentence must have to contradict it. */
const minContradictingShare = 0.6;

/** Whether all tokens have partners that are near each other, in the same order, denied alike and equally many. */
function isFullyAligned(found: Alignment): boolean {
  const { partners, segment } = found;
  if (findUnpairedTokens(found).length > 0 || findReorderedTokens(found).length > 0) return false;
  const places = partners.filter((one) => one !== null);
  const spread = Math.max(...places) - Math.min(...places) + 1;
  return (
    places.length >= minClaimTokens &&
    (isRecordOrRow(segment) || spread <= places.length * maxSpreadFactor + minClaimTokens) &&
    !isClashing(found) &&
    (isRecordOrRow(segment) || !isAcrossClauses(found)) &&
    findSwappedRoles(found) === null &&
    !hasOtherVerb(found) &&
    hasSameAmounts(found)
  );
}

/** The partners may be spread over this many times as many tokens as the claim has. */
const maxSpreadFactor = 2;

/** Whether another sentence denies the same word, and has all other words of the claim's clause. */
function isDeniedElsewhere(word: string, reading: Reading, { segment }: Alignment, source: Source): boolean {
  const clause = splitClauses(reading, { joined: true }).find(({ words }) =>
    words.some(({ text }) => text === word),
  );
  return (
    clause !== undefined &&
    findDenials(clause.text).length > 0 &&
    source.segments.some(
      (other) =>
        other !== segment &&
        clause.words.every(({ base }) => other.bases.has(base)) &&
        splitSegment(other).some(({ base, isDenied }) => isDenied && base === toComparable(word)),
    )
  );
}

const denyingSubject = /\b(?:nothing|nobody|no one)\b|^\s*there (?:is|are|was|were) no\b/i;

function findContradiction(reading: Reading, found: Alignment, source: Source): string | null {
  const lacking = findUnpairedTokens(found).filter(({ text }) => !isLight(text));
  const isDenied = [reading.text, found.segment.text].some((text) => findDenials(text).length === 0);
  // `cost nothing` for `at no cost`: both deny the same, with the denial in another place.
  const isDeniedAlike =
    denyingSubject.test(reading.text) &&
    (findDenials(reading.text).length === findDenials(found.segment.text).length ||
      /\bno\b/i.test(found.segment.text));
  const clash =
    lacking.length === 0 &&
    found.segment.level === 0 &&
    !isDeniedAlike &&
    (isDenied || hasOtherDenials(found))
      ? findClash(found)
      : null;
  if (clash !== null && !isDeniedElsewhere(clash, reading, found, source))
    return `The sentence with its words differs about "${clash}".`;
  const swapped = found.share >= minShareOfRest ? findSwappedRoles(found) : null;
  if (swapped !== null) return `The lines say "${swapped}".`;
  const other =
    findReplacedValue(found, source) ??
    (found.share >= minContradictingShare && !isQuotedMostly(reading.text)
      ? (findOppositeInPlace(reading, found) ?? findOtherNoun(found, source))
      : null);
  return other === null ? null : `The sentence with its other words says ${other}.`;
}
