/** The text of a unit as the gate leaves it. */
import { unsupportedMark, withoutMarks } from './answer-marks.ts';
import type { NamedPlace } from './answer-places.ts';
import type { Known, Weighed } from './answer-weigh.ts';
import { flatSpace } from './text/quote.ts';

/** Characters of a sentence in the list of the unsupported ones. */
const listed = 240;

/** The unit's text without the citations that fell, and with its mark where it needs one. */
export function rewrite(
  weighed: Weighed,
  known: ReadonlyMap<string, Known>,
  needsMark: boolean,
  strays: readonly NamedPlace[],
): string {
  const { text, mentions, kept, unit } = weighed;
  const keptIds = new Set(kept.map(({ id }) => id));
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  for (const { start, end, ids, bare } of mentions) {
    const stay = ids.filter((id) => keptIds.has(id));
    if (stay.length === ids.length && ids.every((id) => known.has(id))) continue;
    const without = bare ? unsupportedMark : '';
    const spaces = stay.length === 0 && !bare ? blankBefore(text, start) : 0;
    edits.push({ start: start - spaces, end, text: stay.length > 0 ? `[${stay.join(', ')}]` : without });
  }
  for (const { at } of strays) edits.push({ start: at, end: at, text: ` ${unsupportedMark}` });
  let result = '';
  let from = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    if (edit.start < from) continue;
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  result += text.slice(from);
  if (!needsMark || result.includes(unsupportedMark)) return result;
  if (unit.kind === 'code') return `${result}\n${unsupportedMark}`;
  if (unit.kind === 'row') return markRow(result);
  return `${result.trimEnd()} ${unsupportedMark}`;
}

/** Within the last cell. */
function markRow(text: string): string {
  const row = text.trimEnd();
  const cells = row.endsWith('|') ? row.slice(0, -1).trimEnd() : row;
  return `${cells} ${unsupportedMark}${row.endsWith('|') ? ' |' : ''}`;
}

/** Characters of blank space before a place, on its line. */
function blankBefore(text: string, place: number): number {
  let start = place;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return place - start;
}

/** The sentence as the list of the unsupported ones gives it. */
export function shortSentence({ text }: Weighed): string {
  const words = flatSpace(withoutMarks(text));
  return words.length > listed ? `${words.slice(0, listed - 2).toWellFormed()} …` : words;
}
