/**
 * Splits an answer into its claims, each with its citations. Reads Markdown: sentences, items, rows, block quotes,
 * code.
 */
import {
  closeFence,
  findCodeSpans,
  findMentions,
  removeMarks,
  removeNotices,
  splitUnits,
} from '../../core/answers.ts';
import type { Unit } from '../../core/index.ts';
import { collapseSpaces } from '../words/normal.ts';
import { findFigures } from './figures.ts';

export interface ClaimText {
  readonly text: string;
  readonly kind: Unit['kind'];
  /** Ids that the claim cites. */
  readonly ids: readonly string[];
  /** Range in `claimText` of the answer, marks included; the end is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Maximum characters of an answer that are read; the rest is ignored. */
const maxAnswerLength = 65_536;

/** The text that claims are read from: without the notices of an earlier check, and with its last fence closed. */
export const claimText = (answer: string): string =>
  closeFence(removeNotices(answer.slice(0, maxAnswerLength)).text);

export function splitClaims(answer: string): readonly ClaimText[] {
  const text = claimText(answer);
  const claims: ClaimText[] = [];
  for (const unit of joinQuotes(splitUnits(text), text)) {
    const whole = text.slice(unit.start, unit.end);
    for (const { text: piece, start, end } of splitSentence(unit, whole)) {
      const ids = [...new Set(findMentions(piece).flatMap((mention) => mention.ids))];
      const bare = removeMarks(piece);
      const claimed =
        unit.kind === 'code' || unit.kind === 'quote'
          ? bare
          : collapseSpaces(bare.replace(/^\|\s*|\s*\|$/g, '')).replace(/ +(?=[.,;:!?](?:\s|$))/g, '');
      if (needsCheck(unit, piece, claimed, ids))
        claims.push({
          text: claimed,
          kind: unit.kind,
          ids: ids.length === 0 && unit.kind === 'code' ? findIdsBefore(claims) : ids,
          start: unit.start + start,
          end: unit.start + end,
        });
    }
  }
  // The place of a block of code, above it, claims no more than the block.
  return claims.filter(({ text: own }, at) => !placeAlone.test(own) || claims[at + 1]?.kind !== 'code');
}

/** `src/a.ts:12-20:` */
const placeAlone = /^[-*\s]*`?[^\s`]+:\d+(?:-\d+)?`?:$/;

/** A block of code rests on what the words before its colon cite. */
function findIdsBefore(claims: readonly ClaimText[]): readonly string[] {
  const before = claims.at(-1);
  return before?.text.endsWith(':') ? before.ids : [];
}

/** Joins units inside quotation marks, so that a quote of several sentences stays in one claim. */
function joinQuotes(units: readonly Unit[], text: string): readonly Unit[] {
  const found: Unit[] = [];
  for (const unit of units) {
    const before = found.at(-1);
    const isOpened =
      before !== undefined &&
      before.kind === 'sentence' &&
      unit.kind === 'sentence' &&
      before.block === unit.block &&
      isQuoteOpen(text.slice(before.start, before.end)) &&
      /["”]/.test(text.slice(unit.start, unit.end));
    if (isOpened) found[found.length - 1] = { ...before, end: unit.end };
    else found.push(unit);
  }
  return found;
}

function isQuoteOpen(text: string): boolean {
  const withoutCode = text.replace(/`[^`]*`/g, '');
  const count = (sign: RegExp): number => withoutCode.match(sign)?.length ?? 0;
  return count(/"/g) % 2 === 1 || count(/“/g) > count(/”/g);
}

function needsCheck(unit: Unit, piece: string, claimed: string, ids: readonly string[]): boolean {
  if (!/[\p{L}\p{N}]/u.test(claimed)) return false;
  if (unit.kind === 'heading') return ids.length > 0;
  // Two words with a figure say something: `12 retries`.
  return (
    ids.length > 0 ||
    isClaim(unit, piece) ||
    isAboutSearch(claimed) ||
    (findFigures(claimed).length > 0 && claimed.split(/\s+/).length === 2)
  );
}

/** Whether a sentence speaks of the search itself. */
export const isAboutSearch = (text: string): boolean =>
  /^(?:however, |unfortunately, |but |and )?(?:i|we)\b.{0,40}\b(?:read|search\w*|look\w*|check\w*|find|found|open\w*|verif\w*|grep\w*|see|saw|test\w*|confirm\w*)\b/i.test(
    text,
  ) ||
  /\b(?:not|nothing|no \p{L}+(?: \p{L}+)?) (?:was |were )?found\b|\bno (?:file|page|line|test|mention|match|matches|occurrence|result|hit|reference|call|caller|use|usage|definition)s?\b|\bnowhere\b|\bdoes not (?:occur|appear)\b|\bis (?:not|never) mentioned\b/iu.test(
    text,
  );

interface ClaimPart {
  readonly text: string;
  /** Within the sentence. */
  readonly start: number;
  readonly end: number;
}

