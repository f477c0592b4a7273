/**
 * Splits a text into blocks. Joined, the blocks are the text again. A list item of several lines is a block; adjacent
 * items of a single line share a block. The end of a block depends only on the lines near it, so that an edit changes
 * few blocks.
 */
import type { BlockKind } from '../world.ts';
import {
  endsParagraph,
  type Fence,
  findHtmlEnd,
  type ItemMark,
  isCallout,
  isClosingFence,
  isComment,
  isHeading,
  isMath,
  isQuote,
  isRule,
  isTableRuler,
  isUnderline,
  parseItemMark,
  parseOpeningFence,
} from './block-starts.ts';
import { isBlank, type Lines, measureIndent, splitLines } from './lines.ts';
import type { BlockText } from './markdown.ts';

/** Maximum number of single-line items in a block. */
const maxItems = 20;

interface BlockEnd {
  readonly kind: BlockKind;
  /** The index of the line after the block's last line. */
  readonly end: number;
}

export function splitBlocks(text: string): readonly BlockText[] {
  const lines = splitLines(text);
  const blocks: BlockText[] = [];
  // Leading blank lines belong to the first block, all others to the block before them.
  let from = skipBlankLines(lines, 0);
  let textStart = 0;
  while (from < lines.count) {
    const { kind, end } = parseBlock(lines, from, maxItems);
    from = skipBlankLines(lines, end);
    blocks.push(Object.freeze({ text: text.slice(textStart, lines.start(from)), kind }));
    textStart = lines.start(from);
  }
  if (blocks.length === 0) blocks.push(Object.freeze({ text, kind: 'blank' }));
  return blocks;
}

