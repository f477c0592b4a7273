/** Cuts an answer, and the result around it, to the size that its reader accepts. */
import {
  addNotices,
  findMentions,
  removeNotices,
  unsupportedMark,
  unverifiedNotice,
} from './answer-marks.ts';
import { splitUnits, type Unit } from './answer-units.ts';
import type { Citation } from './citation.ts';
import { type Claim, type ClaimCounts, countVerdicts, sortWorstFirst } from './claim.ts';
import type { RunResult } from './result.ts';

export interface AnswerLimits {
  /** Maximum UTF-8 bytes of the answer. Default 4,096. */
  readonly bytes?: number;
  /** Maximum tokens of the answer, counted by `count`. */
  readonly tokens?: { readonly max: number; readonly count: (text: string) => number };
  /** Bytes of the answer and its citations together as JSON. Default 7,000: leaves room for the rest of a result. */
  readonly json?: number;
}

const resultBytes = 8_192;

/** Whether an answer with these citations is within the limits. */
export function fits(answer: string, citations: readonly Citation[], limits: AnswerLimits): boolean {
  return (
    Buffer.byteLength(answer) <= (limits.bytes ?? 4_096) &&
    jsonBytes([answer, citations]) <= (limits.json ?? 7_000) &&
    (limits.tokens === undefined || limits.tokens.count(answer) <= limits.tokens.max)
  );
}

/**
 * Cuts an answer to the longest beginning that fits: it ends after a whole sentence or block, and says how many
 * sentences were left out. An answer that fits is returned unchanged. If the first sentence alone is too long, it is
 * cut in the middle and marked.
 */
export function cutAnswer(
  answer: string,
  citations: readonly Citation[],
  limits: AnswerLimits,
  unverified: boolean,
): string {
  if (fits(answer, listMentioned(answer, citations), limits)) return answer;
  const { text, cutSentences: left } = removeNotices(answer);
  const units = splitUnits(text);
  const attempt = (count: number) => {
    const whole = text.slice(0, units[count - 1]?.end ?? 0);
    return addNotices(whole, unverified, left + countSentences(units.slice(count)));
  };
  const isShortEnough = (count: number) => {
    const short = attempt(count);
    return fits(short, listMentioned(short, citations), limits);
  };
  let low = 0;
  let high = units.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isShortEnough(middle)) low = middle;
    else high = middle - 1;
  }
  // A heading or a lead-in with nothing after it says nothing.
  while (low > 0 && isLeadIn(units[low - 1]!, text)) low -= 1;
  if (low > 0 || units[0]?.kind !== 'sentence') return attempt(low);
  return breakSentence(text.slice(0, units[0].end), (piece) => {
    // A shortened quote is no longer the text that was cited.
    const marked = piece === '' ? '' : `${piece} ${unsupportedMark}`;
    const short = addNotices(marked, unverified, left + countSentences(units));
    return fits(short, [], limits) ? short : null;
  });
}

/** The citations whose ids the answer mentions. */
export function listMentioned(answer: string, citations: readonly Citation[]): readonly Citation[] {
  const ids = new Set(findMentions(answer).flatMap((mention) => mention.ids));
  return citations.filter(({ id }) => ids.has(id));
}

/**
 * Shortens a result to at most 8 KB of JSON. Dropped first are all claims but the worst, then notes of the coverage,
 * the ends of long unsupported sentences, further unsupported sentences, and at last the end of the answer. A note says
 * what was dropped.
 */
export function fitResult(runResult: RunResult, max = resultBytes): RunResult {
  const isSmall = (candidate: RunResult) => jsonBytes(candidate) <= max;
  let result = runResult;
  for (const bytes of claimBytes) {
    result = limitClaims(runResult, bytes);
    if (isSmall(result)) return result;
  }
  for (let keep = result.coverage.notes.length - 1; keep >= 0; keep -= 1) {
    const candidate = limitNotes(result, keep);
    if (isSmall(candidate)) return candidate;
  }
  const bare = limitNotes(result, 0);
  for (const length of [160, 80, 40]) {
    const candidate = { ...bare, unsupported: bare.unsupported.map((text) => shorten(text, length)) };
    if (isSmall(candidate)) return candidate;
  }
  const short = bare.unsupported.map((text) => shorten(text, 40));
  for (let keep = short.length - 1; keep >= 0; keep -= 1) {
    const more = `… and ${short.length - keep} more`;
    const candidate = { ...bare, unsupported: [...short.slice(0, keep), more] };
    if (isSmall(candidate)) return candidate;
  }
  const unsupported = short.length === 0 ? [] : [`… ${short.length} in all`];
  for (let json = jsonBytes([result.answer, result.citations]) - 500; json > 0; json -= 500) {
    const candidate = { ...bare, unsupported, ...shortenAnswer(result, json) };
    if (isSmall(candidate)) return candidate;
  }
  return {
    ...bare,
    unsupported,
    answer: unverifiedNotice,
    citations: [],
    status: 'unverified',
    confidence: 0,
  };
}

