/**
 * Aligns a claim with one sentence, item or record of its lines: word with word, figure with figure, in order. Lines of
 * code are not aligned, since they say things in too many ways; the comments between them are.
 */

import type { Reading } from '../../claim/reading.ts';
import { weighWord } from '../../lines/clauses.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { isLight } from '../../words/words.ts';
import { isSameToken, isValue, splitClaim, splitSegment, type Token } from './tokens.ts';

export interface Alignment {
  readonly said: string;
  readonly segment: Segment;
  readonly claimed: readonly Token[];
  readonly given: readonly Token[];
  /** For each token of the claim, the index of its partner in `given`; null if it has none. */
  readonly partners: readonly (number | null)[];
  /** The share of the claim, by weight, that has a partner. */
  readonly share: number;
}

/** The weight of a figure or time. A word weighs less the more often it occurs. */
const valueWeight = 3;

function weighToken(token: Token, source: Source): number {
  if (isValue(token)) return valueWeight;
  return weighWord(token.base, source) * (isLight(token.text) ? 0.5 : 1);
}

/** Maximum tokens of a sentence that is compared with the claim. */
const maxSegmentTokens = 200;

/** Minimum tokens of a claim that is aligned. */
export const minClaimTokens = 3;

/** The best alignment of a claim with a sentence, item or record; null if the claim has fewer than `minClaimTokens`. */
export function alignClaim(reading: Reading, source: Source): Alignment | null {
  const claimed = splitClaim(reading);
  return claimed.length < minClaimTokens ? null : align(reading.text, claimed, source);
}

/** The best alignment of a claim without one token: the sentence may have another token in its place. */
export const alignWithout = (token: Token, { said, claimed }: Alignment, source: Source): Alignment | null =>
  align(said, claimed, source, token);

/** The alignment with the sentence or record in which the largest share of the claim, by weight, has a partner. */
function align(
  said: string,
  claimed: readonly Token[],
  source: Source,
  ignore: Token | null = null,
): Alignment | null {
  let best: Alignment | null = null;
  const weights = claimed.map((token) => (token === ignore ? 0 : weighToken(token, source)));
  const totalWeight = weights.reduce((sum, one) => sum + one, 0);
  for (const segment of source.segments) {
    if (
      segment.isCode
        ? !isRecordOrRow(segment)
        : isCodeComment(segment, source) && !isFullSentence(segment, source)
    )
      continue;
    const given = splitSegment(segment);
    if (given.length === 0 || given.length > maxSegmentTokens) continue;
    const tokenMatches = claimed.map(
      (token) =>
        token !== ignore &&
        (given.some((other) => isSameToken(token, other, segment.text)) ||
          (token.base !== '' && segment.headings.bases.has(token.base))),
    );
    const share = weights.reduce((sum, one, at) => sum + (tokenMatches[at]! ? one : 0), 0) / totalWeight;
    if (best !== null && share <= best.share) continue;
    best = {
      ...{ said, segment, claimed, given, share },
      partners: pairTokens(claimed, given, segment.text),
    };
  }
  return best;
}

/** Whether the segment belongs to a source with lines of code, so that its prose is a comment. */
export const isCodeComment = ({ source: index }: Segment, { segments }: Source): boolean =>
  segments.some((one) => one.source === index && one.isCode && !one.isRecord);

/** Whether a comment is a full sentence, and not a setting that was commented out. */
export const isFullSentence = ({ text, source: index }: Segment, { paths }: Source): boolean =>
  /^\p{Lu}.*\.$/u.test(text) &&
  !/\.(?:ya?ml|toml|ini|cfg|conf|json|env|properties)$/i.test(paths[index] ?? '');

export const isRecordOrRow = ({ isRecord, moments, text }: Segment): boolean =>
  isRecord || moments.length > 0 || /^\s*\|/.test(text);

