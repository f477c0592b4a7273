/** The text of search hits, with secrets masked. It is read from the files, since the index stores no text. */
import { cutLongLine, type SpanHit, type TextReader, toEvidence } from '../../core/index.ts';

/** Maximum characters and lines of the text of one hit. */
const maxCharacters = 2_000;
const maxLines = 120;

export interface HitText {
  /** Lines joined by `\n`; empty if the file was removed or has become shorter since it was indexed. */
  readonly text: string;
  /** True: `text` is only a part of the span. */
  readonly cut?: true;
}

/** A hit with its text, as programs receive it. */
export type TextHit = SpanHit & HitText;

export async function addTexts(
  hits: readonly SpanHit[],
  query: string,
  reader: TextReader,
): Promise<readonly TextHit[]> {
  const textHits: TextHit[] = [];
  for (const hit of hits) textHits.push({ ...hit, ...(await readHitText(hit, query, reader)) });
  return textHits;
}

async function readHitText(hit: SpanHit, query: string, reader: TextReader): Promise<HitText> {
  const file = await reader.readText(hit.path);
  if (file.kind === 'unreadable') return { text: '' };
  const end = Math.min(hit.end, file.lines.length);
  const span = { ...hit, end, reason: '', near: query };
  const evidence = toEvidence(file, span, { lines: maxLines, characters: maxCharacters });
  if (typeof evidence === 'string') return { text: '' };
  const isWhole =
    evidence.end_line === end && evidence.content === file.lines.slice(hit.start - 1, end).join('\n');
  return { text: evidence.content, ...(!isWhole && { cut: true }) };
}

/**
 * Returns the consecutive lines of a text that match a query best: at most `maxCount`, without blank lines at the ends.
 * A line longer than `width` characters is cut to its matching part.
 */
export function bestMatchingLines(
  text: string,
  query: string,
  maxCount: number,
  width = Infinity,
): readonly { readonly offset: number; readonly line: string }[] {
  const words = new Set((query.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).slice(0, 40));
  const allLines = text.split('\n');
  const matchCounts = allLines.map((line) => {
    const folded = line.toLowerCase();
    return [...words].filter((word) => folded.includes(word)).length;
  });
  let bestStart = 0;
  let bestSum = -1;
  for (let start = 0; start + Math.min(maxCount, allLines.length) <= allLines.length; start += 1) {
    const sum = matchCounts.slice(start, start + maxCount).reduce((total, count) => total + count, 0);
    if (sum > bestSum) [bestStart, bestSum] = [start, sum];
  }
  const window = allLines
    .slice(bestStart, bestStart + maxCount)
    .map((line, n) => ({ offset: bestStart + n, line: cutLongLine(line, query, width) }));
  const hasText = (item: { readonly line: string }) => item.line.trim() !== '';
  return window.slice(Math.max(0, window.findIndex(hasText)), window.findLastIndex(hasText) + 1);
}