/** Bytes of JSON for the claims: the first number is the ceiling, the others are tried when space runs out. */
const claimBytes = [4_096, 2_048, 1_024, 512, 0];
const maxClaimLength = 200;

function limitClaims(result: RunResult, bytes: number): RunResult {
  const { claims, claim_counts, ...rest } = result;
  if (claims === undefined) return result;
  const fitted = fitClaims(claims, bytes, claim_counts);
  return fitted.claims === claims ? result : { ...rest, ...fitted };
}

export interface FittedClaims {
  readonly claims: readonly Claim[];
  /** How many claims have each verdict; present when `claims` is not the whole list. */
  readonly claim_counts?: ClaimCounts;
}

/** All claims if they fit into `bytes` of JSON; otherwise the worst ones, and a count of each verdict. */
export function fitClaims(
  claims: readonly Claim[],
  bytes: number,
  counts: ClaimCounts | undefined = undefined,
): FittedClaims {
  const known = counts === undefined ? {} : { claim_counts: counts };
  if (jsonBytes(claims) <= bytes) return { claims, ...known };
  const kept: Claim[] = [];
  let left = bytes - 2;
  for (const claim of sortWorstFirst(claims)) {
    const { why, ...bare } = { ...claim, text: shorten(claim.text, maxClaimLength) };
    const short = why === undefined ? bare : { ...bare, why: shorten(why, maxClaimLength) };
    left -= jsonBytes(short) + 1;
    if (left < 0) break;
    kept.push(short);
  }
  return { claims: kept, claim_counts: counts ?? countVerdicts(claims) };
}

/** Cuts the answer of a result to a number of bytes of JSON. An answer that keeps no citation is marked unverified. */
function shortenAnswer(
  result: RunResult,
  json: number,
): Pick<RunResult, 'answer' | 'citations' | 'status' | 'confidence'> {
  const { citations, status, confidence } = result;
  const answer = cutAnswer(result.answer, citations, { json }, status === 'unverified');
  const kept = listMentioned(answer, citations);
  if (kept.length > 0 || status === 'unverified') return { answer, citations: kept, status, confidence };
  const { text, cutSentences: left } = removeNotices(result.answer);
  const unverified = cutAnswer(addNotices(text, true, left), [], { json }, true);
  return {
    answer: unverified,
    citations: [],
    status: 'unverified',
    confidence: confidence === null ? null : 0,
  };
}

function limitNotes(result: RunResult, keep: number): RunResult {
  const { notes } = result.coverage;
  const shownNotes =
    notes.length > keep ? [...notes.slice(0, keep), `… and ${notes.length - keep} more notes`] : notes;
  return { ...result, coverage: { ...result.coverage, notes: shownNotes } };
}

function isLeadIn(unit: Unit, text: string): boolean {
  return unit.kind === 'heading' || /[:：][*_]*$/.test(text.slice(unit.start, unit.end));
}

function countSentences(units: readonly Unit[]): number {
  return units.filter(({ kind }) => kind !== 'heading').length;
}

function breakSentence(sentence: string, attempt: (piece: string) => string | null): string {
  let low = 0;
  let high = sentence.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (attempt(shorten(sentence, middle)) !== null) low = middle;
    else high = middle - 1;
  }
  return attempt(shorten(sentence, low)) ?? attempt('') ?? '';
}

/** Shortens a text to a number of characters, including the mark of the cut. Cuts at a space if one is near. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const piece = text
    .slice(0, Math.max(0, length - 2))
    .toWellFormed()
    .replaceAll('\uFFFD', '');
  const space = piece.lastIndexOf(' ');
  return `${(space > piece.length * 0.7 ? piece.slice(0, space) : piece).trimEnd()} …`;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
