/**
 * Which units of an answer claim something about the material, so that they need a citation.
 *
 * Not claims, unless they carry a citation or name a line: headings and titles of tables; lead-ins that end in a
 * colon (up to 25 words); questions; pieces of fewer than three words; turns of phrase that only lead on (`Here
 * is how it works.`); and plain statements of what was not found or could not be checked, as long as nothing is
 * joined to them by `but`, `and`, a semicolon or a dash. All else is a claim: in doubt it is one.
 */
import { withoutMarks } from './answer-marks.ts';
import type { Unit } from './answer-units.ts';

const maxLeadInLength = 25;
const maxTurnLength = 9;

const turn =
  /^(?:(?:so|now|and|but|well)[, ]+)?(?:here(?:'s| is| are)|in (?:short|summary|brief|other words)|to (?:sum up|summari[sz]e)|let me|let's|see below|the (?:following|steps|details|answer) (?:is|are|follows?)|as follows)\b/i;

const lack = [
  /^(?:however, |unfortunately, )?(?:i|we) (?:did not|didn't|could not|couldn't|was(?: not|n't) able|were(?: not|n't) able|was unable|were unable|cannot|can't|have not|haven't|found (?:no|nothing)|do not know|don't know)\b/i,
  /^(?:however, )?(?:the |this )?(?:evidence|material|search|searches|run|lines|spans|files)\b[^,;]{0,40}\b(?:does not|do not|did not|doesn't|don't|didn't|cannot|could not) (?:show|say|tell|cover|contain|include|reveal|confirm|settle|find)\b/i,
  /^(?:it is|it's|whether|why|how|what)\b[^,;]{0,120}\b(?:unclear|not clear|unknown|not known|not shown|not confirmed|unconfirmed)\b/i,
  /^(?:this|that|these|it)\b[^,;]{0,60}\b(?:could not|cannot|was not|were not) be (?:confirmed|verified|checked|established|determined)\b/i,
  /^(?:this|that|these|it)\b[^,;]{0,30}\b(?:was not|were not|is not|are not) (?:confirmed|verified|checked)\b/i,
  /^no model was used\b/i,
  /^nothing (?:was found|is known)\b/i,
];
const joined = /[;–—]|,? \b(?:but|however|though|although|yet|and|so|because|since|while)\b/i;

/** A second admission after a first: `did not find or check`. */
const another =
  /, (?:and|or|nor) (?:(?:(?:i|we) )?(?:did not|didn't|could not|couldn't|have not|haven't)|did (?:i|we)) (?:find|found|check|checked|look|looked|search|searched|verify|verified|confirm|confirmed|read|see|open|opened|determine|determined)\b/gi;

export function isClaim(unit: Unit, text: string): boolean {
  if (unit.kind === 'heading') return false;
  if (unit.kind === 'code' || unit.kind === 'quote') return true;
  const words = plainWords(text);
  const count = wordCount(words);
  if (count < 3) return false;
  const end = words.replace(/[*_"'”’)\]]+$/, '');
  if (/[:：]$/.test(end) && count <= maxLeadInLength) return false;
  if (/[?？؟]$/.test(end)) return false;
  if (turn.test(words) && count <= maxTurnLength && !/[`\d]/.test(words)) return false;
  return !(
    lack.some((form) => form.test(words)) && !joined.test(onlyFirst(words).replace(/^however, /i, ''))
  );
}

/** `I did not find X, and did not check Y` joins nothing that is claimed. */
const onlyFirst = (words: string): string => (lack[0]!.test(words) ? words.replace(another, '') : words);

function plainWords(text: string): string {
  return withoutMarks(text)
    .replace(/^[|\s]+|[|\s]+$/g, '')
    .replace(/\*\*|__/g, '')
    .trim();
}

/** Words between spaces that hold a letter or digit; of scripts without spaces, two characters count as one. */
function wordCount(text: string): number {
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  const spaced = text
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return spaced + Math.ceil(dense / 2);
}
