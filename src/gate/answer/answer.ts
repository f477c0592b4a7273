/**
 * The answer as it leaves a run: claims that are contradicted or lack proof in the cited lines are marked in place,
 * failed citations are removed, and the text is cut to its maximum size. No claim is ever replaced by another.
 */
import {
  addNotices,
  cutAnswer,
  findMentions,
  fits,
  listMentioned,
  removeNotices,
  unsupportedMark,
} from '../../core/answers.ts';
import type { AnswerLimits, Citation, CitationStatus, TextSpan, Verification } from '../../core/index.ts';
import { type Claim, isRefused, isSupported } from '../gate.ts';
import { findUnsupported, summarizeVerdicts } from './status.ts';
import type { WeighedAnswer } from './weigh-answer.ts';

export interface CheckedAnswer {
  readonly status: Verification;
  readonly answer: string;
  /** Confirmed citations that the answer refers to, in the order of their first mention. */
  readonly citations: readonly Citation[];
  /** The texts of the claims that are marked. */
  readonly unsupported: readonly string[];
  /** The given confidence times the share of claims that are not refused; 0 if none is supported. */
  readonly confidence: number | null;
  /** Each cited id, with the result of its check. */
  readonly checked: readonly { readonly id: string; readonly status: CitationStatus }[];
  /** In the order of the answer. */
  readonly claims: readonly Claim[];
}

export interface AnswerEnd {
  /** The author's own confidence, 0 to 1; null if none was given. */
  readonly confidence: number | null;
  readonly limits?: AnswerLimits;
}

/** Maximum characters of a claim in the list of unsupported claims. */
const maxListedLength = 240;

export function createCheckedAnswer(
  weighedAnswer: WeighedAnswer,
  { confidence, limits = {} }: AnswerEnd,
): CheckedAnswer {
  const marked = markText(weighedAnswer);
  const all = weighedAnswer.claims.map(({ claim }) => claim);
  const isUnverified = summarizeVerdicts(all) === 'unverified';
  const cited = listMentioned(marked.text, weighedAnswer.citations);
  const whole = addNotices(marked.text, isUnverified, weighedAnswer.left);
  const cut = cutAnswer(whole, cited, limits, isUnverified);
  const claims = cut === whole ? all : keepClaimsBefore(all, marked.ends, removeNotices(cut).text.length);
  const status = summarizeVerdicts(claims);
  // The cut may have removed every supported claim.
  const answer =
    status === 'unverified' && !isUnverified
      ? cutAnswer(addNotices(marked.text, true, weighedAnswer.left), cited, limits, true)
      : cut;
  const citations = listMentioned(answer, weighedAnswer.citations);
  return Object.freeze({
    status,
    answer: fits(answer, citations, limits) ? answer : addNotices('', true, weighedAnswer.left + 1),
    citations: Object.freeze(citations),
    unsupported: Object.freeze(findUnsupported(claims).map(shorten)),
    confidence: computeConfidence(all, confidence),
    checked: Object.freeze(weighedAnswer.checked),
    claims: Object.freeze(claims),
  });
}

function computeConfidence(claims: readonly Claim[], given: number | null): number | null {
  if (given === null) return null;
  if (!claims.some(isSupported)) return 0;
  const notRefusedShare = claims.filter((claim) => !isRefused(claim)).length / claims.length;
  // Three decimals: more digits would suggest a precision that a confidence does not have.
  return Math.round(given * notRefusedShare * 1_000) / 1_000;
}

/**
 * The claims left when the answer was cut at this length. The claim at the cut is kept as not shown, since its rest was
 * never checked.
 */
function keepClaimsBefore(
  claims: readonly Claim[],
  ends: readonly TextSpan[],
  length: number,
): readonly Claim[] {
  return claims.flatMap((claim, index) => {
    const { start, end } = ends[index]!;
    if (end <= length) return [claim];
    return start < length ? [{ ...claim, verdict: 'not shown' as const, why: 'It is cut.' }] : [];
  });
}

const shorten = (text: string): string =>
  text.length > maxListedLength ? `${text.slice(0, maxListedLength - 2).toWellFormed()} …` : text;

interface Edit extends TextSpan {
  readonly text: string;
}

/** The text with contradicted and unshown claims marked in place; nothing else is changed. */
export const markRefused = (weighedAnswer: WeighedAnswer): string => markText(weighedAnswer).text;

/** The text with its marks, and the new place of each claim. */
function markText({ text, claims, citations, searches }: WeighedAnswer): {
  readonly text: string;
  readonly ends: readonly TextSpan[];
} {
  const known = new Set([...citations.map(({ id }) => id), ...searches]);
  const edits = [...removeUnknownIds(text, known), ...claims.flatMap((placed) => createMark(text, placed))];
  let result = '';
  let from = 0;
  const shifts: { readonly at: number; readonly by: number }[] = [];
  for (const { start, end, text: put } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < from) continue;
    result += text.slice(from, start) + put;
    from = end;
    shifts.push({ at: end, by: put.length - (end - start) });
  }
  const shiftOffset = (at: number): number =>
    at + shifts.filter((one) => one.at <= at).reduce((sum, { by }) => sum + by, 0);
  return {
    text: result + text.slice(from),
    ends: claims.map(({ at }) => ({ start: shiftOffset(at.start), end: shiftOffset(at.end) })),
  };
}

/** Removes ids that don't exist, with the space before them. */
function removeUnknownIds(text: string, known: ReadonlySet<string>): readonly Edit[] {
  return findMentions(text).flatMap(({ start, end, ids, bare }) => {
    const existing = ids.filter((id) => known.has(id));
    if (existing.length === ids.length) return [];
    if (existing.length > 0) return [{ start, end, text: `[${existing.join(', ')}]` }];
    if (bare) return [{ start, end, text: unsupportedMark }];
    const before = /[ \t]*$/.exec(text.slice(0, start))![0].length;
    return [{ start: start - before, end, text: '' }];
  });
}

function createMark(text: string, { claim, at }: WeighedAnswer['claims'][number]): readonly Edit[] {
  const claimPart = text.slice(at.start, at.end);
  if (!isRefused(claim) || claimPart.includes(unsupportedMark)) return [];
  if (at.kind === 'code') return [{ start: at.end, end: at.end, text: `\n${unsupportedMark}` }];
  const trimmed = claimPart.trimEnd();
  const row = at.kind === 'row' && trimmed.endsWith('|') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  const place = at.start + row.length;
  return [{ start: place, end: place, text: ` ${unsupportedMark}` }];
}
