/**
 * Cuts a text into blocks of the size that a person edits; nothing is lost. A list item of several lines is a block.
 * Items of a single line share a block, since each alone is too little. The end of a block depends only on the lines
 * near it, so that an edit changes few blocks.
 */
import type { BlockKind } from '../world.ts';
import {
  closesFence,
  type Fence,
  htmlEnd,
  type ItemMark,
  interrupts,
  isCallout,
  isComment,
  isHeading,
  isMath,
  isQuote,
  isRule,
  isTableRuler,
  isUnderline,
  itemMark,
  openingFence,
} from './block-starts.ts';
import { indentOf, isBlank, type Lines, linesOf } from './lines.ts';
import type { BlockText } from './markdown.ts';

/** Maximum number of single-line items in a block. */
const maxItems = 20;

interface BlockEnd {
  readonly kind: BlockKind;
  /** The index of the line after the block's last line. */
  readonly end: number;
}

export function blocksOf(text: string): readonly BlockText[] {
  const lines = linesOf(text);
  const blocks: BlockText[] = [];
  // Blank lines at the beginning belong to the first block, all others to the one before them.
  let from = afterBlanks(lines, 0);
  let begin = 0;
  while (from < lines.count) {
    const { kind, end } = blockAt(lines, from, maxItems);
    from = afterBlanks(lines, end);
    blocks.push(Object.freeze({ text: text.slice(begin, lines.start(from)), kind }));
    begin = lines.start(from);
  }
  if (blocks.length === 0) blocks.push(Object.freeze({ text, kind: 'blank' }));
  return blocks;
}

