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
    let bestOffset: number | null = null;
    let bestDistance = Number.POSITIVE_INFINITY;
    let lineIndex = 0;
    for (const offset of findText(flat.text, wording)) {
      while (lineIndex + 1 < flat.offsets.length && flat.offsets[lineIndex + 1]! <= offset) lineIndex += 1;
      const distance = Math.abs(flat.numbers[lineIndex]! - near);
      if (distance > bestDistance) break;
      bestOffset = offset;
      bestDistance = distance;
    }
    if (bestOffset !== null)
      return {
        start: findLineNumber(flat, bestOffset),
        end: findLineNumber(flat, bestOffset + wording.length - 1),
      };
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

/** Shorter texts are left to the search of JavaScript, which is faster for ordinary texts. */
const minSoughtLength = 100;
const minTextLength = 100_000;

/**
 * Every index at which `text` contains `sought`, in ascending order. Takes linear time, where the search of JavaScript
 * takes the product of both lengths for texts such as a million times the same letter. `sought` must not be empty.
 */
function* findText(text: string, sought: string): Generator<number, void> {
  if (sought.length < minSoughtLength || text.length < minTextLength) {
    for (let index = text.indexOf(sought); index >= 0; index = text.indexOf(sought, index + 1)) yield index;
    return;
  }
  const borders = measureBorders(sought);
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && sought.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (sought.charCodeAt(matched) === unit) matched += 1;
    if (matched < sought.length) continue;
    yield index + 1 - matched;
    matched = borders[matched - 1]!;
  }
}

/** For each start of a text, the length of its longest proper start that is its end, too (Knuth, Morris and Pratt). */
function measureBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (text.charCodeAt(length) === unit) length += 1;
    borders[index] = length;
  }
  return borders;
}
