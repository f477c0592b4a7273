/**
 * Recognises what kind of block a line begins, by CommonMark 0.31 and Obsidian's extensions. Lines have no line end.
 */
import { isBlank, measureIndent } from './lines.ts';

export interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
}

/** The fence that a line opens; null if there is none. Marks of lists and quotes must be removed before. */
export function parseOpeningFence(line: string): Fence | null {
  const match = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (match === null) return null;
  const [, run = '', info = ''] = match;
  // A backtick after the fence makes it a code span.
  if (run.startsWith('`') && info.includes('`')) return null;
  return { mark: run[0] as Fence['mark'], length: run.length };
}

export function isClosingFence(line: string, fence: Fence): boolean {
  const run = line.trim();
  return run.length >= fence.length && run === fence.mark.repeat(run.length) && measureIndent(line) < 4;
}

export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line);
export const isQuote = (line: string): boolean => /^ {0,3}>/.test(line);
export const isCallout = (line: string): boolean => /^ {0,3}>[ \t]*\[![^\]]+\]/.test(line);
export const isRule = (line: string): boolean =>
  /^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/.test(line);
/** Whether the line underlines a setext heading. */
export const isUnderline = (line: string): boolean => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line);

/** Whether the line is the delimiter row below the head of a table. */
export const isTableRuler = (line: string): boolean =>
  line.includes('|') && line.includes('-') && /^ {0,3}[ \t|:-]+$/.test(line) && !/--*[ \t]+-/.test(line);

export interface ItemMark {
  /** The character that all items of the list share: `-`, `*`, `+`, `.` or `)`. */
  readonly kind: string;
  /** Column of the mark. */
  readonly indent: number;
  /** Column at which the item's content begins. */
  readonly content: number;
  /** The rest of the line after the mark. */
  readonly rest: string;
  readonly number: number | null;
}

export function parseItemMark(line: string): ItemMark | null {
  const match = /^([ \t]*)([-*+]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(line);
  if (match === null) return null;
  const [whole, space = '', mark = '', digits] = match;
  const indent = measureIndent(space);
  const column = indent + mark.length;
  const gap = measureIndent(line, whole.length, column);
  const rest = line.slice(whole.length).replace(/^[ \t]+/, '');
  // A gap of five or more columns is one column and an indented code block.
  const content = column + (gap === 0 || gap > 4 || rest === '' ? 1 : gap);
  return { kind: mark.at(-1)!, indent, content, rest, number: digits === undefined ? null : Number(digits) };
}

const htmlBlocks =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|' +
  'track|ul';
const htmlBlockTag = new RegExp(`^ {0,3}</?(?:${htmlBlocks})(?:[ \\t>]|/>|$)`, 'i');
const htmlAnyTag =
  /^ {0,3}<(?:[a-z][a-z0-9-]*(?:[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*[ \t]*\/?|\/[a-z][a-z0-9-]*[ \t]*)>[ \t]*$/i;

/** What ends the HTML block that this line begins: a pattern or a blank line. Null if it begins none. */
export function findHtmlEnd(line: string, inParagraph: boolean): RegExp | 'blank' | null {
  if (!/^ {0,3}</.test(line)) return null;
  if (/^ {0,3}<(?:script|pre|style|textarea)(?:[ \t>]|$)/i.test(line))
    return /<\/(?:script|pre|style|textarea)>/i;
  if (/^ {0,3}<!--/.test(line)) return /-->/;
  if (/^ {0,3}<\?/.test(line)) return /\?>/;
  if (/^ {0,3}<!\[CDATA\[/.test(line)) return /\]\]>/;
  if (/^ {0,3}<![a-z]/i.test(line)) return />/;
  if (htmlBlockTag.test(line)) return 'blank';
  return !inParagraph && htmlAnyTag.test(line) ? 'blank' : null;
}

export const isMath = (line: string): boolean => /^ {0,3}\$\$/.test(line);
export const isComment = (line: string): boolean => /^ {0,3}%%/.test(line);

/** Whether a line ends the paragraph before it. */
export function endsParagraph(line: string): boolean {
  if (isBlank(line)) return true;
  if (measureIndent(line) > 3) return false;
  const item = parseItemMark(line);
  return (
    (item !== null && item.rest !== '' && (item.number === null || item.number === 1)) ||
    isHeading(line) ||
    isQuote(line) ||
    isRule(line) ||
    parseOpeningFence(line) !== null ||
    findHtmlEnd(line, true) !== null ||
    isMath(line) ||
    isComment(line)
  );
}
