/**
 * Splits an answer in Markdown into the units that can each carry a citation: sentences, headings, rows of tables,
 * block quotes, blocks of code. The text between units (bullets, blank lines) belongs to none.
 */

import {
  closesFence,
  endsInMarker,
  findFencedBlocks,
  readOpeningFence,
  unsupportedMark,
} from './answer-marks.ts';
import { findCodeSpans, isWithin } from './text/code-spans.ts';
import { findSentenceEnds } from './text/sentence-ends.ts';

export type UnitKind = 'sentence' | 'heading' | 'row' | 'quote' | 'code';

export interface Unit {
  readonly kind: UnitKind;
  /** Offsets in the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** The number of its block. Units of one paragraph, or of one item of a list, have the same number. */
  readonly block: number;
  /** The index of the unit that introduces this block and ends in a colon; null if there is none. */
  readonly lead: number | null;
}

interface TextLine {
  readonly text: string;
  readonly start: number;
}

const heading = /^\s{0,3}#{1,6}(\s|$)/;
const horizontalRule = /^\s{0,3}([-*_])(\s*\1){2,}\s*$|^\s{0,3}=+\s*$/;
const tableRow = /^\s*\|/;
const tableSeparator = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
const blockQuote = /^\s*>/;
const bullet = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** A line in bold that is a title: it ends in a colon, or has at most three words. */
const boldTitle = /^\*\*(?:[^*]*:|[^*\s]+(?: [^*\s]+){0,2})\*\*:?$/;

/** Closes a code block that the answer left open, so that it does not swallow text added after it. */
export function closeFence(text: string): string {
  const last = findFencedBlocks(text).at(-1);
  return last === undefined || last.isClosed ? text : `${text}\n${last.sign}`;
}

export function splitUnits(text: string): readonly Unit[] {
  const units: Unit[] = [];
  const lines = splitTextLines(text);
  let block = 0;
  let lead: number | null = null;
  let paragraph: { start: number; end: number; lead: number | null } | null = null;

  const add = (kind: UnitKind, start: number, end: number, under: number | null) => {
    units.push({ kind, start, end, block, lead: under });
  };
  const endParagraph = () => {
    if (paragraph === null) return;
    const { start, end, lead: under } = paragraph;
    paragraph = null;
    block += 1;
    const whole = text.slice(start, end);
    if (boldTitle.test(whole.trim())) add('heading', start, end, under);
    else
      for (const piece of splitSentences(whole))
        add('sentence', start + piece.start, start + piece.end, under);
    const last = units.at(-1);
    lead =
      last !== undefined && /[:：]\s*$/.test(removeEndMarks(text.slice(last.start, last.end)))
        ? units.length - 1
        : under;
  };
  const addBlock = (kind: UnitKind, first: TextLine, last: TextLine) => {
    endParagraph();
    block += 1;
    const from = first.start + (first.text.length - first.text.trimStart().length);
    add(kind, from, last.start + last.text.trimEnd().length, kind === 'heading' ? null : lead);
  };

  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const open = readOpeningFence(line.text);
    if (open !== null) {
      const first = line;
      at += 1;
      while (at < lines.length && !closesFence(open, lines[at]!.text)) at += 1;
      if (lines[at + 1]?.text.trim() === unsupportedMark) at += 1;
      addBlock('code', first, lines[Math.min(at, lines.length - 1)]!);
    } else if (line.text.trim() === '') {
      // A list or a block of code may follow its lead-in after a blank line; a paragraph may not.
      endParagraph();
    } else if (heading.test(line.text)) {
      addBlock('heading', line, line);
      lead = null;
    } else if (horizontalRule.test(line.text)) {
      if (paragraph !== null && /^[\s=-]+$/.test(line.text)) {
        const { start, end } = paragraph as { start: number; end: number };
        paragraph = null;
        block += 1;
        add('heading', start, end, null);
      } else endParagraph();
      lead = null;
    } else if (tableRow.test(line.text)) {
      const isTitle = tableSeparator.test(lines[at + 1]?.text ?? '');
      if (tableSeparator.test(line.text)) endParagraph();
      else addBlock(isTitle ? 'heading' : 'row', line, line);
    } else if (blockQuote.test(line.text)) {
      const first = line;
      while (blockQuote.test(lines[at + 1]?.text ?? '')) at += 1;
      addBlock('quote', first, lines[at]!);
    } else {
      const mark = bullet.exec(line.text)?.[0];
      if (mark !== undefined) endParagraph();
      const start = line.start + (mark?.length ?? line.text.length - line.text.trimStart().length);
      const end = line.start + line.text.trimEnd().length;
      if (paragraph !== null) paragraph = { ...(paragraph as { start: number; lead: number | null }), end };
      else {
        const isList = mark !== undefined || /^\s{2,}/.test(line.text);
        paragraph = { start, end, lead: isList ? lead : null };
      }
    }
  }
  endParagraph();
  return units.filter((unit) => unit.end > unit.start);
}

function splitTextLines(text: string): readonly TextLine[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const textLine = { text: line, start };
    start += line.length + 1;
    return textLine;
  });
}

function removeEndMarks(text: string): string {
  return text
    .replace(endsInMarker, '')
    .trimEnd()
    .replace(/[*_`]+$/, '');
}

/** The sentences of a paragraph. A hard line break ends a piece too, and so does a line break after a marker. */
function splitSentences(text: string): readonly { start: number; end: number }[] {
  const spans = findCodeSpans(text);
  const ends = [...findSentenceEnds(text, spans), ...findLineEnds(text, spans), text.length].sort(
    (a, b) => a - b,
  );
  const pieces: { start: number; end: number }[] = [];
  let from = 0;
  for (const end of ends) {
    const piece = text.slice(from, end);
    const start = from + (piece.length - piece.trimStart().length);
    if (piece.trim() !== '') pieces.push({ start, end: start + piece.trim().length });
    from = Math.max(from, end);
  }
  return pieces;
}

function findLineEnds(text: string, spans: ReturnType<typeof findCodeSpans>): readonly number[] {
  const ends: number[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    const next = text.slice(end + 1, end + 200).trimStart();
    const isHard = line.endsWith('  ') || line.endsWith('\\');
    if ((isHard || (endsInMarker.test(line) && !/^[\p{Ll},;.)]/u.test(next))) && !isWithin(spans, end))
      ends.push(end);
    start = end + 1;
  }
  return ends;
}
