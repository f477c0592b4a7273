/**
 * Finds the lines that belong together around a line, by indentation alone. This works for any language that is
 * indented.
 */

import type { LineSpan } from './span.ts';

export interface Enclosing {
  /** The largest block around the line that is short enough; else the lines near it. */
  readonly shown: LineSpan;
  /** The next enclosing block, if any. */
  readonly within: LineSpan | null;
}

/**
 * A line that closes a block, continues one, or opens the body of the line above. Such a line is never the head of a
 * block.
 */
const notHead = /^\s*(?:[)\]}{]|(?:end|else|elif|elsif|except|rescue|finally|ensure|catch)\b|<\/|\*\/)/;
/** An opening bracket or a comma at the end of a line: the block continues on the next line. */
const continuesBelow = /[{:([,]\s*$|^\s*\{/;
const belongsToHead = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|if|endif|define))|@|--|;;)/;
const maxLinesAbove = 12;
/** Lines before and after the line, if no block is short enough. */
const linesBefore = 11;
const linesBelow = 16;
const minLength = 12;

export function findEnclosingBlock(lines: readonly string[], line: number, maxLines: number): Enclosing {
  let at = line;
  while (at > 1 && isBlank(lines[at - 1])) at -= 1;
  let best: LineSpan | null = null;
  let within: LineSpan | null = null;
  for (const block of blocksAround(lines, at)) {
    if (lengthOf(block) > maxLines) {
      within = block;
      break;
    }
    best = block;
  }
  if (best !== null && (within === null || lengthOf(best) >= minLength))
    return { shown: includeLinesAbove(lines, best, maxLines), within };
  const above = Math.min(linesBefore, Math.floor((maxLines - 1) * 0.4));
  const near = {
    start: Math.max(within?.start ?? 1, at - above),
    end: Math.min(within?.end ?? lines.length, at + Math.min(linesBelow, maxLines - 1 - above)),
  };
  const both = best && { start: Math.min(best.start, near.start), end: Math.max(best.end, near.end) };
  return { shown: both !== null && lengthOf(both) <= maxLines ? both : near, within };
}

const lengthOf = ({ start, end }: LineSpan) => end - start + 1;

/** The blocks around a line, the innermost first. */
function* blocksAround(lines: readonly string[], at: number): Generator<LineSpan> {
  let head: number | null = at;
  while (head !== null) {
    const end = findBlockEnd(lines, head);
    if (end > head && end >= at) yield { start: head, end };
    head = findHeadAbove(lines, head);
  }
}

function findHeadAbove(lines: readonly string[], at: number): number | null {
  let indent = indentOf(lines[at - 1]);
  for (let n = at - 1; n >= 1 && indent > 0; n -= 1) {
    const line = lines[n - 1];
    if (isBlank(line) || indentOf(line) >= indent) continue;
    if (!notHead.test(line ?? '')) return n;
    indent = indentOf(line) + 1;
  }
  return null;
}

function findBlockEnd(lines: readonly string[], head: number): number {
  const indent = indentOf(lines[head - 1]);
  let end = head;
  for (let n = head + 1; n <= lines.length; n += 1) {
    const line = lines[n - 1] ?? '';
    if (isBlank(line)) continue;
    if (indentOf(line) <= indent) {
      if (indentOf(line) < indent || !notHead.test(line)) return end;
      if (!continuesBelow.test(line)) return n;
    }
    end = n;
  }
  return end;
}

/** Includes the comments and decorators above a definition. */
export function includeLinesAbove(
  lines: readonly string[],
  { start, end }: LineSpan,
  maxLines: number,
): LineSpan {
  const min = Math.max(1, start - maxLinesAbove, end - maxLines + 1);
  const indent = indentOf(lines[start - 1]);
  let first = start;
  while (first > min && indentOf(lines[first - 2]) >= indent && belongsToHead.test(lines[first - 2] ?? ''))
    first -= 1;
  return { start: first, end };
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

function indentOf(line = ''): number {
  return /^\s*/.exec(line)![0].replaceAll('\t', '    ').length;
}
