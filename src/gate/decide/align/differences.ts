/** Finds differences between aligned texts other than missing words: denials, prepositions, verbs, amounts. */

import { decidingWords, joining, opposingWords } from '../../words/governing.ts';
import { findOpposites } from '../../words/opposites.ts';
import { mayDeny } from '../../words/turns.ts';
import { type Alignment, findUnpairedTokens } from './align.ts';
import { isValue } from './tokens.ts';

/** Whether all tokens have partners, but a different number of the partners are denied. */
export const hasOtherDenials = (found: Alignment): boolean =>
  findUnpairedTokens(found).length === 0 &&
  found.claimed.filter(({ isDenied }) => isDenied).length !==
    found.partners.filter((one) => one !== null && found.given[one]!.isDenied).length;

/** A denial that refers to an earlier verb: `one can handle it, the other can not`. */
const ellipticDenial = /(?:\bnot|n't)\s*(?:[.,;)]|$)/i;

/**
 * A word that only one of claim and sentence denies, or that opposite words govern in them, such as `before` and
 * `after`.
 */
export function findClash({ claimed, given, partners, segment }: Alignment): string | null {
  for (const [at, token] of claimed.entries()) {
    const partner = partners[at];
    if (partner == null) continue;
    const { isDenied, role } = given[partner]!;
    // The same word may occur twice, once denied.
    if (
      given.some(
        (one) =>
          one.base === token.base &&
          one.isDenied === token.isDenied &&
          one.role === token.role &&
          one.isDenied !== isDenied,
      )
    )
      continue;
    const before = segment.text.slice(given[partner - 3]?.at ?? 0, given[partner]!.at);
    if (token.isDenied ? !isDenied && !mayDeny(before) && !ellipticDenial.test(segment.text) : isDenied)
      return token.text;
    if (
      token.role !== role &&
      (opposingWords.has(token.role) || opposingWords.has(role)) &&
      areOpposed(token.role, role)
    )
      return `${token.role} ${token.text}`;
  }
  return null;
}

/** Whether two adjacent words of the claim are in different clauses of the sentence, with other words between them. */
export const isAcrossClauses = ({ said, claimed, given, partners, segment }: Alignment): boolean =>
  claimed.slice(1).some((token, at) => {
    const [one, two] = [partners[at], partners[at + 1]];
    if (one == null || two == null || two <= one + 1) return false;
    return (
      !joining.test(said.slice(claimed[at]!.end, token.at)) &&
      joining.test(segment.text.slice(given[one]!.end, given[two]!.at))
    );
  });

/** Whether a word is denied, or governed, in another way than its partner. */
export const isClashing = ({ claimed, given, partners }: Alignment): boolean =>
  claimed.some((token, at) => {
    const { isDenied, role, ownRole } = token;
    const partner = partners[at];
    if (partner == null) return isDenied;
    const other = given[partner]!;
    if (isDenied !== other.isDenied || token.isSetAside !== other.isSetAside) return true;
    const hasOtherRole = role !== '' && other.role !== '' && role !== other.role;
    return (
      (hasOtherRole && (opposingWords.has(role) || opposingWords.has(other.role))) ||
      (ownRole !== other.ownRole && [ownRole, other.ownRole].some((one) => decidingWords.has(one)))
    );
  });

const areOpposed = (one: string, other: string): boolean =>
  findOpposites(one).includes(other) || (one === 'without') !== (other === 'without');

export function hasSameAmounts({ claimed, given, partners }: Alignment): boolean {
  return claimed.every(({ amount }, at) => {
    const partner = partners[at];
    return partner == null ? amount === '' : amount === given[partner]!.amount;
  });
}

/** Two values or names that have exchanged their governing words: `from 5 to 50` for `from 50 to 5`. */
export function findSwappedRoles({ claimed, given, partners }: Alignment): string | null {
  for (const [at, one] of claimed.entries())
    for (const [index, other] of claimed.entries()) {
      const [a, b] = [partners[at], partners[index]];
      if (index <= at || a == null || b == null || one.role === '' || other.role === '') continue;
      if (
        one.role !== other.role &&
        one.role === given[b]!.role &&
        other.role === given[a]!.role &&
        (isValue(one) ? isValue(other) : !isValue(other))
      )
        return `${given[a]!.role} ${one.text} ${given[b]!.role} ${other.text}`;
    }
  return null;
}

/**
 * Whether the claim has only `is`, `has` or the like where the sentence has a full verb: `had the grant` for `had run
 * out of the grant`.
 */
export const hasOtherVerb = ({ said, claimed, given, partners, segment }: Alignment): boolean =>
  claimed.slice(1).some((token, at) => {
    const [one, two] = [partners[at], partners[at + 1]];
    if (one == null || two == null || two <= one + 1) return false;
    const verb = given.slice(one + 1, two).find(({ text }) => !text.endsWith('ly'));
    return (
      verb !== undefined &&
      auxiliaryVerb.test(said.slice(claimed[at]!.end, token.at)) &&
      auxiliaryAtEnd.test(segment.text.slice(given[one]!.end, verb.at))
    );
  });

const auxiliaryVerb = /\b(?:has|have|had|is|are|was|were)\b/i;
const auxiliaryAtEnd = /\b(?:has|have|had|been|is|are|was|were)\s+(?:\p{L}+ly\s+)?$/iu;
