/** Finds the ranges of a text in which links and tags don't count: code, formulas, comments. */
import { type Fence, isClosingFence, parseOpeningFence } from './block-starts.ts';
import { isBlank, type Lines, measureIndent, splitLines } from './lines.ts';

/** A range in UTF-16 units; the end is exclusive. */
export type Range = readonly [start: number, end: number];

/** The white space and marks of lists and quotes that may precede a fence. */
const leadingMarks = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*/;

/** The ranges, in order and without overlaps. */
export function findVerbatimRanges(text: string): readonly Range[] {
  const lines = splitLines(text);
  if (isIndentedCode(lines)) return [[0, text.length]];
  const ranges: Range[] = [];
  let openFence: { fence: Fence; from: number } | null = null;
  let partStart = 0;
  for (let at = 0; at < lines.count; at++) {
    const line = lines.line(at);
    if (openFence === null && !line.includes('```') && !line.includes('~~~')) continue;
    const content = line.replace(leadingMarks, '');
    if (openFence !== null) {
      if (!isClosingFence(content, openFence.fence)) continue;
      ranges.push([openFence.from, lines.start(at + 1)]);
      partStart = lines.start(at + 1);
      openFence = null;
      continue;
    }
    const fence = parseOpeningFence(content);
    if (fence === null) continue;
    addInlineRanges(text, partStart, lines.start(at), ranges);
    openFence = { fence, from: lines.start(at) };
  }
  if (openFence !== null) ranges.push([openFence.from, text.length]);
  else addInlineRanges(text, partStart, text.length, ranges);
  return ranges;
}

function isIndentedCode(lines: Lines): boolean {
  let first = 0;
  while (first < lines.count && isBlank(lines.line(first))) first++;
  return first < lines.count && measureIndent(lines.line(first)) > 3;
}

const closers = new Map([
  ['<!--', '-->'],
  ['%%', '%%'],
  ['$$', '$$'],
]);

/** Adds the code spans, comments and formulas of a part without fences. */
function addInlineRanges(text: string, from: number, to: number, ranges: Range[]): void {
  const textPart = text.slice(from, to);
  const opener = /\\[\s\S]|`+|<!--|%%|\$\$/g;
  const tickEnds = textPart.includes('`') ? matchTicks(textPart) : null;
  const unclosed = new Set<string>();
  for (let match = opener.exec(textPart); match !== null; match = opener.exec(textPart)) {
    const [mark] = match;
    if (mark.startsWith('\\')) continue;
    let end: number;
    if (mark.startsWith('`')) end = tickEnds?.get(match.index) ?? -1;
    else {
      const closer = closers.get(mark)!;
      const at = unclosed.has(mark) ? -1 : textPart.indexOf(closer, opener.lastIndex);
      if (at < 0) unclosed.add(mark);
      end = at < 0 ? -1 : at + closer.length;
    }
    if (end < 0) continue;
    ranges.push([from + match.index, from + end]);
    opener.lastIndex = end;
  }
}

/** By the start of each run of backticks, the end of the next run of the same length in the same paragraph. */
function matchTicks(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const lastRuns = new Map<number, number>();
  for (const { 0: tickRun, index } of text.matchAll(/`+|(?:\r\n|\n|\r)[ \t>]*(?=\r|\n)/g)) {
    if (!tickRun.startsWith('`')) {
      lastRuns.clear();
      continue;
    }
    const previousRun = lastRuns.get(tickRun.length);
    if (previousRun !== undefined) ends.set(previousRun, index + tickRun.length);
    lastRuns.set(tickRun.length, index);
  }
  return ends;
}

/** Returns a function that tests whether a position is in a range. Positions must ascend from call to call. */
export function createRangeTest(ranges: readonly Range[]): (at: number) => boolean {
  let nextIndex = 0;
  return (at) => {
    while (nextIndex < ranges.length && ranges[nextIndex]![1] <= at) nextIndex++;
    return nextIndex < ranges.length && ranges[nextIndex]![0] <= at;
  };
}
