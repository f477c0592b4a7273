/**
 * Judges a claim by the sentence, item or record that it is aligned with. A claim of which everything is aligned, and
 * nothing opposed, is shown. One of which all but one thing is aligned, while the sentence has something of the same
 * sort in that place, is contradicted.
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
import { type Alignment, findLacking, findMoved, isRecorded, minTokens } from './align.ts';
import {
  findClash,
  findSwapped,
  hasOtherDenials,
  hasOtherVerb,
  hasSameAmounts,
  isAcrossClauses,
  isClashing,
} from './differences.ts';
import { findOpposed, findOtherNoun, findOtherTime, findReplaced, minShareBeside } from './replaced.ts';
import { isSame, splitSegment } from './tokens.ts';

/** What the sentence that says most of a claim makes of it: `shown`, `contradicted`, or null if that is not settled. */
export function judgeAligned(reading: Reading, found: Alignment, source: Source): Decision | null {
  // In prose, one clause must contain the whole claim, and nothing else.
  if (isWhole(found))
    return isProse(found.segment) ||
      leavesCellPart(reading, found.segment) ||
      leavesColumnOpen(reading, found.segment, source)
      ? null
      : { verdict: 'shown' };
  // Code may say what its comment does not.
  if (source.segments.some(({ isCode, isRecord }) => isCode && !isRecord)) return null;
  const time = findOtherTime(found, source);
  if (time !== null) return { verdict: 'not shown', why: time };
  const against = findAgainst(reading, found, source);
  return against === null ? null : { verdict: 'contradicted', why: against };
}

/**
 * Whether the sentence of prose that says most of a claim has another verb, or lacks something of it, which no heading
 * has either, and neither the question nor the path.
 */
export function isPartly(reading: Reading, found: Alignment, source: Source): boolean {
  if (source.segments.some(({ isCode }) => isCode)) return false;
  if (reading.places.length > 0 || reading.terms.some(({ kind }) => kind === 'quote')) return false;
  if (hasOtherVerb(found)) return true;
  const headings = source.segments.filter(({ level }) => level > 0);
  return findLacking(found).some(
    (token) =>
      (!isLight(token.text) || token.isInName) &&
      !source.known.bases.has(token.base) &&
      !headings.some((one) => splitSegment(one).some((other) => isSame(token, other, one.text))),
  );
}

/** Minimum share of a claim that a sentence must have to speak against it. */
const minShare = 0.6;

/** Whether everything has a partner, near each other, in order, denied alike and with the same amounts. */
function isWhole(found: Alignment): boolean {
  const { partners, segment } = found;
  if (findLacking(found).length > 0 || findMoved(found).length > 0) return false;
  const places = partners.filter((one) => one !== null);
  const reach = Math.max(...places) - Math.min(...places) + 1;
  return (
    places.length >= minTokens &&
    (isRecorded(segment) || reach <= places.length * maxStretch + minTokens) &&
    !isClashing(found) &&
    (isRecorded(segment) || !isAcrossClauses(found)) &&
    findSwapped(found) === null &&
    !hasOtherVerb(found) &&
    hasSameAmounts(found)
  );
}

/** How many times as many tokens as the claim its partners may be spread over. */
const maxStretch = 2;

/** Whether another sentence denies what the claim denies: the same word, with the other words of its clause. */
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

const placeless = /\b(?:nothing|nobody|no one)\b|^\s*there (?:is|are|was|were) no\b/i;

function findAgainst(reading: Reading, found: Alignment, source: Source): string | null {
  const lacking = findLacking(found).filter(({ text }) => !isLight(text));
  const isDenied = [reading.text, found.segment.text].some((text) => findDenials(text).length === 0);
  // `cost nothing` for `at no cost`: what is denied alike is in another place.
  const isAlike =
    placeless.test(reading.text) &&
    (findDenials(reading.text).length === findDenials(found.segment.text).length ||
      /\bno\b/i.test(found.segment.text));
  const clash =
    lacking.length === 0 && found.segment.level === 0 && !isAlike && (isDenied || hasOtherDenials(found))
      ? findClash(found)
      : null;
  if (clash !== null && !isDeniedElsewhere(clash, reading, found, source))
    return `The sentence with its words differs about "${clash}".`;
  const swapped = found.share >= minShareBeside ? findSwapped(found) : null;
  if (swapped !== null) return `The lines say "${swapped}".`;
  const other =
    findReplaced(found, source) ??
    (found.share >= minShare && !isQuotedMostly(reading.text)
      ? (findOpposed(reading, found) ?? findOtherNoun(found, source))
      : null);
  return other === null ? null : `The sentence with its other words says ${other}.`;
}
