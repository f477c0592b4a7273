import type { Completeness } from '../core/index.ts';

/** `1 file`, `2 files`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : /(?:ch|s)$/.test(noun) ? `${noun}es` : `${noun}s`}`;
}

const maxLineLength = 240;

/** A line as a listing shows it. */
export function clipLine(line: string): string {
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}… (${line.length} characters)` : line;
}

/** Maximum characters of a line of facts, and the characters kept of its end if the line is cut. */
const maxFactLineLength = { all: 600, end: 150 };

/** A line of facts, cut to its beginning and its end if a long name or text in it makes it too long. */
export function clipFact(line: string): string {
  const { all, end } = maxFactLineLength;
  return line.length > all ? `${line.slice(0, all - end)} … ${line.slice(-end)}` : line;
}

export interface Listing {
  readonly text: string;
  /** Says how many lines were left out; empty if none were. */
  readonly notes: readonly string[];
  readonly cut: boolean;
}

/** The first lines of a list, as many as a prompt should hold. */
export function createListing(lines: readonly string[], max: number, noun: string): Listing {
  const shown = lines.slice(0, max).map(clipLine);
  const left = lines.length - shown.length;
  return {
    text: shown.join('\n'),
    notes: left > 0 ? [`${left} more ${noun} are not listed`] : [],
    cut: left > 0,
  };
}

/** A complete list becomes partial if it was cut or lost something; unknown stays unknown. */
export function partialIfCut(completeness: Completeness, lost: boolean): Completeness {
  return lost && completeness === 'complete' ? 'partial' : completeness;
}
