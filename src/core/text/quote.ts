/**
 * Finds a quote in a text. Runs of white space equal one space; otherwise every character counts: case, punctuation
 * and spelling. A mark of omission at either end (`…`, `[…]`, `[...]`, or `...` set off by a space) is dropped if the
 * quote is not found with it. One in the middle is never dropped, since the omitted words may change the meaning.
 */

import type { LineSpan } from './span.ts';

/** Lines joined with all runs of white space collapsed, and the offset of each line in that text. */
export interface FlatText {
  readonly text: string;
  /** Number and start offset (in `text`) of each line that is not blank. */
  readonly numbers: readonly number[];
  readonly offsets: readonly number[];
}

export function collapseSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** `first` is the number of the first line in `lines`. */
export function flattenLines(lines: readonly string[], first = 1): FlatText {
  const pieces: string[] = [];
  const numbers: number[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    const piece = collapseSpace(line);
    if (piece === '') continue;
    pieces.push(piece);
    numbers.push(first + index);
    offsets.push(offset);
    offset += piece.length + 1;
  }
  return { text: pieces.join(' '), numbers, offsets };
}

/** The texts to look for in a quote, in the order to try them; empty if the quote is blank. */
function quoteVariants(quote: string): readonly string[] {
  const whole = collapseSpace(quote);
  const bare = collapseSpace(
    whole.replace(/^(…|\[(…|\.{3})\]|\.{3}(?=\s|$))/, '').replace(/(…|\[(…|\.{3})\]|(?<=\s|^)\.{3})$/, ''),
  );
  return [...new Set([whole, bare])].filter((wording) => wording !== '');
}

/** Whether a quote is white space only. Such a quote claims nothing. */
export function isEmptyQuote(quote: string): boolean {
  return collapseSpace(quote) === '';
}

/**
 * The lines of the quote. If it occurs in several places, the place nearest to line `near`. Null if it is not found.
 */
export function findQuote(flat: FlatText, quote: string, near = 1): LineSpan | null {
  for (const wording of quoteVariants(quote)) {
    let best: LineSpan | null = null;
    for (let at = flat.text.indexOf(wording); at >= 0; at = flat.text.indexOf(wording, at + 1)) {
      const found = { start: findLineNumber(flat, at), end: findLineNumber(flat, at + wording.length - 1) };
      if (best !== null && Math.abs(found.start - near) > Math.abs(best.start - near)) break;
      best = found;
    }
    if (best !== null) return best;
  }
  return null;
}

/** The number of the line that holds a place in the flat text. */
function findLineNumber(flat: FlatText, offset: number): number {
  let low = 0;
  let high = flat.offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (flat.offsets[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return flat.numbers[low]!;
}
