/** The text of search hits, with secrets masked. It is read from the files, since the index holds none. */
import { cutLongLine, type SpanHit, type TextReader, toEvidence } from '../../core/index.ts';

/** Maximum characters of one hit. */
const characters = 2_000;
const lines = 120;

export interface HitText {
  /** Lines joined by `\n`; empty if the file has changed or gone since. */
  readonly text: string;
  /** `text` is not the whole span. */
  readonly cut?: true;
}

/** A hit as programs get it. */
export type TextHit = SpanHit & HitText;

export async function withText(
  hits: readonly SpanHit[],
  query: string,
  reader: TextReader,
): Promise<readonly TextHit[]> {
  const found: TextHit[] = [];
  for (const hit of hits) found.push({ ...hit, ...(await textOf(hit, query, reader)) });
  return found;
}

async function textOf(hit: SpanHit, query: string, reader: TextReader): Promise<HitText> {
  const file = await reader.readText(hit.path);
  if (file.kind === 'unreadable') return { text: '' };
  const end = Math.min(hit.end, file.lines.length);
  const span = { ...hit, end, reason: '', near: query };
  const evidence = toEvidence(file, span, { lines, characters });
  if (typeof evidence === 'string') return { text: '' };
  const whole =
    evidence.end_line === end && evidence.content === file.lines.slice(hit.start - 1, end).join('\n');
  return { text: evidence.content, ...(!whole && { cut: true }) };
}

/**
 * The consecutive lines of a text that match a query best: at most the given number, without blank lines at the ends.
 * Of a line longer than `width` only the matching part is taken.
 */
export function tellingPart(
  text: string,
  query: string,
  max: number,
  width = Infinity,
): readonly { readonly offset: number; readonly line: string }[] {
  const words = new Set((query.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).slice(0, 40));
  const all = text.split('\n');
  const worth = all.map((line) => {
    const folded = line.toLowerCase();
    return [...words].filter((word) => folded.includes(word)).length;
  });
  let best = 0;
  let highest = -1;
  for (let from = 0; from + Math.min(max, all.length) <= all.length; from += 1) {
    const sum = worth.slice(from, from + max).reduce((total, one) => total + one, 0);
    if (sum > highest) [best, highest] = [from, sum];
  }
  const part = all
    .slice(best, best + max)
    .map((line, n) => ({ offset: best + n, line: cutLongLine(line, query, width) }));
  const fill = (one: { readonly line: string }) => one.line.trim() !== '';
  return part.slice(Math.max(0, part.findIndex(fill)), part.findLastIndex(fill) + 1);
}