/** Pairs tokens by their longest common subsequence; then each unpaired token with any equal one that is unpaired. */
function pairTokens(
  claimed: readonly Token[],
  given: readonly Token[],
  text: string,
): readonly (number | null)[] {
  const lengths = Array.from({ length: claimed.length + 1 }, () => new Uint16Array(given.length + 1));
  for (let i = claimed.length - 1; i >= 0; i -= 1)
    for (let j = given.length - 1; j >= 0; j -= 1)
      lengths[i]![j] = isSameToken(claimed[i]!, given[j]!, text)
        ? lengths[i + 1]![j + 1]! + 1
        : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const partners: (number | null)[] = claimed.map(() => null);
  for (let i = 0, j = 0; i < claimed.length && j < given.length; )
    if (isSameToken(claimed[i]!, given[j]!, text)) partners[i++] = j++;
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i += 1;
    else j += 1;
  for (const [at, token] of claimed.entries())
    if (partners[at] === null) {
      const freePlace = given.findIndex(
        (other, j) => !partners.includes(j) && isSameToken(token, other, text),
      );
      partners[at] = freePlace < 0 ? null : freePlace;
    }
  return partners;
}

/** The tokens that have no partner and are in no heading above. */
export const findUnpairedTokens = ({ claimed, partners, segment }: Alignment): readonly Token[] =>
  claimed.filter(
    (token, at) => partners[at] === null && !(token.base !== '' && segment.headings.bases.has(token.base)),
  );

/** Tokens whose order differs from that of their partners, unless the same preposition or the like governs both. */
export function findReorderedTokens(found: Alignment): readonly Token[] {
  const { claimed, given, partners } = found;
  let last = -1;
  const moved: Token[] = [];
  const placesInOrder = findLongestRise(partners);
  for (const [at, token] of claimed.entries()) {
    const partner = partners[at];
    if (partner == null) continue;
    if (placesInOrder.has(at)) {
      last = partner;
      continue;
    }
    const role = given[partner]!.role;
    if ((role === '' || role !== token.role) && !isPassiveOfActive(found, at)) moved.push(token);
  }
  return last < 0 ? [] : moved;
}

/** Whether a verb follows its object in the claim, and precedes it in the line: `X was changed`, `changed X`. */
function isPassiveOfActive({ claimed, given, partners, said }: Alignment, at: number): boolean {
  const token = claimed[at]!;
  if (
    !/\b(?:is|are|was|were|be|been|being)\s+$/i.test(said.slice(0, token.at)) ||
    /^\s+by\b/i.test(said.slice(token.end))
  )
    return false;
  const next = partners[at]! + 1;
  if (next >= given.length) return false;
  const object = partners.indexOf(next);
  return object >= 0 && object < at;
}

/** The indexes of the longest subsequence of partners that increases. */
function findLongestRise(partners: readonly (number | null)[]): ReadonlySet<number> {
  const best: { readonly length: number; readonly from: number | null }[] = [];
  for (const [at, partner] of partners.entries()) {
    let [length, from]: [number, number | null] = [1, null];
    for (let before = 0; before < at; before += 1)
      if (
        partner !== null &&
        partners[before] !== null &&
        partners[before]! < partner &&
        best[before]!.length >= length
      )
        [length, from] = [best[before]!.length + 1, before];
    best.push({ length: partner === null ? 0 : length, from });
  }
  let at: number | null = best.reduce((top, one, index) => (one.length > best[top]!.length ? index : top), 0);
  const placesInRise = new Set<number>();
  while (at !== null && best[at] !== undefined && best[at]!.length > 0) {
    placesInRise.add(at);
    at = best[at]!.from;
  }
  return placesInRise;
}

/** The indexes of the nearest partners before and behind a token. */
export function findPartnersAround({ given, partners }: Alignment, at: number): readonly [number, number] {
  const before = partners.slice(0, at).findLast((one) => one !== null) ?? -1;
  const behind = partners.slice(at + 1).find((one) => one !== null && one > before) ?? given.length;
  return [before, behind];
}