/** A block or a single list item, without the blank lines around it. */
export interface Unit {
  readonly kind: BlockKind;
  /** Offsets in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a text into its smallest parts. List items are not grouped, since an edit of a neighbour may change the
 * grouping.
 */
export function splitUnits(text: string): readonly Unit[] {
  const lines = splitLines(text);
  const units: Unit[] = [];
  for (let from = skipBlankLines(lines, 0); from < lines.count; ) {
    const { kind, end } = parseBlock(lines, from, 1);
    let last = end - 1;
    while (last > from && isBlank(lines.line(last))) last--;
    units.push({ kind, start: lines.start(from), end: lines.start(last) + lines.line(last).length });
    from = skipBlankLines(lines, end);
  }
  return units;
}

function skipBlankLines(lines: Lines, from: number): number {
  let at = from;
  while (at < lines.count && isBlank(lines.line(at))) at++;
  return at;
}

function parseBlock(lines: Lines, from: number, maxItemCount: number): BlockEnd {
  const line = lines.line(from);
  if (measureIndent(line) > 3) return { kind: 'code', end: findIndentedEnd(lines, from) };
  const fence = parseOpeningFence(line);
  if (fence !== null) return { kind: 'code', end: findFenceEnd(lines, from + 1, fence) };
  if (isHeading(line)) return { kind: 'heading', end: from + 1 };
  if (isQuote(line)) return { kind: isCallout(line) ? 'callout' : 'quote', end: findQuoteEnd(lines, from) };
  if (isRule(line)) return { kind: 'rule', end: from + 1 };
  const item = parseItemMark(line);
  if (item !== null) return { kind: 'list', end: findItemsEnd(lines, from, item, maxItemCount) };
  const html = findHtmlEnd(line, false);
  if (html !== null) return { kind: 'html', end: findHtmlBlockEnd(lines, from, html) };
  if (isMath(line)) return findEnclosed(lines, from, '$$', 'code');
  if (isComment(line)) return findEnclosed(lines, from, '%%', 'html');
  return parseParagraph(lines, from);
}

function parseParagraph(lines: Lines, from: number): BlockEnd {
  for (let at = from; at < lines.count; at++) {
    const line = lines.line(at);
    if (at > from) {
      if (isUnderline(line)) return { kind: 'heading', end: at + 1 };
      if (endsParagraph(line)) return { kind: 'paragraph', end: at };
    }
    if (line.includes('|') && at + 1 < lines.count && isTableRuler(lines.line(at + 1))) {
      if (at > from) return { kind: 'paragraph', end: at };
      let end = at + 2;
      while (end < lines.count && !endsParagraph(lines.line(end))) end++;
      return { kind: 'table', end };
    }
  }
  return { kind: 'paragraph', end: lines.count };
}

function findIndentedEnd(lines: Lines, from: number): number {
  let end = from + 1;
  for (let at = end; at < lines.count; at++) {
    const line = lines.line(at);
    if (isBlank(line)) continue;
    if (measureIndent(line) < 4) break;
    end = at + 1;
  }
  return end;
}

/** The end of a fenced block. Without a closing fence, it is the end of the text. */
function findFenceEnd(lines: Lines, from: number, fence: Fence): number {
  for (let at = from; at < lines.count; at++) if (isClosingFence(lines.line(at), fence)) return at + 1;
  return lines.count;
}

function findHtmlBlockEnd(lines: Lines, from: number, end: RegExp | 'blank'): number {
  for (let at = from; at < lines.count; at++) {
    if (end === 'blank' ? isBlank(lines.line(at)) : end.test(lines.line(at)))
      return end === 'blank' ? at : at + 1;
  }
  return lines.count;
}

/** A block between two equal marks. The first mark begins its line. Without a second mark, the block is a paragraph. */
function findEnclosed(lines: Lines, from: number, mark: string, kind: BlockKind): BlockEnd {
  const afterMark = lines.line(from).trim().slice(mark.length);
  if (afterMark.includes(mark))
    return afterMark.endsWith(mark) ? { kind, end: from + 1 } : parseParagraph(lines, from);
  for (let at = from + 1; at < lines.count; at++)
    if (lines.line(at).includes(mark)) return { kind, end: at + 1 };
  return parseParagraph(lines, from);
}

function findQuoteEnd(lines: Lines, from: number): number {
  let fence: Fence | null = null;
  let inParagraph = false;
  for (let at = from; at < lines.count; at++) {
    const line = lines.line(at);
    if (!isQuote(line)) {
      // Lazy continuation: a paragraph in a quote may continue without `>`.
      if (!inParagraph || endsParagraph(line)) return at;
      continue;
    }
    const content = line.replace(/^ {0,3}> ?/, '');
    if (fence !== null) {
      if (isClosingFence(content, fence)) fence = null;
      inParagraph = false;
    } else {
      fence = parseOpeningFence(content);
      inParagraph = fence === null && !isBlank(content) && !isHeading(content);
    }
  }
  return lines.count;
}

/** The end of one item of several lines, or of up to `maxItemCount` items of a single line. */
function findItemsEnd(lines: Lines, from: number, first: ItemMark, maxItemCount: number): number {
  let end = findItemEnd(lines, from, first);
  if (end > from + 1) return end;
  for (let items = 1; items < maxItemCount; items++) {
    const next = skipBlankLines(lines, end);
    if (next >= lines.count) return end;
    const line = lines.line(next);
    const item = measureIndent(line) > 3 || isRule(line) ? null : parseItemMark(line);
    if (item === null || item.kind !== first.kind || findItemEnd(lines, next, item) > next + 1) return end;
    end = next + 1;
  }
  return end;
}

function findItemEnd(lines: Lines, from: number, item: ItemMark): number {
  let fence = parseOpeningFence(item.rest);
  let inParagraph = fence === null && item.rest !== '';
  let end = from + 1;
  for (let at = end; at < lines.count; at++) {
    const line = lines.line(at);
    if (isBlank(line)) {
      inParagraph = false;
      continue;
    }
    const indent = measureIndent(line);
    const isInside = indent >= item.content || (fence === null && isNested(line, indent, item));
    if (!isInside && !(inParagraph && !isItem(line, indent) && !endsParagraph(line))) return end;
    end = at + 1;
    const content = line.trimStart();
    if (fence !== null) {
      if (isClosingFence(content, fence)) fence = null;
      inParagraph = false;
    } else {
      fence = parseOpeningFence(parseItemMark(content)?.rest ?? content);
      inParagraph = fence === null;
    }
  }
  return end;
}

const isItem = (line: string, indent: number): boolean => indent < 4 && parseItemMark(line) !== null;

/**
 * Whether a line is an item nested in another. Two columns are enough below `1.`, too, although CommonMark requires
 * three.
 */
const isNested = (line: string, indent: number, item: ItemMark): boolean =>
  indent >= item.indent + 2 && parseItemMark(line) !== null;
