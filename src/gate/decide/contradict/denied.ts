/** Finds claims that deny what their lines say: a line has most words of the claim, and no denial. */

import type { Reading } from '../../claim/reading.ts';
import { computeShare, computeShareAt, splitClauses } from '../../lines/clauses.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { findDenials, mayDeny } from '../../words/turns.ts';
import { isIdle, splitWords, type Word } from '../../words/words.ts';

const minFit = 0.6;
const minShared = 2;

/** The denial of the main verb of a clause. If the verb is not in the lines, they may be about something else. */
const mainDenial =
  /\b(?:is|are|was|were|be|been|am|does|do|did|has|have|had|will|would|can|could|must|should|shall|may|might)(?: not(?! (?:only|just|necessarily|yet|always)\b)|n't)\s+|\bcannot\s+|\bnever\s+|^\s*it is not (?:so|true|the case) that\s+/i;
/** A denial in a headline: `Login not refused`. */
const headlineDenial = /^\s*\p{L}+(?:\s+\p{L}+)?\s+not\s+(?=\p{L}+ed\b)/iu;
/** A denied object of an imperative, or of a verb in the third person: `Removes no values`. */
const noObject = /^\s*(?:(?:it|this|\p{L}+)\s+)?\p{Ll}+s?\s+no(?: of the)?\s+(?=\p{L})/iu;
const conditionalStart =
  /^\s*(?:if|when|whenever|unless|until|while|where|because|since|so that|which|that|who|although|though|before|after|or|in case)\b/i;
const hedgedWord =
  /\b(?:instead|rather|except|unless|until|only|but|although|though|yet|otherwise|either|whether|may|might|any ?more|longer)\b/i;

/** In code a denial may also be a branch around the line, or a name such as `noCache`. */
const branchingForm =
  /\b(?:if|else|elif|unless|when|case|match|switch|try|except|catch|rescue|and|or|return;?\s*$)\b|\?|&&|\|\||\bno_|\bno(?=\p{Lu})/u;

/** A sentence that says what is tested, not what the outcome is: `Check if the value is valid`. */
const questionForm =
  /\b(?:check|test|verif|determin|tell|decid|valid|return)\p{Ll}*\s(?:\p{L}+\s){0,3}(?:if|whether)\b|^\W*whether\b/iu;

const denialOfValue =
  /^\s*(?:the )?(?<key>\p{L}[\p{L}\p{N}_ -]{1,40}?) (?:is|was)(?: not|n't) ["'`]?(?<value>\S(?:.{0,80}\S)?)["'`]?[.\s]*$/iu;

const logFile = /\.(?:log|csv|tsv)$/i;

/**
 * The reason against `The command is not trace 20` if the only line is a record that contains this value, and gives the
 * name no other one.
 */
function findDeniedValue({ text }: Reading, { segments, paths }: Source): string | null {
  const said = denialOfValue.exec(text)?.groups;
  const [record, ...more] = segments;
  if (said === undefined || record === undefined || more.length > 0) return null;
  if (!record.isRecord && record.moments.length === 0 && !logFile.test(paths[record.source]!)) return null;
  const key = said['key']!.split(' ').at(-1)!;
  const value = RegExp.escape(said['value']!.replace(/["'`.]+$/, ''));
  if (!new RegExp(`(?<![\\p{L}\\p{N}_-])${value}(?![\\p{L}\\p{N}_-])`, 'iu').test(record.text)) return null;
  if (findDenials(record.text).length > 0) return null;
  const recordValue = new RegExp(
    `(?<![\\p{L}\\p{N}])${RegExp.escape(key)}["']?(?:=|: ?)["']?(\\S+)`,
    'iu',
  ).exec(record.text)?.[1];
  if (recordValue !== undefined && !new RegExp(`^${value}`, 'i').test(recordValue)) return null;
  return `the record holds ${said['value']}`;
}

/** The reason against a claim that denies what the lines say; null if they may not say it. */
export function findDeniedText(reading: Reading, source: Source): string | null {
  const value = findDeniedValue(reading, source);
  if (value !== null) return value;
  for (const clause of splitClauses(reading, { joined: true })) {
    if (conditionalStart.test(clause.text) || hedgedWord.test(clause.text)) continue;
    if (/"/.test(clause.text) || findDenials(clause.text).length !== 1) continue;
    const denial =
      mainDenial.exec(clause.text) ?? noObject.exec(clause.text) ?? headlineDenial.exec(clause.text);
    if (denial === null) continue;
    const isNever = /never|\bno\b/i.test(denial[0]);
    const words = clause.words.filter(({ text }) => !/^(?:not|never|no|cannot|so|true|case)$/i.test(text));
    const restStart = clause.start + denial.index + denial[0].length;
    const verb = words.find(({ at, text }) => at >= restStart && !isIdle(text));
    if (verb === undefined || words.length < minShared) continue;
    const at = findBestLine(words, source);
    if (at === null || !containsWord(verb, source.segments[at]!)) continue;
    if (mayDenyToo(at, source, isNever, verb)) continue;
    if (caseStart.test(reading.text) && isBranchAbove(at, source)) continue;
    return `the lines say so without the denial: ${source.segments[at]!.text.trim().slice(0, 80)}`;
  }
  return null;
}

/** Whether the line that shares most with the claim may itself deny it. */
export function isDeniedNearby(reading: Reading, source: Source): boolean {
  const at = findBestLine(
    splitWords(reading.text).filter(({ text }) => !isIdle(text)),
    source,
    0,
  );
  return at === null || mayDeny(source.segments[at]!.text);
}

/** The beginning of a claim about one case: code may have handled that case before it reaches the line. */
const caseStart = /^\s*(?:for|if|when|with|without|in case|on|under|unless)\b/i;

const isBranchAbove = (at: number, { segments }: Source): boolean => {
  const { source, isCode, isRecord } = segments[at]!;
  return (
    isCode &&
    !isRecord &&
    segments.slice(0, at).some((one) => one.source === source && branchingForm.test(one.text))
  );
};

const containsWord = ({ base }: Word, { bases }: Segment): boolean => bases.has(base);

/** Whether the line, or the code around it, may deny the same. */
function mayDenyToo(at: number, { segments }: Source, isNever: boolean, verb: Word): boolean {
  const segment = segments[at]!;
  // The denied word may itself be negative: `did not fail` for a line with `failed`.
  const restText = segment.words
    .filter(({ base }) => base === verb.base)
    .reduce((text, word) => text.replace(word.text, ' '), segment.text);
  if (mayDeny(restText) || /\?\s*$/.test(segment.text) || questionForm.test(segment.text)) return true;
  if (!segment.isCode || segment.isRecord) return false;
  // A single case contradicts `never`, even if it is conditional.
  const nearbyTexts = segments
    .slice(Math.max(0, at - 2), at + 3)
    .filter(({ source }) => source === segment.source)
    .map(({ text }) => text);
  return !isNever && nearbyTexts.some((text) => mayDeny(text) || branchingForm.test(text));
}

function findBestLine(words: readonly Word[], source: Source, min = minFit): number | null {
  let best: { at: number; fit: number } | null = null;
  for (const [at, segment] of source.segments.entries()) {
    const shared = new Set(words.filter((word) => containsWord(word, segment)).map(({ base }) => base)).size;
    if (shared < minShared && min > 0) continue;
    const fit =
      segment.isCode && !segment.isRecord
        ? computeShareAt(words, at, source)
        : computeShare(words, segment.bases, source);
    if (fit >= min && (best === null || fit > best.fit)) best = { at, fit };
  }
  return best?.at ?? null;
}