/** A block, or one item of a list, without the blank lines around it. */
export interface Unit {
  readonly kind: BlockKind;
  /** Offsets in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/**
 * The smallest parts of a text, regardless of how items are grouped into blocks, since an edit of a neighbour may
 * change the grouping.
 */
export function unitsOf(text: string): readonly Unit[] {
  const lines = linesOf(text);
  const units: Unit[] = [];
  for (let from = afterBlanks(lines, 0); from < lines.count; ) {
    const { kind, end } = blockAt(lines, from, 1);
    let last = end - 1;
    while (last > from && isBlank(lines.line(last))) last--;
    units.push({ kind, start: lines.start(from), end: lines.start(last) + lines.line(last).length });
    from = afterBlanks(lines, end);
  }
  return units;
}

function afterBlanks(lines: Lines, from: number): number {
  let at = from;
  while (at < lines.count && isBlank(lines.line(at))) at++;
  return at;
}

function blockAt(lines: Lines, from: number, items: number): BlockEnd {
  const line = lines.line(from);
  if (indentOf(line) > 3) return { kind: 'code', end: findIndentedEnd(lines, from) };
  const fence = openingFence(line);
  if (fence !== null) return { kind: 'code', end: fenceEnd(lines, from + 1, fence) };
  if (isHeading(line)) return { kind: 'heading', end: from + 1 };
  if (isQuote(line)) return { kind: isCallout(line) ? 'callout' : 'quote', end: quoteEnd(lines, from) };
  if (isRule(line)) return { kind: 'rule', end: from + 1 };
  const item = itemMark(line);
  if (item !== null) return { kind: 'list', end: itemsEnd(lines, from, item, items) };
  const html = htmlEnd(line, false);
  if (html !== null) return { kind: 'html', end: htmlBlockEnd(lines, from, html) };
  if (isMath(line)) return findEnclosed(lines, from, '$$', 'code');
  if (isComment(line)) return findEnclosed(lines, from, '%%', 'html');
  return paragraph(lines, from);
}

function paragraph(lines: Lines, from: number): BlockEnd {
  for (let at = from; at < lines.count; at++) {
    const line = lines.line(at);
    if (at > from) {
      if (isUnderline(line)) return { kind: 'heading', end: at + 1 };
      if (interrupts(line)) return { kind: 'paragraph', end: at };
    }
    if (line.includes('|') && at + 1 < lines.count && isTableRuler(lines.line(at + 1))) {
      if (at > from) return { kind: 'paragraph', end: at };
      let end = at + 2;
      while (end < lines.count && !interrupts(lines.line(end))) end++;
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
    if (indentOf(line) < 4) break;
    end = at + 1;
  }
  return end;
}

/** The end of a fenced block. Without a closing fence, the block goes on to the end of the text. */
function fenceEnd(lines: Lines, from: number, fence: Fence): number {
  for (let at = from; at < lines.count; at++) if (closesFence(lines.line(at), fence)) return at + 1;
  return lines.count;
}

function htmlBlockEnd(lines: Lines, from: number, end: RegExp | 'blank'): number {
  for (let at = from; at < lines.count; at++) {
    if (end === 'blank' ? isBlank(lines.line(at)) : end.test(lines.line(at)))
      return end === 'blank' ? at : at + 1;
  }
  return lines.count;
}

/** A block from a mark at the beginning of a line to the same mark. Without a second mark the text is a paragraph. */
function findEnclosed(lines: Lines, from: number, mark: string, kind: BlockKind): BlockEnd {
  const first = lines.line(from).trim().slice(mark.length);
  if (first.includes(mark)) return first.endsWith(mark) ? { kind, end: from + 1 } : paragraph(lines, from);
  for (let at = from + 1; at < lines.count; at++)
    if (lines.line(at).includes(mark)) return { kind, end: at + 1 };
  return paragraph(lines, from);
}

function quoteEnd(lines: Lines, from: number): number {
  let fence: Fence | null = null;
  let inParagraph = false;
  for (let at = from; at < lines.count; at++) {
    const line = lines.line(at);
    if (!isQuote(line)) {
      // The paragraph of a quote may go on without its mark.
      if (!inParagraph || interrupts(line)) return at;
      continue;
    }
    const inside = line.replace(/^ {0,3}> ?/, '');
    if (fence !== null) {
      if (closesFence(inside, fence)) fence = null;
      inParagraph = false;
    } else {
      fence = openingFence(inside);
      inParagraph = fence === null && !isBlank(inside) && !isHeading(inside);
    }
  }
  return lines.count;
}

/** The end of an item of several lines, or of several items of a single line. */
function itemsEnd(lines: Lines, from: number, first: ItemMark, max: number): number {
  let end = itemEnd(lines, from, first);
  if (end > from + 1) return end;
  for (let items = 1; items < max; items++) {
    const next = afterBlanks(lines, end);
    if (next >= lines.count) return end;
    const line = lines.line(next);
    const item = indentOf(line) > 3 || isRule(line) ? null : itemMark(line);
    if (item === null || item.kind !== first.kind || itemEnd(lines, next, item) > next + 1) return end;
    end = next + 1;
  }
  return end;
}

function itemEnd(lines: Lines, from: number, item: ItemMark): number {
  let fence = openingFence(item.rest);
  let inParagraph = fence === null && item.rest !== '';
  let end = from + 1;
  for (let at = end; at < lines.count; at++) {
    const line = lines.line(at);
    if (isBlank(line)) {
      inParagraph = false;
      continue;
    }
    const indent = indentOf(line);
    const isInside = indent >= item.content || (fence === null && isNested(line, indent, item));
    if (!isInside && !(inParagraph && !isItem(line, indent) && !interrupts(line))) return end;
    end = at + 1;
    const inside = line.trimStart();
    if (fence !== null) {
      if (closesFence(inside, fence)) fence = null;
      inParagraph = false;
    } else {
      fence = openingFence(itemMark(inside)?.rest ?? inside);
      inParagraph = fence === null;
    }
  }
  return end;
}

const isItem = (line: string, indent: number): boolean => indent < 4 && itemMark(line) !== null;

/**
 * Whether a line is an item below another. Below `1.` people indent by two columns, as below `-`, although CommonMark
 * asks for three.
 */
const isNested = (line: string, indent: number, item: ItemMark): boolean =>
  indent >= item.indent + 2 && itemMark(line) !== null;
