/** Marks the sentences of an answer that their lines do not support, for `Markdown`. */
import type { Claim, ClaimVerdict } from '../../../src/view.ts';
import { type Doubt, doubtMarks, doubtTones, withoutMarks } from '../../parts/marks.ts';

export const isDoubt = (verdict: ClaimVerdict): verdict is Doubt => verdict in doubtTones;

/** Ids of evidence in an answer, and the notice of the gate behind a sentence: no words of the claim. */
const notWords = /\[[^\]\n]*\bev-[0-9a-z]+[^\]\n]*\]|\bev-[0-9a-f]{10}\b|\[unsupported\]/g;
const unsupported = /\s*\[unsupported\]/g;
const openers = /[`'"*_([{«“‘]/;
/** Punctuation and citations that belong to a sentence after its last word. */
const tail =
  /(?:[`'"*_)\]}.,:;!?…»”’]|[ \t]*(?:\[[^\]\n]*\bev-[0-9a-z]+[^\]\n]*\]|\bev-[0-9a-f]{10}\b|\[unsupported\]))*/y;
const inFence = /^[ \t]*(?:`{3,}|~{3,})[^\n]*$/;

/** Letters and digits alone, with the place of each: claims are told without the Markdown around them. */
function lettersOf(text: string): { readonly letters: string; readonly places: readonly number[] } {
  const blanked = text.replace(notWords, (one) => ' '.repeat(one.length));
  const places: number[] = [];
  let letters = '';
  for (const match of blanked.matchAll(/[\p{L}\p{N}]/gu)) {
    letters += match[0];
    for (let n = 0; n < match[0].length; n += 1) places.push(match.index);
  }
  return { letters, places };
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly verdict: ClaimVerdict;
}

function placesOf(answer: string, claims: readonly Claim[]): readonly Place[] {
  const { letters, places } = lettersOf(answer);
  const found: Place[] = [];
  let from = 0;
  for (const { text, verdict } of claims) {
    const wanted = lettersOf(text).letters;
    const at = wanted === '' ? -1 : letters.indexOf(wanted, from);
    if (at < 0) continue;
    from = at + wanted.length;
    const [first, last] = [places[at]!, places[from - 1]!];
    const lineStart = answer.lastIndexOf('\n', first) + 1;
    const lineEnd = answer.indexOf('\n', first);
    let start = inFence.test(answer.slice(lineStart, lineEnd)) ? lineEnd + 1 : first;
    while (start > 0 && openers.test(answer[start - 1]!)) start -= 1;
    tail.lastIndex = last + 1;
    const end = last + 1 + (tail.exec(answer)?.[0].length ?? 0);
    found.push({ start, end, verdict });
  }
  return found;
}

/** The answer with marks of a doubt around each sentence whose claim is contradicted, not shown or unclear. */
export function withDoubts(answer: string, claims: readonly Claim[]): string {
  const plain = withoutMarks(answer);
  let marked = '';
  let at = 0;
  for (const { start, end, verdict } of placesOf(plain, claims)) {
    if (!isDoubt(verdict)) continue;
    // The mark says it, and which of the three it is.
    const said = plain.slice(start, end).replace(unsupported, '');
    marked += `${plain.slice(at, start)}${doubtMarks[verdict]}${said}${doubtMarks.end}`;
    at = end;
  }
  return marked + plain.slice(at);
}