/** Splits a sentence at semicolons: each part is a claim of its own, with its own citations or else the last ones. */
function splitSentence(unit: Unit, text: string): readonly ClaimPart[] {
  const all = [{ text, start: 0, end: text.length }];
  if (unit.kind !== 'sentence') return all;
  const spans = findCodeSpans(text);
  const cuts = [...text.matchAll(/;\s+/g)].map(({ index, 0: mark }) => ({
    at: index,
    end: index + mark.length,
  }));
  const pieces: ClaimPart[] = [];
  let from = 0;
  const add = (end: number): unknown => pieces.push({ text: text.slice(from, end), start: from, end });
  for (const { at, end } of cuts) {
    if (spans.some((span) => at >= span.start && at < span.end) || isInBrackets(text.slice(from, at)))
      continue;
    add(at);
    from = end;
  }
  add(text.length);
  if (pieces.some((piece) => collapseSpaces(removeMarks(piece.text)).split(' ').length < 3)) return all;
  // Markers at the end of the sentence hold for all of it.
  const ids = findLastMarkers(pieces.at(-1)!.text);
  const marker = ids.length === 0 ? '' : ` [${ids.join(', ')}]`;
  return pieces.map((piece) =>
    findMentions(piece.text).length > 0 ? piece : { ...piece, text: `${piece.text}${marker}` },
  );
}

/** The ids of the markers at the very end. */
function findLastMarkers(text: string): readonly string[] {
  const found: string[] = [];
  let from: number | null = null;
  for (const { start, end, ids } of findMentions(text).toReversed()) {
    if (from !== null && text.slice(end, from).trim() !== '') break;
    found.unshift(...ids);
    from = start;
  }
  return found;
}

/** Within brackets or quotation marks a semicolon ends nothing. */
function isInBrackets(text: string): boolean {
  const count = (sign: RegExp): number => text.match(sign)?.length ?? 0;
  return count(/\(/g) > count(/\)/g) || isQuoteOpen(text);
}

const maxLeadInLength = 25;
const maxTurnLength = 9;

const turnOfPhrase =
  /^(?:(?:so|now|and|but|well)[, ]+)?(?:here(?:'s| is| are)|in (?:short|summary|brief|other words)|to (?:sum up|summari[sz]e)|let me|let's|see below|the (?:following|steps|details|answer) (?:is|are|follows?)|as follows)\b/i;

const admissions = [
  /^(?:however, |unfortunately, )?(?:i|we) (?:did not|didn't|could not|couldn't|was(?: not|n't) able|were(?: not|n't) able|was unable|were unable|cannot|can't|have not|haven't|found (?:no|nothing)|do not know|don't know)\b/i,
  /^(?:however, )?(?:the |this )?(?:evidence|material|search|searches|run|lines|spans|files)\b[^,;]{0,40}\b(?:does not|do not|did not|doesn't|don't|didn't|cannot|could not) (?:show|say|tell|cover|contain|include|reveal|confirm|settle|find)\b/i,
  /^(?:it is|it's|whether|why|how|what)\b[^,;]{0,120}\b(?:unclear|not clear|unknown|not known|not shown|not confirmed|unconfirmed)\b/i,
  /^(?:this|that|these|it)\b[^,;]{0,60}\b(?:could not|cannot|was not|were not) be (?:confirmed|verified|checked|established|determined)\b/i,
  /^(?:this|that|these|it)\b[^,;]{0,30}\b(?:was not|were not|is not|are not) (?:confirmed|verified|checked)\b/i,
  /^no model was used\b/i,
  /^nothing (?:was found|is known)\b/i,
];
const conjunction = /[;–—]|,? \b(?:but|however|though|although|yet|and|so|because|since|while)\b/i;

/** A second admission after a first: `did not find or check`. */
const secondAdmission =
  /, (?:and|or|nor) (?:(?:(?:i|we) )?(?:did not|didn't|could not|couldn't|have not|haven't)|did (?:i|we)) (?:find|found|check|checked|look|looked|search|searched|verify|verified|confirm|confirmed|read|see|open|opened|determine|determined)\b/gi;

/**
 * Which units of an answer claim something about the material, so that they need a citation.
 *
 * Not claims, unless they have a citation or name a line: headings and titles of tables; lead-ins that end in a
 * colon (up to 25 words); questions; pieces of fewer than three words; turns of phrase that only lead on (`Here
 * is how it works.`); and plain statements of what was not found or could not be checked, as long as nothing is
 * joined to them by `but`, `and`, a semicolon or a dash. All else is a claim: in doubt it is one.
 */
function isClaim(unit: Unit, text: string): boolean {
  if (unit.kind === 'heading') return false;
  if (unit.kind === 'code' || unit.kind === 'quote') return true;
  const words = stripMarkup(text);
  const count = countWords(words);
  if (count < 3) return false;
  const end = words.replace(/[*_"'”’)\]]+$/, '');
  if (/[:：]$/.test(end) && count <= maxLeadInLength) return false;
  if (/[?？؟]$/.test(end)) return false;
  if (turnOfPhrase.test(words) && count <= maxTurnLength && !/[`\d]/.test(words)) return false;
  return !(
    admissions.some((form) => form.test(words)) &&
    !conjunction.test(dropSecondAdmission(words).replace(/^however, /i, ''))
  );
}

/** Removes a second admission: `I did not find X, and did not check Y` contains no claim. */
const dropSecondAdmission = (words: string): string =>
  admissions[0]!.test(words) ? words.replace(secondAdmission, '') : words;

function stripMarkup(text: string): string {
  return removeMarks(text)
    .replace(/^[|\s]+|[|\s]+$/g, '')
    .replace(/\*\*|__/g, '')
    .trim();
}

/** Words between spaces that hold a letter or digit; of scripts without spaces, two characters count as one. */
function countWords(text: string): number {
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  const spaced = text
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return spaced + Math.ceil(dense / 2);
}
