/** Finds the ranges of a text in which links and tags don't count: code, formulas, comments. */
import { type Fence, isClosingFence, parseOpeningFence } from './block-starts.ts';
import { isBlank, type Lines, measureIndent, splitLines } from './lines.ts';

/** A range in UTF-16 units; the end is exclusive. */
export type Range = readonly [start: number, end: number];

/** Marks of lists and quotes that may precede a fence. */
const marks = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*/;

/** The ranges, in order and without overlaps. */
export function findVerbatimRanges(text: string): readonly Range[] {
  const lines = splitLines(text);
  if (isIndentedCode(lines)) return [[0, text.length]];
  const ranges: Range[] = [];
  let open: { fence: Fence; from: number } | null = null;
  let partStart = 0;
  for (let at = 0; at < lines.count; at++) {
    const line = lines.line(at);
    if (open === null && !line.includes('```') && !line.includes('~~~')) continue;
    const inside = line.replace(marks, '');
    if (open !== null) {
      if (!isClosingFence(inside, open.fence)) continue;
      ranges.push([open.from, lines.start(at + 1)]);
      partStart = lines.start(at + 1);
      open = null;
      continue;
    }
    const fence = parseOpeningFence(inside);
    if (fence === null) continue;
    addInlineRanges(text, partStart, lines.start(at), ranges);
    open = { fence, from: lines.start(at) };
  }
  if (open !== null) ranges.push([open.from, text.length]);
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
function addInlineRanges(text: string, from: number, to: number, into: Range[]): void {
  const part = text.slice(from, to);
  const opener = /\\[\s\S]|`+|<!--|%%|\$\$/g;
  const ticks = part.includes('`') ? matchTicks(part) : null;
  const unclosed = new Set<string>();
  for (let found = opener.exec(part); found !== null; found = opener.exec(part)) {
    const [mark] = found;
    if (mark.startsWith('\\')) continue;
    let end: number;
    if (mark.startsWith('`')) end = ticks?.get(found.index) ?? -1;
    else {
      const closer = closers.get(mark)!;
      const at = unclosed.has(mark) ? -1 : part.indexOf(closer, opener.lastIndex);
      if (at < 0) unclosed.add(mark);
      end = at < 0 ? -1 : at + closer.length;
    }
    if (end < 0) continue;
    into.push([from + found.index, from + end]);
    opener.lastIndex = end;
  }
}

/** For each run of backticks, where the next run of the same length in the same paragraph ends. */
function matchTicks(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { 0: found, index } of text.matchAll(/`+|(?:\r\n|\n|\r)[ \t>]*(?=\r|\n)/g)) {
    if (!found.startsWith('`')) {
      last.clear();
      continue;
    }
    const before = last.get(found.length);
    if (before !== undefined) ends.set(before, index + found.length);
    last.set(found.length, index);
  }
  return ends;
}

/** Returns a function that tests whether a position is in a range. Positions must ascend from call to call. */
export function createRangeTest(ranges: readonly Range[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (next < ranges.length && ranges[next]![1] <= at) next++;
    return next < ranges.length && ranges[next]![0] <= at;
  };
}
