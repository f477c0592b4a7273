/** Direct quotes in an answer, and whether a piece of evidence holds them. */
import { withoutMarks } from './answer-marks.ts';
import type { Unit } from './answer-units.ts';
import type { Evidence } from './evidence.ts';
import { codeSpans, isWithin } from './text/code-spans.ts';
import { findQuote, flatSpace, flatten } from './text/quote.ts';

const pairs: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['「', '」'],
  ['『', '』'],
];

/**
 * What a unit quotes word for word: of a sentence or row, what stands in quotation marks, three words or more,
 * quotation marks in inline code aside; a block quote or a block of code as a whole, in pieces where a line of
 * its own marks an omission.
 */
export function quotesIn(unit: Unit, text: string): readonly string[] {
  if (unit.kind === 'code') return codeQuotes(text);
  if (unit.kind === 'quote') return blockQuotes(text);
  const spans = codeSpans(text);
  const quotes: string[] = [];
  for (const [open, close] of pairs) {
    let from = -1;
    for (let at = 0; at < text.length; at += 1) {
      if (isWithin(spans, at)) continue;
      if (from >= 0 && text[at] === close) {
        const quote = withoutMarks(text.slice(from, at));
        if (isLong(quote)) quotes.push(quote);
        from = -1;
      } else if (text[at] === open) from = at + 1;
    }
  }
  return quotes;
}

/** Inside the quotation marks a sentence may set its own stop, and Markdown its emphasis. */
export function holdsQuote(evidence: Evidence, quote: string): boolean {
  const flat = flatten(evidence.content.split('\n'));
  const plain = quote.replace(/\*\*|__|`/g, '');
  return [quote, plain].some((wording) =>
    [wording, wording.trim().replace(/[.,;:!?]$/, '')].some(
      (form) => flatSpace(form) !== '' && findQuote(flat, form) !== null,
    ),
  );
}

function isLong(quote: string): boolean {
  const dense = quote.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return dense >= 6 || quote.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length >= 3;
}

function blockQuotes(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .map((line) => withoutMarks(line.replace(/^\s*>\s?/, '')))
    // The line that says whose words they are.
    .filter((line) => !/^\s*[—–]/.test(line));
  return inPieces(lines);
}

function codeQuotes(text: string): readonly string[] {
  const lines = text.split('\n').slice(1);
  const last = lines.findLastIndex((line) => /^\s*(`{3,}|~{3,})\s*$/.test(line));
  return inPieces((last < 0 ? lines : lines.slice(0, last)).map((line) => withoutMarks(line)));
}

function inPieces(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) => (/^\s*(?:#|\/\/|--|;|\*)?\s*(?:\.{3}|…)\s*$/.test(line) ? '\0' : line))
    .join('\n')
    .split('\0')
    .map(flatSpace)
    .filter((piece) => piece !== '');
}
