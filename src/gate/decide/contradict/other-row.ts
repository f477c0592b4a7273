/** Finds claims that give a row of a printed table a figure of another row. */
import type { Reading } from '../../claim/reading.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import { splitClauses } from '../../lines/clauses.ts';
import type { Segment, Source } from '../../lines/source.ts';
import type { Anchor } from '../support/place.ts';

/** The reason against a claim that names a row, and a figure that only other rows have; null if there is none. */
export function findOtherRow(reading: Reading, anchors: readonly Anchor[], source: Source): string | null {
  const time = findOtherTimeOfRow(reading, source);
  if (time !== null) return time;
  const keys = findKeys(source);
  if (keys.size < 2) return null;
  const figures = anchors.filter(
    ({ kind, segments }) =>
      kind === 'figure' && segments.length > 0 && segments.every((at) => isRow(source.segments[at]!)),
  );
  for (const clause of splitClauses(reading, { joined: false })) {
    if (severalRows.test(clause.text)) continue;
    const namedRows = [...keys].filter(([key]) => containsName(clause.text, key));
    if (namedRows.length === 0) continue;
    const isEach = /\b(?:each|both)\b/i.test(clause.text);
    for (const { start, text, segments } of figures) {
      if (start < clause.start || start >= clause.end || containsName(namedRows[0]![0], text)) continue;
      const otherRows = namedRows.filter(([, rows]) => !rows.some((row) => segments.includes(row)));
      const [first] = otherRows;
      if (first !== undefined && (isEach || otherRows.length === namedRows.length))
        return `the row of "${first[0]}" has no ${text}`;
    }
  }
  return null;
}

/** The reason against a claim that names one row by its first cell, and a time that other rows have. */
function findOtherTimeOfRow({ text, moments }: Reading, { segments }: Source): string | null {
  const [moment, ...more] = moments;
  if (moment === undefined || more.length > 0 || severalRows.test(text)) return null;
  const rows = segments.filter((one) => /^\s*\|/.test(one.text) && one.moments.length > 0);
  const namedRows = rows.filter((one) => containsName(text, one.text.split('|')[1]?.trim() ?? ''));
  const [row] = namedRows;
  if (row === undefined || namedRows.length > 1 || rows.length < 2) return null;
  const hasMoment = (one: Segment): boolean => one.moments.some((given) => isSameMoment(moment, given));
  // A time between the first and the last one of the row may belong to it.
  return !hasMoment(row) && !isBetweenTimes(moment, row) && rows.some(hasMoment)
    ? `the row of "${row.text.split('|')[1]!.trim()}" has ${row.moments.at(-1)!.text}`
    : null;
}

function isBetweenTimes({ second }: Moment, { moments }: Segment): boolean {
  const seconds = moments.flatMap((one) => (one.second === null ? [] : [one.second]));
  return second !== null && second > Math.min(...seconds) && second < Math.max(...seconds);
}

/** Words of a statement about several rows. */
const severalRows =
  /\b(?:between|total|together|sum|most|more|less|than|other|another|averages?|all|rest|after|before|until|from)\b/i;

/** The names in the first column, with their rows. */
function findKeys({ segments }: Source): ReadonlyMap<string, readonly number[]> {
  const keys = new Map<string, number[]>();
  for (const [at, segment] of segments.entries()) {
    const key = isRow(segment) ? /^\s*\|?\s*(\S*\p{L}\S*)/u.exec(segment.text)?.[1] : undefined;
    if (key !== undefined) keys.set(key, [...(keys.get(key) ?? []), at]);
  }
  return keys;
}

/** A line of columns with a figure among them: no heading of a table, and no line of a log. */
const isRow = ({ isRecord, text, figures, moments }: Segment): boolean =>
  (isRecord || text.trimStart().startsWith('|')) &&
  moments.length === 0 &&
  figures.length > 0 &&
  /\S(?: {2,}|\t+|\s*\|\s*)\S/.test(text);

/** Whether a text contains a name as a whole word: `newfstat` is not in `newfstatat`. */
function containsName(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (
      !/[\p{L}\p{N}_.:-]$/u.test(text.slice(0, at)) &&
      !/^[\p{L}\p{N}_:-]/u.test(text.slice(at + name.length))
    )
      return true;
  return false;
}
